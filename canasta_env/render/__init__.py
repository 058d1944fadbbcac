"""Pictures of the table, made from a view: none shows what its seat may not know."""
