"""The pages by which operators teach the service a client's workbook: from a sample to a published format."""
