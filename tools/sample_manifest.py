"""Generate the sample manifest that the README uploads: `python -m tools.sample_manifest`.

People and companies are made up; communes, check digits and the MAWB's check digit are valid.
"""

from datetime import datetime
from pathlib import Path

from shipments.manifests.house.manifest_template import fill_template

PATH = Path(__file__).parents[1] / "docs" / "examples" / "manifest-CL.xlsx"

LABELS: dict[str, str | datetime] = {
    "MAWB": "045-48216350",
    "Vuelo": "LA2369",
    "Aeropuerto de origen": "MIA",
    "Aeropuerto de destino": "SCL",
    "ETA (hora local)": datetime(2026, 12, 15, 6, 45),  # noqa: DTZ001 - spreadsheets know no time zones
}

_METROPOLITANA = "Metropolitana de Santiago"

GUIDES = (
    ("AND2612150001", "Antonia Fuentes Rojas", "12.345.678-5", "Avenida Los Leones 1280, depto. 52", "Providencia",
     _METROPOLITANA, "+56 9 5550 0101", "antonia.fuentes@example.com", "Example Outlet Inc.",
     "1820 NW 79th Avenue", "Miami", "US", "Zapatillas deportivas",
     "640411", "VN", 1, "SCL-0412", 1.25, 59.9, 8.5, 1.2, "Sí", "59.123.456-0", "EO-88120411"),
    ("AND2612150002", "Comercial Cordillera SpA", "76.543.210-3", "Calle Prat 856, oficina 301", "Valparaíso",
     "Valparaíso", "+56 32 555 0102", "compras@example.com", "Example Parts LLC",
     "410 Canal Street", "New York", "US", "Repuestos de bicicleta",
     "87149990", "Taiwán", 2, "SCL-0412", 4.8, 189.5, 21, 3.8, "No", None, None),
    ("AND2612150003", "Benjamín Araya Muñoz", "15.872.436-7", "Pasaje Los Aromos 415", "Ñuñoa",
     _METROPOLITANA, "+56 9 5550 0103", "benjamin.araya@example.com", "Example Books Co.",
     "77 Mission Street", "San Francisco", "US", "Libros impresos",
     "490199", "US", 1, "SCL-0412", 2.1, 74.35, 9.9, None, "Sí", "59.123.456-0", "EB-70331905"),
    ("AND2612150004", "Catalina Ñancupil Vera", "18.204.959-K", "Camino Labranza km 4, parcela 12", "Temuco",
     "La Araucanía", "+56 9 5550 0104", "catalina.nancupil@example.com", "Example Outlet Inc.",
     "1820 NW 79th Avenue", "Miami", "US", "Chaqueta impermeable",
     "62019300", "CN", 1, "SCL-0412", 0.95, 120, 7.25, 2.4, "Sí", "59.123.456-0", "EO-88120977"),
    ("AND2612150005", "Diego Soto Barría", "9.876.543-3", "Calle Serrano 230", "Iquique",
     "Tarapacá", "+56 9 5550 0105", "diego.soto@example.com", "Example Electronics Ltd.",
     "900 Harbor Drive", "Los Angeles", "US", "Audífonos inalámbricos",
     "851830", "CN", 1, "SCL-0412", 0.35, 45.99, 6.4, 0.9, "Sí", "59.123.456-0", "EE-55104420"),
    ("AND2612150006", "Emilia Paredes Godoy", "20.315.468-2", "Avenida Pedro Montt 1902", "Concepción",
     "Biobío", "+56 9 5550 0106", "emilia.paredes@example.com", "Example Toys Inc.",
     "15 Market Street", "Boston", "US", "Juego de construcción",
     "95030090", "CN", 1, "SCL-0412", 1.8, 64.5, 11, None, "Sí", "59.123.456-0", "ET-31008872"),
    ("AND2612150007", "Óptica del Sur Limitada", "77.112.843-2", "Calle Urmeneta 581, local 4", "Puerto Montt",
     "Los Lagos", "+56 65 555 0107", "contacto@example.com", "Example Lenses GmbH",
     "Hafenstrasse 4", "Hamburgo", "Alemania", "Monturas de anteojos",
     "900311", "IT", 3, "SCL-0412", 2.75, 310, 26.5, 6.2, None, None, None),
    ("AND2612150008", "Francisca Olivares Pinto", "16.930.214-6", "Calle Balmaceda 1450, casa B", "La Serena",
     "Coquimbo", "+56 9 5550 0108", "francisca.olivares@example.com", "Example Beauty Corp.",
     "220 Ocean Drive", "Miami", "US", "Set de brochas",
     "960330", "CN", 1, "SCL-0412", 0.42, 28.75, 5.8, None, "Sí", "59.123.456-0", "EB-70332216"),
)  # fmt: skip

if __name__ == "__main__":
    PATH.parent.mkdir(parents=True, exist_ok=True)
    PATH.write_bytes(fill_template("CL", LABELS, GUIDES))
