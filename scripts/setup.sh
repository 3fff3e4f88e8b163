# For scripts/test and scripts/fuzz, which source it: where things are kept, and the tools that a fresh machine lacks.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)

# Everything that is installed or built lies here, so that the next clean clone finds it.
if [[ -n ${XDG_CACHE_HOME:-} ]]; then
    cache=$XDG_CACHE_HOME/plimsoll
elif [[ -n ${HOME:-} ]]; then
    cache=$HOME/.cache/plimsoll
else
    cache=${TMPDIR:-/tmp}/plimsoll-cache-$(id -u)
fi
mkdir -p "$cache"
cache=$(cd "$cache" && pwd -P)
tools=$cache/tools

# rustup's usual place, for shells that have not read its file. What is on PATH already wins over what lies in the cache.
PATH=$PATH:${CARGO_HOME:-${HOME:-}/.cargo}/bin:$tools/bin
export PATH

# These silently replace the flags of .cargo/config.toml: the executable would be a slow dynamic one, or land elsewhere.
unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_RUSTFLAGS CARGO_BUILD_TARGET
# Set inside git's own hooks, where they point every `git` of the tests at this repository.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX

say() { printf '==> %s\n' "$*"; }
die() {
    printf 'error: %s\n' "$*" >&2
    exit 2
}

# need PROGRAM HINT: without it nothing works.
need() { command -v "$1" >/dev/null 2>&1 || die "$1 is missing: $2"; }

# cargo_tool NAME VERSION: the cargo command NAME, from PATH or the cache. Only an installed one has no particular version.
cargo_tool() {
    command -v "cargo-$1" >/dev/null 2>&1 && return
    say "installing cargo-$1 $2 into $tools, once"
    # Not in the repository, whose .cargo/config.toml is for our own executable, and not into the shared target folder.
    (cd "$cache" && env -u CARGO_TARGET_DIR cargo install --quiet --locked "cargo-$1" --version "$2" --root "$tools")
}

# take_turns: two runs at once would build over each other, and time each other's tests. The lock ends with this process;
# what it starts must not inherit it (`9>&-`), or a program left behind by a test would hold it.
take_turns() {
    [[ -z ${PLIMSOLL_HAS_TURN:-} ]] || return 0
    export PLIMSOLL_HAS_TURN=1
    exec 9>"$cache/lock"
    command -v flock >/dev/null 2>&1 || return 0
    flock --nonblock 9 && return
    say "another run is at work; waiting for it"
    flock 9
}

# shared_target: build output in the cache. Cargo names a workspace's own crates by their place in the workspace and compares
# only times: in a target folder that two clones share, an older clone would be given what the newer one was compiled to.
# So our own crates, not their dependencies, are forgotten when another clone was here last.
shared_target() {
    export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$cache/target}
    mkdir -p "$CARGO_TARGET_DIR"
    CARGO_TARGET_DIR=$(cd "$CARGO_TARGET_DIR" && pwd -P)
    local mark=$CARGO_TARGET_DIR/.clone here
    # The folder's number too: a clone may be removed and made again in its place. `stat` differs between systems.
    # shellcheck disable=SC2012
    here="$root $(ls -di "$root" | awk '{ print $1 }')"
    [[ -e $mark && $(<"$mark") == "$here" ]] && return
    if [[ -e $mark ]]; then
        say "another clone was built here last; compiling our own crates again"
        local manifest
        for manifest in "$root/Cargo.toml" "$root/fuzz/Cargo.toml"; do
            forget "$manifest"
        done
    fi
    printf '%s\n' "$here" >"$mark"
    stand_ins
}

# Crates that take another's place by `[patch]`. Engines are built on them, and take minutes.
STAND_INS=(inventory tikv-jemallocator)

# stand_ins: cargo takes a clone's files for changed because they are new, and would compile all that is built on these crates again.
# So they get an old date, and are forgotten when what is in them differs from what was compiled last.
stand_ins() {
    local mark=$CARGO_TARGET_DIR/.stand-ins name now
    now=$(cd "$root/crates" && find "${STAND_INS[@]}" -type f | LC_ALL=C sort | while read -r name; do git hash-object "$name"; done)
    if [[ ! -e $mark || $(<"$mark") != "$now" ]]; then
        local packages=() profile
        for name in "${STAND_INS[@]}"; do packages+=(--package "$name"); done
        for profile in dev release; do
            cargo clean --quiet --manifest-path "$root/Cargo.toml" --profile "$profile" "${packages[@]}"
        done
        printf '%s\n' "$now" >"$mark"
    fi
    (cd "$root/crates" && find "${STAND_INS[@]}" -exec touch -d 2026-01-01 {} +)
}

# forget MANIFEST: throws away what its own crates were compiled to.
forget() {
    local packages=() name profile
    while read -r name; do
        [[ " ${STAND_INS[*]} " == *" $name "* ]] || packages+=(--package "$name")
    done < <(cargo metadata --no-deps --format-version 1 --manifest-path "$1" |
        python3 -c 'import json, sys; print("\n".join(p["name"] for p in json.load(sys.stdin)["packages"]))')
    # Without a package `cargo clean` would remove everything.
    [[ ${#packages[@]} -gt 0 ]] || die "cargo metadata does not list the crates of $1"
    for profile in dev release; do
        cargo clean --quiet --manifest-path "$1" --profile "$profile" "${packages[@]}"
    done
}

# fuzz_lock: the fuzz workspace gets the root's versions, so that no dependency is compiled twice. What only fuzzing needs
# stays as it is locked there. Cargo drops what is too much the next time it builds.
fuzz_lock() {
    python3 - "$root/Cargo.lock" "$root/fuzz/Cargo.lock" <<'PYTHON'
import pathlib, re, sys

def read(path):
    head, *packages = re.split(r"(?m)^(?=\[\[package\]\]$)", path.read_text())
    return head, {re.search('name = "(.*)"', text)[1]: text for text in packages}, packages

root, fuzz = map(pathlib.Path, sys.argv[1:])
head, names, packages = read(root)
if fuzz.exists():
    packages += [text for name, text in read(fuzz)[1].items() if name not in names]
fuzz.write_text(head + "\n\n".join(text.rstrip("\n") for text in packages) + "\n")
PYTHON
}
