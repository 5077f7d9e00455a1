"""Rate limits: one bucket of tokens a company, which every request with its password draws on."""
