"""People and secrets that are like no other word anywhere: where one of them is found, it has leaked."""

from stdnum.cl import rut

from shipments.models import Guide
from tests.conftest import Caller
from tests.shipments.manifests import payloads

NAME, DESCRIPTION, SHIPPER, NOTE = "Zulmira Qxaverio", "Zbicycle Qred", "Zsender Qaunt", "Zleft Qneighbour"
RUT = f"23456789-{rut.calc_check_digit('23456789')}"
SPELLED = f"23.456.789-{RUT[-1]}"
HOST = "zulmira.qx.example"
EMAIL, PHONE, ADDRESS = "zulmira@qx.example", "+56977001122", "Zcalle Qlarga 77"
OPERATOR_PASSWORD, WEBHOOK_SECRET, WRONG_KEY = "Zopen-Qsesame-77", "Zwhsec-Qhook-77", "pa_live_ZwrongQkey77"
PEOPLE = (
    "Zulmira", "Qxaverio", "Zbicycle", "Zsender", "Zleft", "23456789", "23.456.789", "qx.example", "77001122", "Qlarga",
)  # fmt: skip
SECRETS = (OPERATOR_PASSWORD, WEBHOOK_SECRET, WRONG_KEY)
PERSON = {
    "consignee_name": NAME, "consignee_document": RUT, "consignee_address": ADDRESS, "consignee_city": NAME,
    "consignee_phone": PHONE, "consignee_email": EMAIL, "shipper_name": SHIPPER,
    "shipper_address": f"{SHIPPER} 12", "shipper_city": SHIPPER, "description_original": DESCRIPTION,
    "extra_data": {"note": NOTE},
}  # fmt: skip
ROW = {
    "Nombre destinatario": NAME, "RUT": SPELLED, "Dirección": ADDRESS, "Comuna": NAME, "Teléfono": PHONE,
    "Contenido": DESCRIPTION,
}  # fmt: skip


def one_guide(acme: Caller) -> Guide:
    assert acme.post_json(payloads.body(payloads.guide(**PERSON))).status_code == 201
    return Guide.objects.get()
