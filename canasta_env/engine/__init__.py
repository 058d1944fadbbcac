"""The compiled rules: the only place where a rule is decided."""
