#!/usr/bin/env bash
# Plays the demo on machines that differ from ours: it works, or says in one line what to change.
#   .ci/fresh-machines.sh environment COMMAND...   those that differ in the environment alone: under a minute
#   .ci/fresh-machines.sh all COMMAND...           besides: other users, disks, networks and limits; as root or through sudo
# COMMAND runs the program, such as `packages/program/cli/bin/colophon.js` or `/opt/colophon/colophon`. Another user must be able
# to read it: outside the checkout it is called by an absolute path.
set -uo pipefail
readonly SET=${1:-}
shift
case $SET in
  environment | all) ;;
  *) echo 'usage: .ci/fresh-machines.sh environment|all COMMAND...' >&2 && exit 2 ;;
esac
[ $# -gt 0 ] || { echo 'no command is named' >&2 && exit 2; }
readonly PROGRAM=("$@")
# A number that no list of users has.
readonly NOBODYS_ID=54321
failed=0

scratch=$(mktemp -d)
chmod 755 "$scratch"
trap 'rm -rf "$scratch"' EXIT
mkdir -m 1777 "$scratch/tmp" "$scratch/ä ñ 文"
: >"$scratch/file"

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

judge() { # judge TITLE EXPECTED STATUS: EXPECTED is `works` or the code of the one line that says what to change
  local title=$1 expected=$2 status=$3 found
  if [ "$status" = 0 ]; then
    found=works
  else
    found=$(sed -nE '1s/^error ([a-z_]+\.[a-z0-9_]+): .*/\1/p' "$scratch/stderr")
    [ "$(wc -l <"$scratch/stderr")" = 1 ] || found="exit $status: $(tail -n 3 "$scratch/stderr" | tr '\n' ' ')"
  fi
  # A folder that stays behind is a failure whatever else happened.
  local left
  left=$(cat "$scratch/left" 2>/dev/null || find "$scratch" -name 'colophon-demo-*' -print -quit)
  rm -f "$scratch/left"
  if [ "$found" = "$expected" ] && [ -z "$left" ]; then
    echo "ok      $title: $found"
  else
    echo "FAILED  $title: expected $expected, found $found${left:+, and $left is left}"
    failed=1
  fi
}

with() { # with TITLE EXPECTED [NAME=VALUE | -u NAME]...: plays it in this environment
  local title=$1 expected=$2
  shift 2
  TMPDIR="$scratch/tmp" env "$@" "${PROGRAM[@]}" demo >"$scratch/stdout" 2>"$scratch/stderr"
  judge "$title" "$expected" $?
}

on() { # on TITLE EXPECTED PREPARE [WRAPPER...]: plays it in mount and network namespaces of its own, prepared by a shell line
  local title=$1 expected=$2 prepare=$3
  shift 3
  as_root unshare --mount --propagation private bash -c '
    scratch=$1
    shift
    eval "$1" >&2 || exit 125
    shift
    "$@"
    status=$?
    # A disk of this namespace is gone with it.
    find "$scratch" -name "colophon-demo-*" -print -quit >"$scratch/left"
    exit $status
  ' bash "$scratch" "$prepare" env "TMPDIR=$scratch/tmp" env "$@" "${PROGRAM[@]}" demo >"$scratch/stdout" 2>"$scratch/stderr"
  local status=$?
  if [ $status = 125 ]; then
    echo "UNTRIED $title: $(tail -n 1 "$scratch/stderr")"
    [ "${CI-}" != true ] || failed=1
    return
  fi
  judge "$title" "$expected" $status
}

(
  umask 077
  with 'umask 077, language C, easternmost time zone' works LC_ALL=C TZ=Pacific/Kiritimati
  exit $failed
) || failed=1
with 'Turkish letters, unknown time zone' works LC_ALL=tr_TR.UTF-8 TZ=Nowhere/Else
with 'unknown language, language of POSIX' works LC_ALL=xx_YY.UTF-8 LANG=POSIX
with 'HOME not set' works -u HOME
with 'HOME not there' works HOME=/nonexistent
with 'TMPDIR with a space and letters beyond ASCII' works "TMPDIR=$scratch/ä ñ 文"
with 'TMPDIR not there' scratch.folder_unusable "TMPDIR=$scratch/none"
with 'TMPDIR a file' scratch.folder_unusable "TMPDIR=$scratch/file"

if [ "$SET" = all ]; then
  loopback='ip link set lo up'
  on 'a user who is not root' works : setpriv --reuid=65534 --regid=65534 --clear-groups
  on 'a user whom the system does not know, without HOME' works : \
    -u HOME setpriv --reuid=$NOBODYS_ID --regid=$NOBODYS_ID --clear-groups
  on 'HOME read-only' works 'mkdir -p "$scratch/home" && mount -t tmpfs -o ro tmpfs "$scratch/home"' HOME="$scratch/home"
  on 'TMPDIR read-only' scratch.folder_unusable 'mount -t tmpfs -o ro tmpfs "$scratch/tmp"'
  on 'TMPDIR of 1 MB' scratch.folder_unusable 'mount -t tmpfs -o size=1m tmpfs "$scratch/tmp"'
  on 'TMPDIR of 10 MB' works 'mount -t tmpfs -o size=10m tmpfs "$scratch/tmp"'
  on 'no shared memory' works 'mount -t tmpfs -o ro,mode=000 tmpfs /dev/shm'
  on 'no network' works : unshare --net sh -c "$loopback"' && exec "$@"' sh
  on 'no IPv6 on loopback' works : \
    unshare --net sh -c "$loopback"' && ip -6 address flush dev lo && exec "$@"' sh
  on 'one processor' works : taskset --cpu-list 0
  on 'one processor and 1 GiB' works '
    group=$(ls -d /sys/fs/cgroup/memory 2>/dev/null || echo /sys/fs/cgroup)/colophon-fresh-$$
    mkdir "$group" && { echo 1G >"$group/memory.limit_in_bytes" || echo 1G >"$group/memory.max"; } 2>/dev/null &&
      echo $$ >"$group/cgroup.procs"
  ' taskset --cpu-list 0
  as_root find /sys/fs/cgroup -maxdepth 2 -name 'colophon-fresh-*' -exec rmdir {} + 2>/dev/null
fi
exit $failed
