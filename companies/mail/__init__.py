"""Mails to operators: a row in the transaction of what causes it, sent by the worker. Off without `EMAIL_URL`."""
