"""The guides for clients, served under `/docs/`: the Markdown files of `docs/`, rendered, and the sample files.

No part of answering the API's own requests. Like the reference, `API_DOCS` switches them off.
"""
