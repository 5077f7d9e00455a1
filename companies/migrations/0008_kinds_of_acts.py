"""Store the kind of each entry of the activity log in its `action_flag`; until now only its sentence said it.

The sentences are those that earlier versions wrote, in either language, up to their first parameter.
"""

from functools import reduce
from operator import or_

from django.db import migrations
from django.db.models import Q

OPENED, EXPORTED, MOVED, CORRECTED, UPLOADED, NOTED, SENT = range(11, 18)
ADDED_OR_CHANGED = (1, 2)
BATCH = 10_000

SENTENCES = {
    OPENED: (
        'Opened.', 'Abierta.',
        'Downloaded a file: ', 'Descargó un archivo: ',
        'Downloaded the annotated workbook', 'Descargó la planilla con los problemas marcados.',
        'Descargó la planilla con sus problemas marcados de una carga en vista previa.',
        'Downloaded: ', 'Descargó: ',
        'Previewed a manifest for ', 'Vista previa de un manifiesto de ',
        'Compared past workbooks with the draft of a format.',
        'Comparó planillas anteriores con el borrador de un formato.',
        'Looked at a past workbook with the draft of a format, row by row.',
        'Revisó fila por fila una planilla anterior con el borrador de un formato.',
        'Looked at the sample workbook of a format, row by row.',
        'Revisó fila por fila la planilla de ejemplo de un formato.',
        'Downloaded the annotated sample of a format.', 'Descargó con observaciones la planilla de ejemplo de un formato.',
        'Downloaded the reading of a sample workbook as CSV.', 'Descargó en CSV la lectura de una planilla de ejemplo.',
    ),
    EXPORTED: ('Exported as ', 'Exportación a '),
    MOVED: (
        'Event "', 'Evento "',
        'Took back ', 'Revirtió ',
        'Imported events: ', 'Eventos importados: ',
        'Lifted the retention.', 'Retención levantada.',
        'Voided.', 'Anulado.',
    ),
    CORRECTED: ('Corrected the consignee. ', 'Consignatario corregido. ', 'Marked as reviewed.', 'Marcada como revisada.'),
    UPLOADED: (
        'Entered for ', 'Ingresado por cuenta de ',
        'Attached an invoice: ', 'Factura adjuntada: ',
        'Replaced the invoice: ', 'Factura reemplazada: ',
        'Uploaded a sample workbook for a format.', 'Subió una planilla de ejemplo para un formato.',
    ),
    NOTED: ('Added a note.', 'Agregó una nota.', 'Taken.', 'Guía tomada.', 'Released.', 'Guía soltada.'),
    SENT: (
        'Replayed', 'Repetida.', 'Se repitieron ',
        'Resent: ', 'Reenviada: ',
        'A test event was sent.', 'Se envió un evento de prueba.',
    ),
}  # fmt: skip


def classify(apps, schema_editor):
    entries = apps.get_model('admin', 'LogEntry').objects.using(schema_editor.connection.alias)
    first, last = (entries.order_by(order).values_list('pk', flat=True).first() or 0 for order in ('pk', '-pk'))
    for start in range(first, last + 1, BATCH):
        part = entries.filter(pk__gte=start, pk__lt=start + BATCH, action_flag__in=ADDED_OR_CHANGED)
        for kind, beginnings in SENTENCES.items():
            part.filter(reduce(or_, (Q(change_message__startswith=each) for each in beginnings))).update(action_flag=kind)


class Migration(migrations.Migration):

    atomic = False  # in parts, while operators work

    dependencies = [
        ('companies', '0007_contact'),
        ('admin', '0003_logentry_add_action_flag_choices'),
    ]

    operations = [
        migrations.RunPython(classify, migrations.RunPython.noop),
    ]
