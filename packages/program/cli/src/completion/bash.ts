import { shellWord } from '../terminal/terminal.ts';
import type { CompletionRow } from './completion-table.ts';

// Works in bash 3.2, which macOS has, and without the package bash-completion. File names are left to readline, which
// knows how to quote them: it completes them wherever nothing is offered, unless that is switched off.
const WALK = `
_colophon_offers() { COMPREPLY+=($(compgen -W "$1" -- "$current")); }

_colophon_value() {
  case $1 in
    '' | @word) compopt +o default 2>/dev/null ;;
    @file) ;;
    @folder) compopt +o default -o dirnames 2>/dev/null ;;
    *) _colophon_offers "$1"; compopt +o default 2>/dev/null ;;
  esac
  return 0
}

_colophon() {
  local current=\${COMP_WORDS[COMP_CWORD]} at= last= pending= ended= given= word i
  local below flags argument value
  COMPREPLY=()
  _colophon_table '' ''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [ "$word" = = ] && [ -n "$last" ]; then
      pending=$last
    elif [ -n "$pending" ]; then
      pending= last=
    elif [ "$word" = -- ]; then
      ended=yes
    elif [[ $word == -* && -z $ended ]]; then
      _colophon_table "$at" "$word"
      last=$word
      case $value in '' | \\?*) ;; *) pending=$word ;; esac
    elif [ -z "$given$ended" ] && [ "$at$word" = help ]; then
      last=
    elif [ -z "$given$ended" ] && [[ " $below " == *" $word "* ]]; then
      at=\${at:+$at }$word last=
      _colophon_table "$at" ''
    else
      given=yes last=
    fi
  done
  if [ "$current" = = ] && [ -n "$last" ]; then
    pending=$last current=
  fi
  if [ -n "$pending" ]; then
    _colophon_table "$at" "$pending"
    _colophon_value "\${value#\\?}"
  elif [[ $current == -* && -z $ended ]]; then
    _colophon_offers "$flags"
  else
    [ -n "$given$ended" ] || _colophon_offers "$below"
    if [ "$argument" = @file ] && [ \${#COMPREPLY[@]} -gt 0 ]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")
    else
      _colophon_value "$argument"
    fi
  fi
}

complete -o default -F _colophon colophon
`;

/** The completion script for bash. */
export function bashScript(rows: readonly CompletionRow[]): string {
  const names = (described: ReadonlyArray<{ readonly name: string }>) => described.map(({ name }) => name).join(' ');
  const cases = rows.map(({ at, below, flags, argument, values }) =>
    [
      `    '${at}')`,
      `      below='${names(below)}' argument=${shellWord(argument)}`,
      `      flags='${names(flags)}'`,
      '      case $2 in',
      ...[...values].map(([words, of]) => `        ${of.join(' | ')}) value=${shellWord(words)} ;;`),
      '      esac ;;',
    ].join('\n'),
  );
  return `# bash completion for colophon: how to install it is told by \`colophon completion --help\`.

_colophon_table() {
  below= argument= flags= value=
  case $1 in
${cases.join('\n')}
  esac
}
${WALK}`;
}
