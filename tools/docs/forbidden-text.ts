// Each pattern is written in pieces, so that this file does not hold what it looks for.
const join = (...pieces: string[]) => pieces.join('');

const FORBIDDEN: ReadonlyArray<readonly [name: string, pattern: RegExp]> = [
  ['a path of one machine', new RegExp(join('(?<![\\w.])/wo', 'rk/'))],
  ['a path of one machine', new RegExp(join('/tmp/bash', '_jobs|/tmp/', 'gt/'))],
  ['a path of one machine', new RegExp(join('/(?:ho', 'me|Use', 'rs)/(?!(?:user|runner|you)\\b)[a-z]\\w*/'))],
  ['a package registry', new RegExp(join('regi', 'stry\\.npm', 'js|prox', 'y\\.gol', 'ang'))],
  [
    'a page that is not in this repository',
    new RegExp(join('\\b(?:SP', 'EC|DES', 'IGN|HARD', 'ENING|ST', 'YLE|FA', 'CTS)\\.md\\b')),
  ],
  ['a page that is not in this repository', new RegExp(join('(?:DES', 'IGN|HARD', 'ENING|FA', 'CTS) §?\\d'))],
  ['a number of an issue', new RegExp(join('\\bIs', 'sue #?\\d+\\b'), 'i')],
  ['a private key', new RegExp(join('-----BEGIN (?:[A-Z]+ )*PRI', 'VATE KEY-----(?:\\\\n|\\s)+[A-Za-z0-9+/=]{32}'))],
];

const LOCKFILE = 'package-lock.json';

/** Keys of a data folder that tests open: made for it, known to everybody, good for nothing else. */
const TEST_KEYS = 'ca-intermediate ca-root certificate-log issuer-rs256 ledger transparency-log'.split(' ');

/**
 * What belongs into one file alone: where the world's package managers ask when nobody configured anything, and each key
 * of the tests' data folder.
 */
const ALLOWED: ReadonlyMap<string, string> = new Map([
  ['packages/contents/source-packages/src/source-package/default-registries.ts', 'a package registry'],
  ...TEST_KEYS.map(
    (name) => [`packages/program/cli/test/frozen/releases/0.1.0/data/keys/${name}.pem`, 'a private key'] as const,
  ),
]);

/** What must not be committed and is in `text`, one sentence each; `path` is relative to the repository. */
export function forbiddenTextProblems(path: string, text: string): string[] {
  if (path === LOCKFILE) return lockfileProblems(text);
  return FORBIDDEN.flatMap(([name, pattern]) => {
    const hit = pattern.exec(text);
    if (hit === null || ALLOWED.get(path) === name) return [];
    const line = text.slice(0, hit.index).split('\n').length;
    return [`${path}:${line}: names ${name}`];
  });
}

/** A lockfile names no host, so that it installs from whichever registry its reader uses. */
function lockfileProblems(text: string): string[] {
  const hosts = [...text.matchAll(/"resolved": "([a-z+]+:\/\/[^/"]+)/g)].map(([, host]) => host!);
  return hosts.length === 0 ? [] : [`${LOCKFILE}: names ${hosts.length} addresses to download from; npm ci needs none`];
}
