package measure

// SetRemoveAll has directories be removed by something else, until restore is called.
func SetRemoveAll(f func(string) error) (restore func()) {
	old := removeAll
	removeAll = f
	return func() { removeAll = old }
}
