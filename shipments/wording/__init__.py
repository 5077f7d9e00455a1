"""The messages of findings, from one catalogue, in the language of the client or operator."""
