"""Recipe of the line scorer for logs."""
