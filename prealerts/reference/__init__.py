"""The API's reference: an OpenAPI document built from what the rest of the house says of itself, and a page for it.

Nothing here takes part in answering the API's own requests: the document is built at its first request, once in a
process. `request_body.py` and `kinds.py` read the field tables of the JSON reader, `refusals.py` the table of answers,
`events.py` the builder of webhook bodies; `responses.py` describes what `shipments/v1/answers.py` writes, and tests
hold live answers against it.
"""
