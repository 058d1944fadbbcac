"""A package, since Pgx installs one of the same name, which would be taken for this folder."""
