"""`GET /health/ready`: for the people who run it. Can this process reach its database within a second?"""

import threading

from django.db import DatabaseError, InterfaceError, connections
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

DATABASE_SECONDS = 1.0


@csrf_exempt  # there is no form: another method is a 405, not a lecture on tokens
@require_safe
def ready(_request: HttpRequest) -> HttpResponse:
    """200 or 503, with no word about why: the reason is in the log of whoever may read it."""
    return HttpResponse(status=200 if _database_answers() else 503)


def _database_answers() -> bool:
    """Ask in a thread of its own: no driver's timeout covers a look-up, a connect and a query together."""
    answers: list[bool] = []

    def ask() -> None:
        connection = connections.create_connection("default")
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
            answers.append(True)
        except (DatabaseError, InterfaceError):
            answers.append(False)
        finally:
            connection.close()

    thread = threading.Thread(target=ask, daemon=True, name="ready-probe")
    thread.start()
    thread.join(DATABASE_SECONDS)
    return answers == [True]
