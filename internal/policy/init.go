package policy

// Init is the text of a new policy file: every key with its default, and
// examples, commented out, of what has none.
func Init() []byte { return []byte(initText) }

const initText = `# The policy of specgate for this repository. A pull request is judged by the
# policy of the revision that it is based on. Every key may be left out but
# version; what is set below is the default.
version = 1

[verus]
# release = "0.2026.09.27.3cf1832"    # the release to install; unset: any
# sha256.x86-linux = "43814031e10df043221d83c7fa842e3ebd662cb7b0090fc1eb4d7a8673226978" # of its zip
manifest = "Cargo.toml"               # cargo verus; or, for files without Cargo:
# roots = ["src/lib.rs"]
args = []                             # passed on to the verifier, such as "--rlimit", "20"
timeout = "20m"                       # of one run of the verifier
seeds = 2                             # of the solver, to try failed proofs with again
read = []                             # absolute paths outside that an isolated run may read

[gate]
fail-on = "error"                     # error | warning | notice | never
inconclusive = "fail"                 # what could not be checked: fail | warn | ignore
min-suite = 8                         # fewer decided spectests are inconclusive
sandbox = "prefer"                    # run the change isolated as far as can be: prefer | require | off

[report]
comments = "off"                      # off | sticky | review
annotations-per-function = 4

[scope]
include = []                          # globs; none: every file
exclude = []                          # globs; a file left out here can still be part of the crate
executable-edits = "warn"             # allow | warn | deny
allow-executable-edits-label = "implementation"

[strength]
min = 0.8                             # of each changed function, 0 to 1
max-drop = 0.0                        # against the base, 0 to 1
inputs = 32
mutants = 60
seed = 0
cases = []                            # globs of files with cases that join the suites
count-domain = false                  # count what the precondition excludes as allowed

[cache]
write-head = false                    # keep the verifier's answers about the head too
max-mib = 1024                        # the most that is kept

[rules]                               # off | notice | warning | error
# "trust/assume" = "error"
# "contract/*" = "warning"

# [paths."src/trusted/**".rules]      # the same for some files; the last that matches wins
# "trust/external-body" = "notice"

# [waivers.ring-buffer-ffi]
# rule = "trust/external-body"
# symbol = "ffi::map_pages" # without the crate's name
# file = "crates/ring/**"             # may be left out where one crate has the symbol
# reason = "wraps a system call; reviewed in the safety case, section 4"
# owner = "@kernel-team"
# expires = 2027-06-30                # the last day on which it applies
`
