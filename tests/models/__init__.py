"""Tests of the released saliency model and of its recipe."""
