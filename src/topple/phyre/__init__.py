"""PHYRE: its tiers, templates, tasks and folds."""
