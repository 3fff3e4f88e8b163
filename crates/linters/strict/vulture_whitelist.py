# Names that vulture takes for unused although something uses them: a framework that calls them by name, say.
# One per line, as an expression: `handler` or `Model.field`.
