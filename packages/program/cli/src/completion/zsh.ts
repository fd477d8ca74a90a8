import { shellWord } from '../terminal/terminal.ts';
import type { CompletionRow, Described } from './completion-table.ts';

const WALK = `
_colophon_value() {
  case $1 in
    '') _message 'no more arguments' ;;
    @word) _message 'value' ;;
    @file) _files ;;
    @folder) _files -/ ;;
    *) compadd -- \${=1} ;;
  esac
}

_colophon() {
  local at= pending= ended= given= word argument value
  local -a below flags
  _colophon_table '' ''
  for word in "\${(@)words[2,CURRENT-1]}"; do
    if [[ -n $pending ]]; then
      pending=
    elif [[ $word == -- ]]; then
      ended=yes
    elif [[ $word == -* && -z $ended ]]; then
      _colophon_table "$at" "$word"
      case $value in ('' | \\?*) ;; (*) pending=$word ;; esac
    elif [[ -z $given$ended && $at$word == help ]]; then
      :
    elif [[ -z $given$ended && -n \${below[(r)\${(b)word}:*]} ]]; then
      at=\${at:+$at }$word
      _colophon_table "$at" ''
    else
      given=yes
    fi
  done
  if [[ -n $pending ]]; then
    _colophon_table "$at" "$pending"
    _colophon_value "$value"
  elif [[ -z $ended && $PREFIX == --*=* ]]; then
    _colophon_table "$at" "\${PREFIX%%=*}"
    compset -P 1 '*='
    _colophon_value "\${value#\\?}"
  elif [[ -z $ended && $PREFIX == -* ]]; then
    _describe -o option flags
  else
    local offered=1
    if [[ -z $given$ended && \${#below} -gt 0 ]]; then
      _describe -t commands command below && offered=0
    fi
    if [[ -n $argument || $offered -ne 0 ]]; then _colophon_value "$argument" && offered=0; fi
    return offered
  fi
}

# Loaded by compinit it is called; sourced it is registered.
if [ "$funcstack[1]" = _colophon ]; then _colophon "$@"; else compdef _colophon colophon; fi
`;

/** The completion script for zsh. */
export function zshScript(rows: readonly CompletionRow[]): string {
  const array = (described: readonly Described[]) =>
    described.map(({ name, description }) => shellWord(`${name}:${description}`)).join(' ');
  const cases = rows.map(({ at, below, flags, argument, values }) =>
    [
      `    ('${at}')`,
      `      below=(${array(below)})`,
      `      flags=(${array(flags)})`,
      `      argument=${shellWord(argument)}`,
      '      case $2 in',
      ...[...values].map(([words, of]) => `        (${of.join(' | ')}) value=${shellWord(words)} ;;`),
      '      esac ;;',
    ].join('\n'),
  );
  return `#compdef colophon
# zsh completion for colophon: how to install it is told by \`colophon completion --help\`.

_colophon_table() {
  below=() flags=() argument= value=
  case $1 in
${cases.join('\n')}
  esac
}
${WALK}`;
}
