import { describe, expect, it } from 'vitest';
import { parseRepository, parseRepositoryUri } from './repository.ts';

describe('parseRepository', () => {
  it.each(['org/repo', 'o/r', 'my-org/my.repo_1', 'org/.github', 'org/...', '0/9', `o/${'r'.repeat(128)}`])(
    'accepts %s as it is',
    (text) => {
      expect(parseRepository(text)).toBe(text);
    },
  );

  it.each([
    ['nothing', ''],
    ['one segment', 'repo'],
    ['three segments', 'group/sub/repo'],
    ['an empty organisation', '/repo'],
    ['an empty repository', 'org/'],
    ['a dot', './repo'],
    ['two dots', 'org/..'],
    ['two dots first', '../repo'],
    ['a dot last', 'org/.'],
    ['a space', 'org/my repo'],
    ['a trailing newline', 'org/repo\n'],
    ['a URL', 'https://forge.example/org/repo'],
    ['a backslash', 'org\\repo'],
    ['a letter beyond ASCII', 'org/répo'],
    ['a bidi override', 'org/\u202erepo'],
    ['129 characters in a segment', `o/${'r'.repeat(129)}`],
    ['257 characters', `${'o'.repeat(128)}/${'r'.repeat(128)}`],
  ])('refuses %s', (_title, text) => {
    expect(parseRepository(text)).toBeUndefined();
  });
});

describe('parseRepositoryUri', () => {
  it.each([
    ['https://forge.example/org/repo', 'https://forge.example/org/repo'],
    ['https://gitlab.example/group/sub/repo', 'https://gitlab.example/group/sub/repo'],
    ['https://Forge.Example:443/Org/Repo', 'https://forge.example/Org/Repo'],
    ['https://forge.example:8443/org/repo', 'https://forge.example:8443/org/repo'],
    ['https://forge.example', 'https://forge.example/'],
    ['https://forge.example/org/x/../repo', 'https://forge.example/org/repo'],
    ['https://forge.example/~org/repo@main', 'https://forge.example/~org/repo@main'],
    ['https://[::1]/org/repo', 'https://[::1]/org/repo'],
    [`https://forge.example/${'a'.repeat(234)}`, `https://forge.example/${'a'.repeat(234)}`],
  ])('reads %s as %s', (text, normalised) => {
    expect(parseRepositoryUri(text)).toBe(normalised);
    expect(parseRepositoryUri(normalised)).toBe(normalised);
  });

  it.each([
    ['nothing', ''],
    ['http', 'http://forge.example/org/repo'],
    ['ssh', 'ssh://git@forge.example/org/repo'],
    ['the scheme in upper case', 'HTTPS://forge.example/org/repo'],
    ['something before the scheme', 'xhttps://forge.example/org/repo'],
    ['a path alone', '/org/repo'],
    ['no host', 'https:///org/repo'],
    ['one slash', 'https:/forge.example/org/repo'],
    ['a user', 'https://user@forge.example/org/repo'],
    ['a user and password', 'https://user:secret@forge.example/org/repo'],
    ['an empty user', 'https://@forge.example/org/repo'],
    ['a query', 'https://forge.example/org/repo?x=1'],
    ['an empty query', 'https://forge.example/org/repo?'],
    ['a query on the host', 'https://forge.example?x'],
    ['a fragment', 'https://forge.example/org/repo#readme'],
    ['a fragment on the host', 'https://forge.example#x'],
    ['a backslash for a slash', 'https://forge.example\\org'],
    ['a backslash in the path', 'https://forge.example/org\\repo'],
    ['a space', 'https://forge.example/org/my repo'],
    ['a newline that the URL standard would drop', 'https://forge.example/org\n/repo'],
    ['a host beyond ASCII', 'https://förge.example/org/repo'],
    ['a control character', 'https://forge.example/org/repo\u007f'],
    ['a bad port', 'https://forge.example:99999/org/repo'],
    ['a bad host', 'https://exa%00mple/org/repo'],
    ['257 characters', `https://forge.example/${'a'.repeat(235)}`],
    ['256 characters that become more', `https://forge.example/${'"'.repeat(230)}`],
  ])('refuses %s', (_title, text) => {
    expect(parseRepositoryUri(text)).toBeUndefined();
  });
});
