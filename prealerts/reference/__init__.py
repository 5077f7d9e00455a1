"""The APIs' reference: OpenAPI documents made from the code of the other apps, and a page that shows one of them.

Nothing here takes part in answering requests of the APIs: a document is built when it is first asked for.
`operations.py` lists what may be asked, `refusals.py` what may be refused, `schemas.py` reads types, serializers and
field tables, `events.py` the types of webhook bodies. `examples.json` is recorded by the tests, which compare live
answers with the documents.
"""
