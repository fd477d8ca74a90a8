import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Programs in the tables of `.ci/tools.sh`, those of a full run too, as docs/peers.md has to name them: with the version, unless they are ours. */
export function broughtPrograms(script: string): string[] {
  const tables = [...script.matchAll(/^readonly \w*PROGRAMS='\n([\s\S]*?)'$/gm)];
  return tables
    .flatMap(([, table]) => table!.split('\n'))
    .map((line) => line.trim().split(/\s+/))
    .filter(([name]) => name !== '')
    .map(([name, , version]) => (version === 'own' ? `${name}` : `${name} ${version}`));
}

/** Suites that a page names: paths of tests in backticks. */
export function namedSuites(page: string): string[] {
  return [...page.matchAll(/`([\w./-]+\.test\.ts)`/g)].map(([, path]) => path!);
}

/** Where docs/peers.md names a suite that is not there, or not a program that CI brings; one sentence each. */
export function peerTableProblems(root: string): string[] {
  const page = readFileSync(join(root, 'docs/peers.md'), 'utf8');
  const programs = broughtPrograms(readFileSync(join(root, '.ci/tools.sh'), 'utf8'));
  const names = (text: string) => new RegExp(`(?<![\\w-])${text.replaceAll('.', '\\.')}(?![\\w-]|\\.\\d)`).test(page);
  return [
    ...(programs.length === 0 ? ['.ci/tools.sh: its table of programs cannot be read'] : []),
    ...programs.filter((text) => !names(text)).map((text) => `docs/peers.md: no word of ${text} (.ci/tools.sh)`),
    ...namedSuites(page)
      .filter((path) => !existsSync(join(root, path)))
      .map((path) => `docs/peers.md: ${path} is not there`),
  ];
}
