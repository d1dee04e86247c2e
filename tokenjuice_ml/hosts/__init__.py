"""Adapters for agent hosts."""
