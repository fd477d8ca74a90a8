#!/usr/bin/env bash
# Brings the programs that the interop suites talk to: Debian's GnuPG, zip, zsh, fish, rpm, pip, runc, podman, iproute2,
# systemd, Go, PostgreSQL and Redis, and into .tools/bin what is built from source through the Go module proxy with its
# checksums, or from npm's registry by a lockfile, each at the version named here. Run again, it builds only what is
# missing or of another version. FULL_RUN=true brings what only a full run needs, too.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly BIN=$PWD/.tools/bin
readonly OLDEST_GO=1.26
readonly TOOLCHAIN=go1.27.0

# program, package, version, toolchain (`any`: the Go that is there), and where `go install` of a version does not do
# (it wants the list of all versions, which a proxy may refuse) the folder of a module that requires exactly that one;
# `own` is a program of ours, whose version is what its folder holds; with the toolchain `npm` it is a `main.js` there,
# bundled with the packages of its lockfile
readonly PROGRAMS='
crane      github.com/google/go-containerregistry/cmd/crane v0.22.1 any
cosign     github.com/sigstore/cosign/v3/cmd/cosign         v3.1.3  any
fulcio     github.com/sigstore/fulcio                       v1.8.8  any
rekor-cli  github.com/sigstore/rekor/cmd/rekor-cli          v1.5.5  go1.27.0
rekor-server github.com/sigstore/rekor/cmd/rekor-server     v1.5.5  go1.27.0
trillian_log_server github.com/google/trillian/cmd/trillian_log_server v1.8.0 any
trillian_log_signer github.com/google/trillian/cmd/trillian_log_signer v1.8.0 any
rekor-tiles github.com/sigstore/rekor-tiles/v2/cmd/rekor-server/posix v2.3.0 any .ci/rekor-tiles
timestamp-server github.com/sigstore/timestamp-authority/v2/cmd/timestamp-server v2.1.5 go1.27.0
gitsign    github.com/sigstore/gitsign                      v0.17.1 any .ci/gitsign
actionlint github.com/rhysd/actionlint/cmd/actionlint       v1.7.7  any
versitygw  github.com/versity/versitygw/cmd/versitygw       v1.7.0  any
gofakes3   github.com/johannesboyne/gofakes3/cmd/gofakes3   v1.1.0  any
osv-scanner github.com/google/osv-scanner/v2/cmd/osv-scanner v2.2.4 any
syft       github.com/anchore/syft/cmd/syft                 v1.54.0 any .ci/grype
grype      github.com/anchore/grype/cmd/grype               v0.120.0 any .ci/grype
grype-database .                                            own     any .ci/grype
govex      .                                                own     any .ci/govex
version-order .                                             own     any .ci/version-order
kube-apiserver k8s.io/kubernetes/cmd/kube-apiserver         v1.36.3 any .ci/kubernetes
kubectl    k8s.io/kubernetes/cmd/kubectl                    v1.36.3 any .ci/kubernetes
etcd       go.etcd.io/etcd/server/v3                        v3.6.8  any .ci/etcd
sigstore-js .                                               own     npm .ci/sigstore-js
'

# Only with FULL_RUN=true, because each takes minutes to build and a single suite wants it.
readonly FULL_RUN_PROGRAMS='
helm       helm.sh/helm/v4/cmd/helm                         v4.3.1  any
tester     github.com/sigstore/policy-controller/cmd/tester v0.15.1 any .ci/policy-controller
'

is_built() { # program, package@version
  [ -x "$BIN/$1" ] && [ "$(cat "$BIN/.$1.version" 2>/dev/null)" = "$2" ]
}

go_version() { GOTOOLCHAIN=local go env GOVERSION 2>/dev/null | sed -n 's/^go\([0-9.]*\).*/\1/p'; }

at_least() { # version, oldest
  [ -n "$1" ] && [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

apt_install() { # package...
  local root=''
  [ "$(id -u)" = 0 ] || root=sudo
  $root apt-get update -q
  $root env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "$@"
}

# The programs of a database server, and none that runs: the tests start their own.
bring_postgresql() {
  ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 && return
  local root=''
  [ "$(id -u)" = 0 ] || root=sudo
  $root mkdir -p /etc/postgresql-common
  echo 'create_main_cluster = false' | $root tee /etc/postgresql-common/createcluster.conf >/dev/null
  apt_install postgresql
}

# The tables that Trillian wants to find in PostgreSQL come with its source only.
bring_trillian_tables() {
  local stamp=$BIN/.trillian_log_server.version
  local tables=$BIN/trillian-postgresql.sql module
  if [ "$tables" -nt "$stamp" ]; then return; fi
  module=$(sed 's|/cmd/[^@]*@|@|' "$stamp")
  PATH=$PATH:/usr/local/go/bin go mod download "$module"
  install -m 644 "$(PATH=$PATH:/usr/local/go/bin go env GOMODCACHE)/$module/storage/postgresql/schema/storage.sql" "$tables"
}

# bundle FOLDER PROGRAM: one file that Node runs, with everything that the lockfile names
bundle() {
  local work
  work=$(mktemp -d)
  cp "$1"/* "$work"
  npm ci --prefix "$work" --ignore-scripts --no-audit --no-fund --loglevel=error
  node_modules/.bin/esbuild "$work/main.js" --bundle --platform=node --format=esm --log-level=warning --outfile="$2" \
    --banner:js='import { createRequire } from "node:module"; const require = createRequire(import.meta.url);'
  rm -r "$work"
}

# Leaves a `go` on PATH that builds the programs: the one that is there, or the toolchain that it downloads.
find_go() {
  PATH=$PATH:/usr/local/go/bin
  if ! command -v go >/dev/null; then
    apt_install golang-go ca-certificates
  fi
  local version
  version=$(go_version)
  if at_least "$version" "$OLDEST_GO"; then return; fi
  if at_least "$version" 1.21; then
    export GOTOOLCHAIN=$TOOLCHAIN
    return
  fi
  # A Go before 1.21 cannot switch by itself, but it can fetch the same toolchain as the module that it is.
  local module folder
  module=golang.org/toolchain@v0.0.1-$TOOLCHAIN.$(go env GOOS)-$(go env GOARCH)
  folder=$(cd "$(mktemp -d)" && go mod download -json "$module" | sed -n 's/^\t"Dir": "\(.*\)",\{0,1\}$/\1/p')
  chmod -R u+w,a+x "$folder/bin" "$folder/pkg/tool"
  PATH=$folder/bin:$PATH
}

command -v gpg >/dev/null || apt_install gnupg
command -v zip >/dev/null || apt_install zip
command -v zsh >/dev/null || apt_install zsh
command -v fish >/dev/null || apt_install fish
python3 -m pip --version >/dev/null 2>&1 || apt_install python3-pip
PATH=$PATH:/usr/local/go/bin command -v go >/dev/null || apt_install golang-go ca-certificates
command -v rpm >/dev/null || apt_install rpm
command -v runc >/dev/null || apt_install runc
command -v podman >/dev/null || apt_install podman
[ -x /usr/sbin/ip ] || apt_install iproute2
command -v systemd-analyze >/dev/null || apt_install systemd
# In Debian's redis-tools one file is the server too, by the name under which it is called; redis-server would start one.
[ -x /usr/bin/redis-check-rdb ] || apt_install redis-tools
bring_postgresql
mkdir -p "$BIN"
programs=$PROGRAMS
[ "${FULL_RUN:-}" != true ] || programs+=$FULL_RUN_PROGRAMS
has_go=
while read -r program package version toolchain module; do
  [ -n "$program" ] || continue
  if [ "$version" = own ]; then version=$(cat "$module"/* | sha256sum | cut -d' ' -f1); fi
  if ! is_built "$program" "$package@$version"; then
    echo "building $program $version"
    rm -f "$BIN/.$program.version"
    if [ "$toolchain" = npm ]; then
      bundle "$module" "$BIN/$program.js"
      printf '#!/bin/sh\nexec node "$(dirname "$0")/%s.js" "$@"\n' "$program" >"$BIN/$program"
      chmod +x "$BIN/$program"
      echo "$package@$version" >"$BIN/.$program.version"
      continue
    fi
    if [ -z "$has_go" ]; then
      find_go
      has_go=yes
    fi
    (
      # Where nobody states it, syft writes into its documents that it has no version.
      ldflags="-s -w -X main.version=${version#v}"
      if [ "$toolchain" != any ] && ! at_least "$(go_version)" "${toolchain#go}"; then export GOTOOLCHAIN=$toolchain; fi
      if [ -n "$module" ]; then
        cd "$module"
        [ "$package" = . ] || [ "$(go list -f '{{.Module.Version}}' "$package")" = "$version" ]
        go build -o "$BIN/$program" -ldflags="$ldflags" "$package" </dev/null
      else
        GOBIN=$BIN go install -ldflags="$ldflags" "$package@$version" </dev/null
      fi
    )
    echo "$package@$version" >"$BIN/.$program.version"
  fi
done <<<"$programs"
bring_trillian_tables

for stamp in "$BIN"/.*.version; do cat "$stamp"; done
