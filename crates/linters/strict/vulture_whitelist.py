"""Names that are used without being named: vulture reads this file and finds them in it."""
