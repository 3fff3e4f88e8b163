# Shared by the scripts beside it: the options, the version, and a scratch folder.
#
# shellcheck shell=bash
# shellcheck disable=SC2034 # what is set here is read by them

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$root/Cargo.toml")
summary="Answers every hook of a coding agent: stops what would do harm, keeps the rules out of its reach, asks when in doubt"

die() {
    printf 'error: %s\n' "$*" >&2
    exit 2
}

# take_options "$@": sets bin, target, to and repository.
take_options() {
    bin='' target='' to=$root/dist repository=''
    while [[ $# -gt 0 ]]; do
        case $1 in
            --bin) bin=${2:?--bin needs a file} ;;
            --target) target=${2:?--target needs a triple} ;;
            --to) to=${2:?--to needs a folder} ;;
            --repository) repository=${2:?--repository needs an address} ;;
            -h | --help)
                sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d'
                exit 0
                ;;
            *) die "there is no option $1; see $0 --help" ;;
        esac
        shift 2
    done
    [[ -n $target ]] || target=$(rustc -vV | sed -n 's/^host: //p')
    mkdir -p "$to"
    to=$(cd "$to" && pwd -P)
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
}

# need_program: --bin must name one, or the release executable is built.
need_program() {
    if [[ -z $bin ]]; then
        (cd "$root" && cargo build --release --locked --package plimsoll --target "$target") >&2
        bin=${CARGO_TARGET_DIR:-$root/target}/$target/release/plimsoll
        [[ $target != *windows* ]] || bin+=.exe
    fi
    [[ -f $bin ]] || die "there is no program at $bin"
    program=plimsoll
    [[ $target != *windows* ]] || program=plimsoll.exe
}

sum_of() {
    if command -v sha256sum >/dev/null 2>&1; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d' ' -f1
}

# done_with FILE: its checksum beside it, and its path on stdout.
done_with() {
    (cd "$to" && printf '%s  %s\n' "$(sum_of "$1")" "$(basename "$1")" >"$(basename "$1").sha256")
    echo "$1"
}
