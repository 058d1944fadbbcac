"""The game in words, for people, language models and programs in other languages."""
