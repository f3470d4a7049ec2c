package mutate

// Operators are all of them, in the order of their declaration.
func Operators() []Operator {
	all := make([]Operator, 0, operatorCount-1)
	for o := Arithmetic; o < operatorCount; o++ {
		all = append(all, o)
	}
	return all
}
