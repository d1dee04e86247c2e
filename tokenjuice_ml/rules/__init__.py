"""Rules: schema, layers, matching and the reduction they describe."""
