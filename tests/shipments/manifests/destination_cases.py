"""What workbooks write for their destination, and the country it is: `?` where the upload has to be refused."""

from collections.abc import Sequence

from shipments.manifests.cells import Cell, Sheet
from tests.shipments.manifests.made_sheets import sheet
from tests.shipments.manifests.row_cases import ANA, BETO, ES, LABEL

DOMESTIC: Sequence[tuple[str, str]] = (
    ("SCL", "CL"), ("scl", "CL"), ("Santiago", "CL"), ("Santiago de Chile", "CL"), ("SANTIAGO CHILE", "CL"),
    ("SCL - Santiago de Chile", "CL"), ("SCL CHILE", "CL"), ("MIA-SCL", "CL"), ("MIA/SCL", "CL"), ("MIA - SCL", "CL"),
    ("MIA > SCL", "CL"), ("MIA → SCL", "CL"), ("Miami - Santiago", "CL"), ("Miami a Santiago", "CL"),
    ("Shenzhen to Santiago", "CL"), ("MIA-PTY-SCL", "CL"), ("SCL via PTY", "CL"), ("SCL vía Panamá", "CL"),
    ("SCL (via LIM)", "CL"), ("SCL con escala en LIM", "CL"), ("vía BOG a SCL", "CL"), ("LIM-SCL", "CL"),
    ("SCEL", "CL"), ("scel", "CL"), ("Arturo Merino Benítez", "CL"), ("Aeropuerto Arturo Merino Benitez", "CL"),
    ("Aeropuerto Internacional Comodoro Arturo Merino Benítez (SCL)", "CL"), ("Pudahuel", "CL"), ("圣地亚哥", "CL"),
    ("智利圣地亚哥", "CL"), ("圣地亚哥 (SCL)", "CL"), ("CL", "CL"), ("CHL", "CL"), ("Iquique", "CL"),
    ("LIM", "PE"), ("SPJC", "PE"), ("SPIM", "PE"), ("Jorge Chávez", "PE"), ("Lima - Jorge Chávez", "PE"),
    ("Aeropuerto Internacional Jorge Chávez, Callao", "PE"), ("利马", "PE"), ("SCL-LIM", "PE"), ("Lima Perú", "PE"),
    ("EZE", "AR"), ("SAEZ", "AR"), ("Ezeiza", "AR"), ("Ministro Pistarini", "AR"),
    ("Ezeiza / Ministro Pistarini", "AR"),
    ("Aeroparque Jorge Newbery", "AR"), ("El Palomar", "AR"), ("布宜诺斯艾利斯", "AR"), ("SABE", "AR"),
)  # fmt: skip

FOREIGN: Sequence[str] = (
    "GRU", "GRU - Guarulhos", "São Paulo", "SAO", "VCP Viracopos", "Rio de Janeiro", "Bogotá", "BOG", "BOG - El Dorado",
    "El Dorado", "Bogotá, Colombia", "Medellín", "MDE / Rionegro", "Quito", "UIO - Mariscal Sucre", "Guayaquil",
    "Montevideo", "MVD Carrasco", "Asunción", "ASU", "La Paz", "VVI Santa Cruz", "Ciudad de México", "CDMX", "MEX",
    "Panamá", "PTY Tocumen", "Miami, FL", "Miami International Airport", "Madrid Barajas", "Caracas", "SKBO", "SBGR",
    "SCL-GRU", "Santiago - Bogotá", "Santiago de Cuba", "Santiago de los Caballeros", "Santiago de Compostela",
    "Lima, Ohio", "波哥大", "SCL / LIM", "SCL, LIM y EZE", "por confirmar", "TBD", "ver detalle",
)  # fmt: skip
"""Not Chile, whatever else: none of these is ever taken."""

LABELS: Sequence[str] = (
    "Destino", "DESTINO:", "Destino final", "Puerto de descarga", "Puerto de destino", "Aeropuerto de destino",
    "Aeropuerto de llegada", "Aeropuerto de arribo", "País de destino", "Lugar de descarga", "Port of discharge",
    "Port of unloading", "Airport of discharge", "Airport of destination", "Place of delivery", "Discharge port",
    "Final destination", "Arrival airport", "Aeroporto de destino", "Porto de descarga", "目的港", "目的地", "卸货港",
    "PORT OF UNLADING", "目的地机场", "落地",
)  # fmt: skip


def beside(value: Cell, label: str = "Destino") -> Sheet:
    """A manifest with the destination beside its label."""
    return sheet((*LABEL, None, label, value), ES, ANA, BETO)


def below(value: Cell) -> Sheet:
    """The destination below its label, in a small table of others."""
    return sheet(LABEL, ("ORIGEN", "DESTINO", "PESO TOTAL"), ("MIA", value, 4), (), ES, ANA, BETO)


def inside(value: str) -> Sheet:
    """Label and destination in one cell."""
    return sheet(LABEL, (f"Destino: {value}",), ES, ANA, BETO)


def in_column(value: Cell) -> Sheet:
    """A column that repeats the destination on every guide."""
    return sheet(LABEL, (*ES, "Destino"), (*ANA, value), (*BETO, value))
