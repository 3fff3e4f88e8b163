#!/bin/bash
# Packs what changed since the last release, and keeps the newest five packages.
set -euo pipefail

readonly root="${1:?usage: run.sh FOLDER [NAME]}"
readonly name="${2:-package}"
readonly packages="${root}/packages"
readonly keep=5

log() {
  printf '%s %s\n' "$(date +%H:%M:%S)" "$1" >&2
}

# The files that git knows, without those that are only for tests.
sources() {
  git -C "${root}" ls-files -z -- '*.sh' '*.py' \
    | grep --null-data --invert-match '^tests/'
}

pack() {
  local target="$1"
  local list
  list="$(mktemp)"
  sources >"${list}"
  if [[ ! -s "${list}" ]]; then
    log "there is nothing to pack in ${root}"
    return 1
  fi
  tar --create --gzip --null --directory "${root}" --files-from "${list}" --file "${target}"
  log "packed $(tr --complement --delete '\0' <"${list}" | wc --bytes) files into ${target}"
}

# Older packages go, by the time in their names.
prune() {
  local old
  local -a all=("${packages}/${name}"-*.tar.gz)
  if ((${#all[@]} <= keep)); then
    return 0
  fi
  for old in "${all[@]:0:${#all[@]}-keep}"; do
    log "removing ${old}"
    rm -- "${old}"
  done
}

mkdir -p "${packages}"
if pack "${packages}/${name}-$(date +%Y%m%d%H%M%S).tar.gz"; then
  prune
fi
log "done"
