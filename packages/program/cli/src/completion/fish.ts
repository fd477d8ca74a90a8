import type { CompletionRow, Described } from './completion-table.ts';

const WALK = `
function __colophon_offer # VALUE TYPED BEFORE
    switch $argv[1]
        case '' @word
        case @file
            __fish_complete_path $argv[2] | string replace -r '^' -- "$argv[3]"
        case @folder
            __fish_complete_directories $argv[2] '' | string replace -r '^' -- "$argv[3]"
        case '*'
            string split ' ' -- $argv[1] | string replace -r '^' -- "$argv[3]"
    end
end

function __colophon_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l at ''
    set -l pending ''
    set -l ended ''
    set -l given ''
    set -l below
    set -l flags
    set -l argument ''
    set -l value ''
    __colophon_table ''
    for word in $words[2..-1]
        if test -n "$pending"
            set pending ''
        else if test "$word" = --
            set ended yes
        else if test -z "$ended"; and string match -q -- '-*' $word
            __colophon_table "$at" $word
            if test -n "$value"; and not string match -q -- '\\?*' $value
                set pending $word
            end
        else if test -z "$given$ended"; and test "$at$word" = help
        else if test -z "$given$ended"; and contains -- $word (string replace -r '\\t.*' '' -- $below)
            set at (string trim -- "$at $word")
            __colophon_table $at
        else
            set given yes
        end
    end
    if test -n "$pending"
        __colophon_table "$at" $pending
        __colophon_offer "$value" "$current"
    else if test -z "$ended"; and string match -q -- '--*=*' "$current"
        set -l parts (string split -m 1 = -- $current)
        __colophon_table "$at" $parts[1]
        __colophon_offer (string replace -r '^\\?' '' -- "$value") "$parts[2]" "$parts[1]="
    else if test -z "$ended"; and string match -q -- '-*' "$current"
        printf '%s\\n' $flags
    else
        if test -z "$given$ended"; and set -q below[1]
            printf '%s\\n' $below
        end
        __colophon_offer "$argument" "$current"
    end
end

complete -c colophon -e
complete -c colophon -f -a '(__colophon_complete)'
`;

/** The completion script for fish. */
export function fishScript(rows: readonly CompletionRow[]): string {
  const list = (described: readonly Described[]) =>
    described.map(({ name, description }) => fishWord(`${name}\t${description}`)).join(' ');
  const cases = rows.map(({ at, below, flags, argument, values }) =>
    [
      `        case '${at}'`,
      `            set below ${list(below)}`,
      `            set flags ${list(flags)}`,
      `            set argument ${fishWord(argument)}`,
      '            switch "$argv[2]"',
      ...[...values].flatMap(([words, of]) => [
        `                case ${of.join(' ')}`,
        `                    set value ${fishWord(words)}`,
      ]),
      '            end',
    ].join('\n'),
  );
  return `# fish completion for colophon: how to install it is told by \`colophon completion --help\`.

function __colophon_table --no-scope-shadowing
    set below
    set flags
    set argument ''
    set value ''
    switch "$argv[1]"
${cases.join('\n')}
    end
end
${WALK}`;
}

/** One word for fish, in whose single quotes only a backslash and a quote are special. */
function fishWord(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
