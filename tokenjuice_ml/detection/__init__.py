"""The parts of detection: samples of the text, hints as tables, structure by counting."""
