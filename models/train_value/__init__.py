"""Recipe of what a sentence is worth."""
