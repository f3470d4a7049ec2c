package spectest

// Key is a text that two outcomes share exactly when they are the same, as far as they are known.
func (o Observed) Key() string { return o.key() }

// Alike tells whether specifications cannot tell two outcomes of the function apart: then neither is wrong where the other is right.
func (t *Target) Alike(a, b Observed) bool { return (&Suite{Target: t}).alike(a, b) }
