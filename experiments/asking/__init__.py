"""What asking "may I go out?" is worth: a study, from training to its page."""
