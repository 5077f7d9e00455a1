"""What Prometheus reads. The instruments stand where the facts happen; here is what gathers and shows them."""
