"""The dispatcher: claims what waits, sends it, records what became of it. `loop.Dispatcher` is the whole of it."""
