"""Compress, cache, retrieve: originals kept under a token."""
