"""The saliency sidecar: one process that holds a model and scores words. Never imported by the core."""
