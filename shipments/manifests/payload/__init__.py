"""The canonical JSON document: one pre-alert for one of the served countries. Nothing here depends on a company.

The caller calls these in order, with its own checks (rights, tracking prefix) in between: `body.client_code`,
`body.destination`, `body.read_manifest`, `guides.marketplace_problems`.
"""
