import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COLOPHON } from './colophon-up.ts';
import { isMissing, run } from './programs.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** What is typed before TAB, and the word that it becomes. */
const TYPED = [
  ['colophon attach', 'attachments'],
  ['colophon sbom vali', 'validate'],
  ['colophon help sbom vali', 'validate'],
  ['colophon --data sub sbom vali', 'validate'],
  ['colophon sbom validate --outp', '--output'],
  ['colophon sbom validate --output j', 'json'],
  ['colophon sbom validate --output=j', '--output=json'],
  ['colophon sbom validate -o j', 'json'],
  ['colophon sbom validate bom', 'bom one.json'],
  ['colophon sign-blob --yes bom', 'bom one.json'],
  ['colophon sign-blob --yes=f', '--yes=false'],
  ['colophon sbom similarity inde', 'index'],
  ['colophon sbom similarity bom', 'bom one.json'],
  ['colophon up --data s', 'sub'],
  ['colophon completion z', 'zsh'],
  // Nobody knows a name, and a file is none.
  ['colophon token --agent-name bom', 'bom'],
  // Behind an argument, a flag of the command is completed, and a command is none.
  ['colophon sbom validate x --fail', '--fail-on'],
  ['colophon sbom licenses x vali', 'vali'],
] as const;

// The line is run after it was completed, by a function with the program's name that tells the last word of it.
const TELL = `colophon() { printf 'last <%s>\\n' "\${@[$#]}"; }`;

const TELLERS = {
  // Without a terminal of its own it would take that of the test run.
  bash: (script: string, typed: string, cwd: string) =>
    run('setsid', ['-w', 'bash', '--norc', '-i'], {
      cwd,
      input: `source ${script}\ncolophon() { printf 'last <%s>\\n' "\${!#}"; }\n${typed}\t\n`,
    }),
  zsh: (script: string, typed: string, cwd: string) =>
    run('zsh', ['-f'], {
      cwd,
      input: `zmodload zsh/zpty
zpty z zsh -f -i
zpty -w -n z $'PROMPT=; unset zle_bracketed_paste; bindkey -e; autoload -U compinit; compinit -u -D; source ${script}\\n'
zpty -w -n z ${quoted(`${TELL}; print READY$((1+1))\n`)}
zpty -r -m z out '*READY2*'
zpty -w -n z ${quoted(`${typed}\t; print END$((1+1))\n`)}
zpty -r -m z out '*END2*'
print -r -- "$out"
zpty -d z
`,
    }),
  fish: (script: string, typed: string, cwd: string) =>
    run('fish', ['--no-config', '-c', `source ${script}; complete -C ${quoted(typed)}`], { cwd }),
} as const;

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The word that TAB made of the last one. */
function completed(shell: (typeof SHELLS)[number], stdout: string, typed: string): string | undefined {
  if (shell !== 'fish') return /last <([^>]*)>\r?$/m.exec(stdout)?.[1]?.replace(/\/$/, '');
  const offered = stdout.trimEnd().split('\n');
  expect(offered.length, stdout).toBe(1);
  const [word = ''] = (offered[0] as string).split('\t');
  return word === '' ? typed.split(' ').at(-1) : word.replace(/\/$/, '');
}

describe.each(SHELLS)('colophon completion %s', (shell) => {
  describe.skipIf(isMissing(shell, ...(shell === 'bash' ? ['setsid'] : [])))('in the real shell', () => {
    let folder: string;
    let script: string;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'colophon-completion-'));
      mkdirSync(join(folder, 'sub'));
      writeFileSync(join(folder, 'bom one.json'), '{}');
      const { code, stdout } = await run(COLOPHON, ['completion', shell]);
      expect(code).toBe(0);
      script = join(folder, 'script');
      writeFileSync(script, stdout);
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    test.each(TYPED)('%s: %s', async (typed, word) => {
      const { stdout, stderr } = await TELLERS[shell](script, typed, folder);
      expect(completed(shell, stdout, typed), `${stdout}\n${stderr}`).toBe(word);
    });
  });
});
