"""The study of the gap between self-play and cross-play: docs/studies/gap.md."""
