// Covers: a file of comments alone. Source: own.
