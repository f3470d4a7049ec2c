package trust

import (
	"fmt"
	"slices"
	"strings"

	"github.com/specgate/specgate/checks"
	"github.com/specgate/specgate/internal/model"
	"github.com/specgate/specgate/internal/pair"
)

// safetyWidened reports thread safety that is claimed of more types than before by an old unsafe impl, and that which comes by itself where an impl denied it.
func safetyWidened(p *checks.Pass) {
	for _, i := range p.Pairs.Items {
		if i.Base == nil || i.Base.Kind != model.ImplItem {
			continue
		}
		f := checks.AtItem(i)
		switch {
		case i.Head == nil && i.Base.Negative && isAutoTrait(i.Base.Trait) && !typeGone(p.Pairs, i.Base):
			f.Change = "negative impl removed"
			f.Message = fmt.Sprintf("%s is gone: the type is thread safe now where its fields are, which was denied.", i.Base.Path)
		case i.Head != nil && claims(i.Base) && claims(i.Head):
			var gone []string
			for _, t := range i.TermsRemoved {
				if t.Effect == model.Asks {
					gone = append(gone, t.Text)
				}
			}
			for _, t := range i.TermsAdded {
				if t.Effect == model.Waives {
					gone = append(gone, t.Text)
				}
			}
			if len(gone) == 0 {
				continue
			}
			f.Change = strings.Join(gone, "\n")
			f.Message = fmt.Sprintf("Thread safety is claimed of more types than before: %s does not depend on %s any more. Neither Rust nor the verifier checks it, and proofs about shared state rest on it.",
				i.Head.Path, shorten(strings.Join(gone, ", ")))
		default:
			continue
		}
		p.Report(f)
	}
}

func claims(it *model.Item) bool {
	return slices.ContainsFunc(it.Sites, func(s model.Site) bool { return s.Kind == model.UnsafeAutoTrait })
}

func isAutoTrait(trait string) bool {
	last := trait[strings.LastIndex(trait, ":")+1:]
	return last == "Send" || last == "Sync"
}

// typeGone tells that the type of an impl is gone with it.
func typeGone(pairs *pair.Pairs, impl *model.Item) bool {
	name, _, _ := strings.Cut(impl.Self, "<")
	return slices.ContainsFunc(pairs.Items, func(i *pair.Item) bool {
		return i.Base != nil && i.Head == nil && i.Base.Crate == impl.Crate && i.Base.Path == name
	})
}
