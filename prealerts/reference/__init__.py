"""The API's reference: an OpenAPI document built from the code of the other apps, and a page that shows it.

Nothing here takes part in answering the API's own requests: the document is built at its first request, once in a
process. `operations.py` describes the views themselves with `describe`, which reads the table of answers, and
`shapes.py` reads the types of their answers. `request_body.py` reads the field tables of the JSON reader, `events.py`
the types of webhook bodies. `examples.json` is recorded by the tests, which compare live answers with the
document.
"""
