"""Recipe that trains, calibrates and exports the bundled token-saliency model."""
