package verus

import (
	"os"
	"os/user"
	"path/filepath"
)

// CargoHome is the absolute path of the directory in which cargo has the user's settings and what it downloaded; empty if there is no home
// directory to have it in. It need not exist.
func CargoHome() string { return toolHome("CARGO_HOME", ".cargo") }

// RustupHome is the same of rustup, with its settings and toolchains.
func RustupHome() string { return toolHome("RUSTUP_HOME", ".rustup") }

// toolHome finds a directory as cargo and rustup do: an empty variable is none, a relative path starts at the current directory, and without
// HOME the home directory is that of the account. With an empty HOME they take the current directory, which may be the change's: here that is no
// home.
func toolHome(variable, name string) string {
	dir := os.Getenv(variable)
	if dir == "" {
		home, set := os.LookupEnv("HOME")
		if account, err := user.Current(); !set && err == nil {
			home = account.HomeDir
		}
		if home == "" {
			return ""
		}
		dir = filepath.Join(home, name)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	return dir
}
