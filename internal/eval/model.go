package eval

import "github.com/specgate/specgate/internal/model"

// FromModel makes the World of the files that a model has read.
func FromModel(m *model.Model) *World {
	sources := make([]Source, 0, len(m.Files))
	for _, f := range m.Files {
		if f.Syntax == nil || f.Crate == nil {
			continue
		}
		sources = append(sources, Source{File: f.Syntax, Crate: f.Crate.Name, Module: f.Module})
	}
	return NewWorld(sources)
}
