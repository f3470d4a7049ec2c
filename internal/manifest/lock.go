package manifest

import (
	"fmt"

	"github.com/specgate/specgate/internal/source"
)

// LockedPackage is a package of a Cargo.lock.
type LockedPackage struct {
	Name, Version string
	// Source is the registry or repository that it comes from; empty for a package that is found by its path.
	Source string
	// Checksum is that of a package of a registry; empty for all others.
	Checksum string
}

// ParseLock reads a Cargo.lock of a version that keeps checksums with the packages, as all since 2020 do. Errors are as of ParseCargo.
func ParseLock(src *source.File) ([]LockedPackage, error) {
	d, err := decode(src)
	if err != nil {
		return nil, err
	}
	root := d.table()
	if root.has("metadata") {
		return nil, fmt.Errorf("%s: a lock of version 1, which keeps checksums elsewhere", src.Path)
	}
	var out []LockedPackage
	for _, t := range root.tables("package") {
		out = append(out, LockedPackage{Name: t.str("name"), Version: t.str("version"), Source: t.str("source"), Checksum: t.str("checksum")})
	}
	return out, d.err()
}
