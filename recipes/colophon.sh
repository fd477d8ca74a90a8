#!/bin/sh
# Colophon in a job of a CI platform, in POSIX shell.
#   colophon.sh COMMAND...   install, sign, attest, check, admit, sbom; several run in order, until one fails
# Inputs are environment variables, COLOPHON_INPUT_<NAME>; a list has one entry a line. docs/ci-recipes.md explains them.
# No value becomes a part of a script: each is one argument, of the form --flag=value or after `--`.
# Ends with the exit code of the program; 1 for a wrong input, 3 for a failed download, 12 for a wrong digest or version.
set -eu

readonly VALUES='AGENT_NAME AGENT_VERSION ALLOW_LICENCES CERTIFICATE_GITHUB_WORKFLOW_REPOSITORY
  CERTIFICATE_GITHUB_WORKFLOW_SHA CERTIFICATE_IDENTITY CERTIFICATE_IDENTITY_REGEXP CERTIFICATE_OIDC_ISSUER
  CERTIFICATE_OIDC_ISSUER_REGEXP COMPONENT_NAME COMPONENT_VERSION CONTEXT DENY_LICENCES FAIL_ON GENERATOR
  HUMAN_REVIEWER ISSUER MODEL_ID MODEL_PROVIDER POLICY_PACK_HASH PREDICATE PROMPT PROMPT_HASH PUBLISH_TO REPO
  REVIEW_TIMESTAMP COMMIT_SHA SARIF SBOM SBOM_TARGET SHA256 SIGNING_CONFIG SOURCE SUPPLIER_NAME SUPPLIER_URL
  TRUSTED_ROOT TYPE VERSION'
readonly LISTS='FILES IMAGES POLICY POLICY_PACK'
readonly RUN='CONTEXT AGENT_NAME AGENT_VERSION MODEL_ID MODEL_PROVIDER PROMPT PROMPT_HASH POLICY_PACK_HASH
  HUMAN_REVIEWER REVIEW_TIMESTAMP REPO COMMIT_SHA'
readonly SIGNER='CERTIFICATE_IDENTITY CERTIFICATE_IDENTITY_REGEXP CERTIFICATE_OIDC_ISSUER
  CERTIFICATE_OIDC_ISSUER_REGEXP CERTIFICATE_GITHUB_WORKFLOW_REPOSITORY CERTIFICATE_GITHUB_WORKFLOW_SHA'
readonly NEWLINE='
'

bundles='' digests='' sbom='' installed='' verdict=failed code=0
scratch=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/colophon-XXXXXX")

# get NAME: leaves the input in `value`, without the newlines that YAML leaves at its end. NAME is written in this script.
get() {
  eval "value=\${COLOPHON_INPUT_$1-}"
  while [ "$value" != "${value%"$NEWLINE"}" ]; do value=${value%"$NEWLINE"}; done
}

flag_of() { printf %s "$1" | tr A-Z_ a-z-; }

refuse() { # refuse CODE TEXT: the text names inputs, never their values
  printf 'colophon recipe: %s\n' "$2" >&2
  exit "$1"
}

one_line() { # one_line TEXT: printable, and short enough for a message of the platform
  printf %s "$1" | LC_ALL=C tr -d '\000-\037\177' | sed 's/%/%25/g' | cut -c 1-500
}

check_inputs() {
  everything=''
  for name in $VALUES $LISTS; do
    get "$name"
    everything=$everything$value
    [ "$value" != - ] || refuse 1 "input $(flag_of "$name"): a job has no standard input to read"
    case " $LISTS " in
      *" $name "*) ;;
      *) case $value in *"$NEWLINE"*) refuse 1 "input $(flag_of "$name"): is more than one line" ;; esac ;;
    esac
  done
  if printf %s "$everything" | LC_ALL=C tr -d '\n' | LC_ALL=C grep -q '[[:cntrl:]]'; then
    refuse 1 'inputs: one has control characters'
  fi
}

sha256() { # sha256 FILE
  sum=$(sha256sum <"$1")
  printf '%s\n' "${sum%% *}"
}

random_word() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }

# run PROGRAM ARGUMENT...: runs it, shows what it says, and leaves its exit code in `code`. What it says may quote
# strangers: on GitHub no line of it is taken for a command of the platform, in Markdown none for anything but text.
run() {
  code=0
  "$@" >"$scratch/said" 2>&1 </dev/null || code=$?
  if [ "${GITHUB_ACTIONS-}" = true ]; then
    word=$(random_word)
    printf '::stop-commands::%s\n' "$word"
    cat "$scratch/said"
    printf '\n::%s::\n' "$word"
  else
    cat "$scratch/said"
  fi
  LC_ALL=C tr -d '\000-\010\013-\037' <"$scratch/said" | head -n 200 | sed 's/^/    /' >>"$scratch/summary"
}

# judge SUBJECT PROGRAM ARGUMENT...: runs it; a failure is marked on the platform.
judge() {
  subject=$1
  shift
  run "$@"
  if [ "$code" -ne 0 ] && [ "${GITHUB_ACTIONS-}" = true ]; then
    printf '::error title=Colophon %s::exit code %s: %s\n' "$command" "$code" "$(one_line "$subject")"
  fi
}

fetch() { # fetch SOURCE TARGET
  case $1 in
    http://* | https://*)
      if command -v curl >/dev/null; then
        curl --silent --show-error --fail --location --proto '=http,https' --retry 3 --connect-timeout 20 \
          --max-time 600 --output "$2" -- "$1" || refuse 3 'input source: cannot be downloaded'
      elif command -v wget >/dev/null; then
        wget -q -O "$2" "$1" || refuse 3 'input source: cannot be downloaded'
      else
        refuse 1 'input source: neither curl nor wget is installed; download it before, and give its path'
      fi
      ;;
    *) cp -- "$1" "$2" || refuse 3 'input source: cannot be read' ;;
  esac
}

# Nothing of what is fetched is unpacked or run before its digest was compared.
do_install() {
  get SOURCE
  source=$value
  get VERSION
  version=$value
  get SHA256
  wanted=$(printf %s "$value" | tr A-F a-f)
  if [ -z "$source" ] || [ -z "$version" ]; then refuse 1 'install needs the inputs source, version and sha256'; fi
  printf %s "$wanted" | grep -Eqx '[0-9a-f]{64}' || refuse 1 'input sha256: is not 64 hexadecimal digits'
  installed=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/colophon-XXXXXX")
  mkdir "$installed/bin"
  fetch "$source" "$installed/fetched"
  found=$(sha256 "$installed/fetched")
  [ "$found" = "$wanted" ] || refuse 12 "wrong digest: expected $wanted, found $found"
  if [ "$(od -An -N2 -tx1 "$installed/fetched" | tr -d ' ')" = 1f8b ]; then
    command -v node >/dev/null || refuse 1 'the npm package needs Node.js 24.15 or newer'
    tar -xzf "$installed/fetched" -C "$installed"
    rm "$installed/fetched"
    chmod +x "$installed/package/bin/colophon.cjs"
    ln -s ../package/bin/colophon.cjs "$installed/bin/colophon"
  else
    mv "$installed/fetched" "$installed/bin/colophon"
    chmod +x "$installed/bin/colophon"
  fi
  PATH=$installed/bin:$PATH
  found=$("$installed/bin/colophon" --version </dev/null) || refuse $? 'the installed program does not start'
  [ "$found" = "$version" ] || refuse 12 'wrong version: the digest is not that of the version in the input'
  [ -z "${GITHUB_PATH-}" ] || printf '%s\n' "$installed/bin" >>"$GITHUB_PATH"
  echo "installed colophon $version, sha256:$wanted" | tee "$scratch/said"
  sed 's/^/    /' "$scratch/said" >>"$scratch/summary"
  digests=sha256:$wanted some=1
}

# Leaves in `bundle` where the program puts an attestation of the file in `item`:
# FILE.<the type's last word that is no version>.sigstore.json.
name_bundle() { # name_bundle TYPE
  bundle=$item.$(printf '%s\n' "$1" | sed -E 's,(/v[0-9][^/]*)*$,,; s,.*/,,').sigstore.json
}

# The next three run PROGRAM ARGUMENT..., with what the inputs add, over `item`.
with_run() {
  for name in $RUN; do
    get "$name"
    [ -z "$value" ] || set -- "$@" "--$(flag_of "$name")=$value"
  done
  get POLICY_PACK
  while IFS= read -r line; do
    [ -z "$line" ] || set -- "$@" "--policy-pack=$line"
  done <<FILES
$value
FILES
  over_item "$@"
}

with_signer() {
  for name in $SIGNER; do
    get "$name"
    [ -z "$value" ] || set -- "$@" "--$(flag_of "$name")=$value"
  done
  over_item "$@"
}

over_item() { judge "$item" "$@" -- "$item"; }

each_file() { # each_file FUNCTION: calls it for every file, which is in `item`
  get FILES
  while IFS= read -r item; do
    [ -n "$item" ] || continue
    some=1
    "$1"
    [ "$code" -ne 0 ] || digests="$digests${digests:+$NEWLINE}sha256:$(sha256 "$item")"
    [ "$code" -eq 0 ] || [ "$result" -ne 0 ] || result=$code
  done <<FILES
$value
FILES
}

each_image() { # each_image FUNCTION: calls it for every image, which is in `item`
  get IMAGES
  while IFS= read -r item; do
    [ -n "$item" ] || continue
    some=1
    # A tag may be moved between this job and the use of its result; a digest may not.
    printf %s "$item" | grep -Eq '@sha256:[0-9a-f]{64}$' || refuse 1 'input images: an image is not named by its digest'
    "$1"
    [ "$code" -ne 0 ] || digests="$digests${digests:+$NEWLINE}sha256:${item##*@sha256:}"
    [ "$code" -eq 0 ] || [ "$result" -ne 0 ] || result=$code
  done <<IMAGES
$value
IMAGES
}

add_bundle() { [ "$code" -ne 0 ] || bundles="$bundles${bundles:+$NEWLINE}$1"; }

sign_file() {
  with_run colophon sign-blob
  add_bundle "$item.sigstore.json"
}
sign_image() { with_run colophon sign; }

attest_file() {
  get TYPE
  name_bundle "${value:-agent-run}"
  with_predicate attest-blob "--bundle=$bundle"
  add_bundle "$bundle"
}
attest_image() { with_predicate attest; }
with_predicate() {
  get TYPE
  set -- "$@" "--type=${value:-agent-run}"
  get PREDICATE
  [ -z "$value" ] || set -- "$@" "--predicate=$value"
  with_run colophon "$@"
}

check_file() {
  get TYPE
  if [ -z "$value" ]; then
    with_signer colophon verify-blob
  else
    name_bundle "$value"
    # Without a bundle the program says so, with the exit code for a missing signature.
    if [ -f "$bundle" ]; then set -- "--bundle=$bundle"; else set --; fi
    with_signer colophon verify-blob-attestation --affirmative "--type=$value" "$@"
  fi
}
check_image() {
  get TYPE
  if is_review "$value"; then refuse 1 'input type: what reviews of an image decide, the command admit asks'; fi
  if [ -z "$value" ]; then
    with_signer colophon verify
  else
    with_signer colophon verify-attestation --affirmative "--type=$value"
  fi
}
is_review() {
  case $1 in agent-review | */agent-review/v*) return 0 ;; *) return 1 ;; esac
}

admit_image() {
  set -- colophon admit
  get POLICY
  while IFS= read -r line; do
    [ -z "$line" ] || set -- "$@" "--policy=$line"
  done <<POLICIES
$value
POLICIES
  over_item "$@"
}

# Makes the document where a target is given, then validates it, compares its licences, and publishes it.
do_sbom() {
  get SBOM
  sbom=$value item=$value some=1 code=0
  [ -n "$sbom" ] || refuse 1 'sbom needs the input sbom: the file of the document'
  create_sbom
  [ "$code" -ne 0 ] || validate_sbom
  [ "$code" -ne 0 ] || compare_licences
  [ "$code" -ne 0 ] || publish_sbom
  [ "$code" -ne 0 ] || digests=sha256:$(sha256 "$sbom")
  result=$code
}

create_sbom() {
  get SBOM_TARGET
  target=$value
  [ -n "$target" ] || return 0
  set -- colophon sbom create "--out=$sbom"
  for name in COMPONENT_NAME COMPONENT_VERSION GENERATOR SUPPLIER_NAME SUPPLIER_URL; do
    get "$name"
    [ -z "$value" ] || set -- "$@" "--$(flag_of "$name")=$value"
  done
  judge "$target" "$@" -- "$target"
}

validate_sbom() {
  set -- colophon sbom validate
  get FAIL_ON
  [ -z "$value" ] || set -- "$@" "--fail-on=$value"
  get SARIF
  # The same result once more, as a code scanner's page takes it.
  if [ -n "$value" ]; then
    true >"$value" || refuse 1 'input sarif: cannot be written'
    "$@" --output=sarif -- "$sbom" </dev/null >"$value" || :
  fi
  over_item "$@"
}

compare_licences() {
  set -- colophon sbom licenses
  get ALLOW_LICENCES
  [ -z "$value" ] || set -- "$@" "--allow=$value"
  get DENY_LICENCES
  [ -z "$value" ] || set -- "$@" "--deny=$value"
  [ $# -eq 3 ] || over_item "$@"
}

publish_sbom() {
  get PUBLISH_TO
  place=$value
  [ -n "$place" ] || return 0
  with_run colophon sbom publish "--to=$place"
  [ "$code" -eq 0 ] || return 0
  # Where it says whose signature counts, the job ends well only after the document was fetched and verified.
  pinned=''
  for name in $SIGNER; do
    get "$name"
    pinned=$pinned$value
  done
  [ -z "$pinned" ] || with_signer colophon sbom publish --check "--to=$place"
}

# The program takes these from its environment, for every command alike.
export_services() {
  get ISSUER
  [ -z "$value" ] || export COLOPHON_ISSUER="$value"
  get TRUSTED_ROOT
  [ -z "$value" ] || export COLOPHON_TRUSTED_ROOT="$value"
  get SIGNING_CONFIG
  [ -z "$value" ] || export COLOPHON_SIGNING_CONFIG="$value"
  export NO_COLOR=1
}

write_output() { # write_output NAME VALUE: the value may have several lines
  [ -n "${GITHUB_OUTPUT-}" ] || return 0
  word=$(random_word)
  printf '%s<<%s\n%s\n%s\n' "$1" "$word" "$2" "$word" >>"$GITHUB_OUTPUT"
}

write_variable() { # write_variable NAME VALUE: for GitLab, whose variables have one line; a tab stands between entries
  [ -n "${COLOPHON_DOTENV-}" ] || return 0
  printf '%s=%s\n' "$1" "$(printf %s "$2" | tr '\n' '\t')" >>"$COLOPHON_DOTENV"
}

verdict_of() {
  case $1 in
    install) echo installed ;;
    sign) echo signed ;;
    attest) echo attested ;;
    check) echo verified ;;
    admit) echo admitted ;;
    sbom) if [ -n "${COLOPHON_INPUT_PUBLISH_TO-}" ]; then echo published; else echo valid; fi ;;
  esac
}

finish() {
  status=$?
  trap - EXIT
  [ "$status" -eq 0 ] || verdict=failed
  [ "$status" -ne 20 ] || verdict=refused
  write_output verdict "$verdict"
  write_output exit-code "$status"
  write_output bundles "$bundles"
  write_output digests "$digests"
  write_output sbom "$sbom"
  [ -z "${COLOPHON_DOTENV-}" ] || : >"$COLOPHON_DOTENV"
  write_variable COLOPHON_VERDICT "$verdict"
  write_variable COLOPHON_EXIT_CODE "$status"
  write_variable COLOPHON_BUNDLES "$bundles"
  write_variable COLOPHON_DIGESTS "$digests"
  write_variable COLOPHON_SBOM "$sbom"
  if [ -n "${GITHUB_STEP_SUMMARY-}" ] && [ -n "${command-}" ]; then
    { printf '### Colophon: %s: %s\n\n' "$command" "$verdict" && cat "$scratch/summary" && echo; } >>"$GITHUB_STEP_SUMMARY"
  fi
  rm -rf "$scratch"
  # On GitHub the installation serves the later steps of the job, and the platform empties its folder.
  if [ -n "$installed" ] && { [ "$status" -ne 0 ] || [ -z "${GITHUB_PATH-}" ]; }; then rm -rf "$installed"; fi
  exit "$status"
}

: >"$scratch/summary"
: >"$scratch/said"
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
[ $# -gt 0 ] || refuse 1 'usage: colophon.sh install|sign|attest|check|admit|sbom...'
for command in "$@"; do
  case $command in
    install | sign | attest | check | admit | sbom) ;;
    *) unset -v command && refuse 1 'input command: is none of install, sign, attest, check, admit, sbom' ;;
  esac
done
check_inputs
export_services
for command in "$@"; do
  result=0 some='' bundles='' digests=''
  if [ "$command" != install ] && ! command -v colophon >/dev/null; then
    refuse 1 'colophon is not installed: run the command install before'
  fi
  case $command in
    install) do_install ;;
    sbom) do_sbom ;;
    admit) each_image admit_image ;;
    *)
      each_file "${command}_file"
      each_image "${command}_image"
      ;;
  esac
  [ -n "$some" ] || refuse 1 "input files or images: $command has nothing to work on"
  [ "$result" -eq 0 ] || exit "$result"
  verdict=$(verdict_of "$command")
done
