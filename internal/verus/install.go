package verus

import (
	"errors"
	"fmt"
	"path/filepath"
)

// Platform is the name that releases of Verus give to a platform: x86-linux, arm64-macos, x86-macos or x86-win. The names are
// those of the assets that .github/workflows/release.yml of Verus makes. An error says that there is no release for it.
func Platform(goos, goarch string) (string, error) {
	switch goos + "/" + goarch {
	case "linux/amd64":
		return "x86-linux", nil
	case "darwin/arm64":
		return "arm64-macos", nil
	case "darwin/amd64":
		return "x86-macos", nil
	case "windows/amd64":
		return "x86-win", nil
	case "linux/arm64":
		return "", errors.New("there is no release of Verus for Linux on arm64; build Verus from its sources, and set SPECGATE_VERUS to its executable")
	}
	return "", fmt.Errorf("there is no release of Verus for %s on %s; there are releases for Linux, macOS and Windows on x86-64, and for macOS on arm64", goos, goarch)
}

// DataDir is the directory that specgate installs into when no other is named: specgate in XDG_DATA_HOME, or else in the
// directory for an application's data of the platform.
func DataDir(goos string, getenv func(string) string) (string, error) {
	// The XDG specification has relative paths ignored; a verifier found from the directory of a change would be a hole.
	if dir := getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "specgate"), nil
	}
	base, variable, below := getenv("HOME"), "HOME", filepath.Join(".local", "share")
	switch goos {
	case "darwin":
		below = filepath.Join("Library", "Application Support")
	case "windows":
		base, variable, below = getenv("LocalAppData"), "LocalAppData", ""
	}
	if !filepath.IsAbs(base) {
		return "", fmt.Errorf("there is no directory to install into: %s is not set to an absolute path; name a directory with --dir", variable)
	}
	return filepath.Join(base, below, "specgate"), nil
}

// InstallDir is the directory, below a directory for data, that a release for a platform is installed in.
func InstallDir(data, release, platform string) string {
	return filepath.Join(data, "verus-"+release+"-"+platform)
}

// SolverOf is the version of Z3 that a release of Verus wants; empty when that is not known. Verus has it in
// source/tools/common/consts.rs: 4.16.0 since 2026-07-30, and 4.12.5 before, as far back as 2025-06.
func SolverOf(release string) string {
	var major, year, month, day int
	if n, err := fmt.Sscanf(release, "%d.%d.%d.%d.", &major, &year, &month, &day); err != nil || n != 4 || major != 0 {
		return ""
	}
	switch date := (year*100+month)*100 + day; {
	case date < 20250601 || date == 20260730: // on that day it depends on the hour
		return ""
	case date < 20260730:
		return "4.12.5"
	case date < 20261001:
		return "4.16.0"
	}
	return ""
}
