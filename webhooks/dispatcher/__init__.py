"""The dispatcher claims waiting deliveries, sends them, and records the outcomes. Start at `loop.Dispatcher`."""
