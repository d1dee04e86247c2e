"""Plain text: scores from a model or none, and the choice of what stays."""
