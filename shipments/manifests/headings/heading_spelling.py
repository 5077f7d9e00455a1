"""How headings are written: scripts, signs, abbreviations, words run together, and text in the wrong encoding.

`fold` gives a heading as tokens, whichever way it was written. It knows how words are spelled, not what they mean.
"""

import re
import unicodedata
from functools import lru_cache

_SAME_WORD = {
    **dict.fromkeys(("no", "nro", "num", "number", "n", "nbr", "nr", "nos"), "numero"),
    **dict.fromkeys(("cant", "ctd", "cantid", "qtd", "qtde", "quantidade"), "cantidad"),
    **dict.fromkeys(("btos", "blts", "bult"), "bultos"),
    **dict.fromkeys(("merc", "mercad", "mcia", "mercs"), "mercancia"),
    **dict.fromkeys(("mercadorias", "mercaderia", "mercaderias", "mercadoria", "mercancias"), "mercancia"),
    **dict.fromkeys(("ident", "identif"), "identificacion"),
    **dict.fromkeys(("paq", "paqs"), "paquetes"),
    **dict.fromkeys(("vlr", "val", "vr"), "valor"),
    **dict.fromkeys(("wgt", "weigth", "wght", "weights"), "weight"),
    **dict.fromkeys(("descricao", "descripc"), "descripcion"),
    **dict.fromkeys(("endereco", "direc", "direcc"), "direccion"),
    "cep": "cp",
    "conhecimento": "conocimiento",
    "cidade": "ciudad",
    "cod": "codigo",
    "decl": "declarado",
    "declarada": "declarado",
    "declaradas": "declarado",
    "declarados": "declarado",
    "dir": "direccion",
    "doc": "documento",
    "estim": "estimado",
    "frete": "flete",
    "nom": "nombre",
    "nome": "nombre",
    "pes": "peso",
    "tel": "telefono",
    "rua": "calle",
    "telef": "telefono",
    "telefone": "telefono",
}
_SIGNS = str.maketrans(
    {
        "\u00b0": "o ",
        "\u00ba": "o ",
        "#": " numero ",
        "&": " and ",
        "\u2019": "'",
        "\u20ac": " eur ",
        "\u00a3": " gbp ",
        "\u00a5": " cny ",
        "\u00a2": " cents ",
    }
)
_BRACKETS = str.maketrans("\uff08\uff09\uff3b\uff3d\uff1c\uff1e\uff5b\uff5d\u3010\u3011<>{}", "()[]()()()()()")
IN_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")

_CURRENCY_SIGNS = (
    (re.compile(r"u\$[sd]|\bus\s?\$|usd\s?\$|\$\s?usd?\b"), " usd "),
    (re.compile(r"\br\s?\$"), " brl "),
    (re.compile(r"(?<![a-z0-9])s/\.?(?![a-z])"), " pen "),
    (re.compile(r"\bar\s?\$"), " ars "),
    (re.compile(r"\bmxn?\s?\$"), " mxn "),
    (re.compile(r"\bclp?\s?\$|\$\s?clp\b"), " clp "),
    (re.compile(r"\b(?:ca|c)\s?\$"), " cad "),
    (re.compile(r"\bcol?\s?\$"), " cop "),
    (re.compile(r"\b(?:a|au|hk|nt|nz|s|sg|b|rd|q|l|bs)\s?\$"), " otras "),
    (re.compile(r"\bm\s?[/.]\s?n\b"), " moneda nacional "),
    (re.compile(r"\bm\s?[/.]\s?l\b"), " moneda local "),
)

_CHINESE = {
    "\u4e3b\u5355": "mawb", "\u4e3b\u8fd0\u5355": "mawb", "\u603b\u8fd0\u5355": "mawb", "\u603b\u5355": "mawb",
    "\u5206\u8fd0\u5355": "hawb", "\u5206\u5355": "hawb", "\u8fd0\u5355\u53f7": "tracking number",
    "\u5feb\u9012\u5355\u53f7": "tracking number", "\u7269\u6d41\u5355\u53f7": "tracking number",
    "\u8ddf\u8e2a\u5355\u53f7": "tracking number", "\u8ffd\u8e2a\u53f7": "tracking number",
    "\u63d0\u5355\u53f7": "mawb", "\u8ba2\u5355\u53f7": "order number", "\u5305\u88f9\u53f7": "parcel id",
    "\u6536\u4ef6\u4eba": "consignee", "\u6536\u8d27\u4eba": "consignee", "\u6536\u4ef6": "consignee",
    "\u53d1\u4ef6\u4eba": "shipper", "\u53d1\u8d27\u4eba": "shipper", "\u5bc4\u4ef6\u4eba": "shipper",
    "\u59d3\u540d": "name", "\u540d\u79f0": "name", "\u540d\u5b57": "name", "\u7535\u8bdd": "phone",
    "\u624b\u673a": "phone", "\u90ae\u7bb1": "email", "\u5730\u5740": "address", "\u57ce\u5e02": "city",
    "\u5dde": "state", "\u7701\u4efd": "state", "\u7701": "state", "\u90ae\u7f16": "postal code",
    "\u90ae\u653f\u7f16\u7801": "postal code", "\u56fd\u5bb6": "country", "\u76ee\u7684\u56fd": "destination country",
    "\u7a0e\u53f7": "tax id", "\u8eab\u4efd\u8bc1": "document", "\u8bc1\u4ef6\u53f7": "document number",
    "\u82f1\u6587\u54c1\u540d": "description", "\u4e2d\u6587\u54c1\u540d": "description", "\u54c1\u540d": "description",
    "\u8d27\u7269\u63cf\u8ff0": "description", "\u5546\u54c1\u540d\u79f0": "product name",
    "\u8d27\u7269\u540d\u79f0": "goods name", "\u5546\u54c1\u63cf\u8ff0": "product description",
    "\u4ef6\u6570": "packages", "\u7bb1\u6570": "cartons", "\u6570\u91cf": "quantity",
    "\u4f53\u79ef\u91cd": "volumetric weight", "\u8ba1\u8d39\u91cd": "chargeable weight", "\u6750\u79ef\u91cd": "volumetric weight",
    "\u6bdb\u91cd": "gross weight", "\u51c0\u91cd": "net weight", "\u5b9e\u91cd": "actual weight", "\u91cd\u91cf": "weight",
    "\u603b\u91cd": "total weight", "\u91cf": "", "\u4f53\u79ef": "volume",
    "\u7533\u62a5\u4ef7\u503c": "declared value", "\u7533\u62a5\u603b\u4ef7": "total declared value", "\u5355\u4ef7": "unit price",
    "\u603b\u4ef7\u503c": "total value", "\u603b\u4ef7": "total value", "\u4ef7\u503c": "value", "\u91d1\u989d": "amount",
    "\u5e01\u79cd": "currency", "\u5e01\u5236": "currency", "\u5355\u4f4d": "unit", "\u516c\u65a4": "kg", "\u5343\u514b": "kg",
    "\u514b": "g", "\u78c5": "lb", "\u76ce\u53f8": "oz", "\u5428": "ton", "\u65a4": "jin", "\u7f8e\u5143": "usd", "\u7f8e\u91d1": "usd",
    "\u4eba\u6c11\u5e01": "cny", "\u6b27\u5143": "eur", "\u6d77\u5173\u7f16\u7801": "hs code", "\u5546\u54c1\u7f16\u7801": "hs code",
    "\u8fd0\u8d39": "freight", "\u4fdd\u9669": "insurance", "\u5907\u6ce8": "remarks", "\u5e8f\u53f7": "row", "\u7f16\u53f7": "number",
    "\u888b\u53f7": "bag", "\u539f\u4ea7\u56fd": "country of origin", "\u822a\u73ed": "flight", "\u53f7": "number",
}  # fmt: skip
"""Words of Chinese headings, simplified; the longest counts first."""
_CHINESE_WORD = re.compile("|".join(sorted(_CHINESE, key=len, reverse=True)))

_MISREAD = re.compile("[\u00c2\u00c3\u00e2]")
_HUMPS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z]{2})(?=[A-Z][a-z]{2})")
_TOKEN = re.compile(r"[a-z]+|[0-9]+|[^\W\d_a-z]+")


def fold(text: str) -> tuple[str, ...]:
    """The tokens of a heading: lower case, no accents, camelCase and digits apart, abbreviations in one spelling."""
    return tuple(_SAME_WORD.get(token, token) for token in spell(text))


def spell(text: str) -> list[str]:
    """The tokens of a heading before abbreviations are made one. Letters that no word is known for stay as they are."""
    text = as_typed(text)
    if not text.isascii():
        text = _CHINESE_WORD.sub(lambda match: f" {_CHINESE[match[0]]} ", text).translate(_SIGNS)
        decomposed = unicodedata.normalize("NFKD", text)
        text = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    lower = _HUMPS.sub(" ", text.translate(_SIGNS)).lower().replace("'s ", " ")
    if "$" in lower or "/" in lower or "." in lower:
        for sign, word in _CURRENCY_SIGNS:
            lower = sign.sub(word, lower)
    return _TOKEN.findall(lower)


def as_typed(text: str) -> str:
    """The text as it was before its UTF-8 was read as Windows-1252 (`DescripciÃ³n`); any other text as it is."""
    if text.isascii() or not _MISREAD.search(text):
        return text
    try:
        return b"".join(_windows_byte(letter) for letter in text).decode()
    except UnicodeError:
        return text


def bracketed(text: str) -> tuple[str, list[str]]:
    """A heading without what stands in brackets of any kind, and what stands in each of them."""
    plain = text.translate(_BRACKETS)
    return IN_BRACKETS.sub(" ", plain), [remark[1:-1] for remark in IN_BRACKETS.findall(plain)]


def _windows_byte(letter: str) -> bytes:
    try:
        return letter.encode("cp1252")
    except UnicodeEncodeError:
        return letter.encode("latin-1")  # the five bytes that Windows-1252 leaves undefined


@lru_cache(maxsize=4096)
def run_together(token: str, words: frozenset[str], endings: frozenset[str]) -> tuple[str, ...]:
    """The words that a token is run together from (`pesobruto`, `valorusd`); the token alone when it is not.

    words: what it may hold. endings: shorter words, which only its end may be.
    """
    if len(token) < 5 or token in words or token in endings:
        return (token,)
    return _split(token, words, endings) or (token,)


def _split(rest: str, words: frozenset[str], endings: frozenset[str]) -> tuple[str, ...]:
    for length in range(len(rest), 2, -1):
        if rest[:length] not in words:
            continue
        if length == len(rest):
            return (rest,)
        if rest[length:] in endings:
            return rest[:length], rest[length:]
        if following := _split(rest[length:], words, endings):
            return rest[:length], *following
    return ()
