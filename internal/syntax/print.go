package syntax

// Print writes the file back from its tree: the same bytes as were read. It goes through the nodes and their tokens, so that a
// tree that lost or reordered anything does not print what was read.
func Print(f *File) []byte {
	out := make([]byte, 0, len(f.Source.Text))
	at := uint32(0) // end of what is written
	tok := func(i int32) {
		if t := f.toks[i]; t.kind != hole {
			out = append(out, f.Source.Text[at:t.end]...)
			at = t.end
		}
	}
	// A stack of the node to go on with and the token that comes next in its parent.
	type open struct{ child, next, end int32 }
	root := f.Root().raw()
	stack := []open{{root.child, root.first, root.end}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.child == 0 {
			for ; top.next < top.end; top.next++ {
				tok(top.next)
			}
			stack = stack[:len(stack)-1]
			continue
		}
		c := f.nodes[top.child]
		for ; top.next < c.first; top.next++ {
			tok(top.next)
		}
		top.next, top.child = c.end, c.next
		stack = append(stack, open{c.child, c.first, c.end})
	}
	return append(out, f.Source.Text[at:]...)
}
