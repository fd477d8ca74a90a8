import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasBlank, iriFaultOf } from './iri-reference.ts';

describe('IRI references, by the grammar of RFC 3987 §2.2', () => {
  test.each([
    ['nothing at all', ''],
    ['a URL', 'https://example.com/a/b?c=d&e#f'],
    ['login, host and port', 'ssh://git@example.com:22/group/repo.git'],
    ['an empty port', 'http://example.com:/'],
    ['no host', 'file:///etc/passwd'],
    ['a scheme alone', 'http:'],
    ['slashes alone', '//'],
    ['a URN', 'urn:cdx:f08a6ccd-4dce-4759-bd84-c626675d60a7/1#a%20b'],
    ['schemes within a scheme', 'scm:git:git://example.com/a.git'],
    ['an address', 'mailto:dana@example.com'],
    ['relative', '../a/./b'],
    ['relative to the host', '/a'],
    ['a colon behind a slash', './a:b'],
    ['a query alone', '?a=b'],
    ['a fragment alone', '#a'],
    ['letters of other scripts', 'https://例え.jp/é?ü#ß'],
    ['letters beyond the first plane', 'https://example.com/\u{20000}'],
    ['a private character in the query', '?\ue000\u{f0000}'],
    ['percent-encoded bytes', 'https://ex%61mple.com/%00%fF?%20#%7e'],
    ['every other character', "./-._~!$&'()*+,;=:@"],
    ['IPv4', 'http://127.0.0.1:8080/'],
    ['digits that are a name', 'http://999.1.1.1/'],
    ['IPv6', 'http://[2001:db8::7]:80/'],
    ['IPv6 in full', '//[1:2:3:4:5:6:7:8]'],
    ['IPv6 with IPv4', '//[::ffff:192.0.2.1]'],
    ['the IPv6 of nobody', '//[::]'],
    ['an address of the future', '//[v1.a:b]'],
    ['a stop as host', '//./'],
    ['very long', `https://example.com/${'a%20é'.repeat(100_000)}`],
    ['many colons behind a slash', `/${':'.repeat(100_000)}`],
  ])('%s', (_title, text) => expect(iriFaultOf(text)).toBeUndefined());

  test.each([
    ['a space', 'http://a.example/ b', 17, 'character'],
    ['two URLs', 'http://a.example http://b.example', 16, 'character'],
    ['a backslash', 'C:\\a', 2, 'character'],
    ['a template', 'https://example.com/{project}/', 20, 'character'],
    ['angle brackets', '<https://example.com>', 0, 'character'],
    ['a quotation mark', 'a"b', 1, 'character'],
    ['a bar', 'a|b', 1, 'character'],
    ['a caret', 'a^b', 1, 'character'],
    ['a backtick', 'a`b', 1, 'character'],
    ['a line break', 'a\nb', 1, 'character'],
    ['NUL', '\0', 0, 'character'],
    ['DEL', 'a\x7f', 1, 'character'],
    ['a control character beyond ASCII', 'a\x80', 1, 'character'],
    ['a bracket in the path', 'http://a.example/[b]', 17, 'character'],
    ['a bracket in the query', '?a[]=b', 2, 'character'],
    ['a bracket in the fragment', '#a[0]', 2, 'character'],
    ['a bracket in the login', 'http://u[@h/', 8, 'character'],
    ['a bracket behind the host', 'http://h[::1]/', 8, 'character'],
    ['text behind the address', '//[::1]a', 7, 'character'],
    ['two fragments', '#a#b', 2, 'character'],
    ['two logins', '//a@b@c', 5, 'character'],
    ['a private character in the path', '/\ue000', 1, 'character'],
    ['a private character in the fragment', '#\ue000', 1, 'character'],
    ['no character', '/\ufdd0', 1, 'character'],
    ['no character in the query', '?\u{fffff}', 1, 'character'],
    ['specials', '/\ufff0', 1, 'character'],
    ['tags', '/\u{e0001}', 1, 'character'],
    ['half a pair', '/\ud800a', 1, 'character'],
    ['a path of a shell', 'git@example.com:group/repo.git', 15, 'colon'],
    ['a scheme that begins with a digit', '1a:b', 2, 'colon'],
    ['no scheme', ':a', 0, 'colon'],
    ['an address without brackets', '::1', 0, 'colon'],
    ['a percent sign', '100%', 3, 'percent'],
    ['a percent sign and one digit', 'a%2', 1, 'percent'],
    ['a percent sign and no digits', 'a%zz', 1, 'percent'],
    ['a host after a percent sign', 'http://%/', 7, 'percent'],
    ['a port that is a path', 'ssh://git@example.com:group/repo.git', 22, 'port'],
    ['a negative port', '//a:-1', 4, 'port'],
    ['two ports', '//a:1:2', 5, 'port'],
    ['IPv6 without brackets', 'http://::1/', 8, 'port'],
    ['a bracket that stays open', '//[::1', 2, 'ip_literal'],
    ['IPv6 with a gap too many', '//[1::2::3]', 2, 'ip_literal'],
    ['IPv6 too short', '//[1:2:3]', 2, 'ip_literal'],
    ['IPv6 too long', '//[1:2:3:4:5:6:7:8:9]', 2, 'ip_literal'],
    ['IPv6 with five digits', '//[::12345]', 2, 'ip_literal'],
    ['IPv4 in brackets', '//[127.0.0.1]', 2, 'ip_literal'],
    ['IPv6 with a zone', '//[fe80::1%25eth0]', 2, 'ip_literal'],
    ['nothing in brackets', '//[]', 2, 'ip_literal'],
    ['long, and wrong at the end', `/${'a'.repeat(500_000)} `, 500_001, 'character'],
    ['a scheme that never ends', `${'a'.repeat(500_000)} :`, 500_000, 'character'],
  ] as const)('none: %s', (_title, text, at, kind) => expect(iriFaultOf(text)).toEqual({ at, kind }));

  // The rules of the RFC one by one, as one expression; the order of alternatives plays no part in what matches as a whole.
  const UCSCHAR =
    '\\u{a0}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{ffef}' +
    Array.from({ length: 13 }, (_, below) => (below + 1).toString(16))
      .map((plane) => `\\u{${plane}0000}-\\u{${plane}fffd}`)
      .join('') +
    '\\u{e1000}-\\u{efffd}';
  const IPRIVATE = '\\u{e000}-\\u{f8ff}\\u{f0000}-\\u{ffffd}\\u{100000}-\\u{10fffd}';
  const PLAIN = `A-Za-z0-9\\-._~${UCSCHAR}!$&'\\(\\)*+,;=`;
  const PCT = '%[0-9A-Fa-f]{2}';
  const PCHAR = `(?:[${PLAIN}:@]|${PCT})`;
  const OCTET = '(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])';
  const IPV4 = `${OCTET}(?:\\.${OCTET}){3}`;
  const H16 = '[0-9A-Fa-f]{1,4}';
  const LS32 = `(?:${H16}:${H16}|${IPV4})`;
  const IPV6 = [
    `(?:${H16}:){6}${LS32}`,
    `::(?:${H16}:){5}${LS32}`,
    `(?:${H16})?::(?:${H16}:){4}${LS32}`,
    `(?:(?:${H16}:){0,1}${H16})?::(?:${H16}:){3}${LS32}`,
    `(?:(?:${H16}:){0,2}${H16})?::(?:${H16}:){2}${LS32}`,
    `(?:(?:${H16}:){0,3}${H16})?::${H16}:${LS32}`,
    `(?:(?:${H16}:){0,4}${H16})?::${LS32}`,
    `(?:(?:${H16}:){0,5}${H16})?::${H16}`,
    `(?:(?:${H16}:){0,6}${H16})?::`,
  ].join('|');
  const HOST = `(?:\\[(?:${IPV6}|v[0-9A-Fa-f]+\\.[A-Za-z0-9\\-._~!$&'\\(\\)*+,;=:]+)\\]|(?:[${PLAIN}]|${PCT})*)`;
  const AUTHORITY = `(?:(?:[${PLAIN}:]|${PCT})*@)?${HOST}(?::[0-9]*)?`;
  const ABEMPTY = `(?:/${PCHAR}*)*`;
  const ABSOLUTE = `/(?:${PCHAR}+${ABEMPTY})?`;
  const NO_COLON = `(?:[${PLAIN}@]|${PCT})+`;
  const TAIL = `(?:\\?(?:${PCHAR}|[${IPRIVATE}/?])*)?(?:#(?:${PCHAR}|[/?])*)?`;
  const IRI = `[A-Za-z][A-Za-z0-9+\\-.]*:(?://${AUTHORITY}${ABEMPTY}|${ABSOLUTE}|${PCHAR}+${ABEMPTY}|)${TAIL}`;
  const RELATIVE = `(?://${AUTHORITY}${ABEMPTY}|${ABSOLUTE}|${NO_COLON}${ABEMPTY}|)${TAIL}`;
  const BY_THE_RULES = new RegExp(`^(?:${IRI}|${RELATIVE})$`, 'iu');

  test('every text is decided as the rules decide it', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        'http',
        'urn',
        '1',
        '80',
        '.',
        '-',
        '+',
        '_',
        '~',
        '!',
        ';',
        '=',
        '://',
        '//',
        '/',
        ':',
        '::',
        '?',
        '#',
        '@',
      ],
      ...[
        '[',
        ']',
        '[::1]',
        '[v1.x]',
        '[1:2:3:4:5:6:7:8]',
        '[::1.2.3.4]',
        '[1::2::3]',
        '%20',
        '%',
        '%z',
        ' ',
        '\\',
        '\n',
      ],
      ...[
        'é',
        '\u00a0',
        '\u0080',
        '\ue000',
        '\ufdd0',
        '\ufff0',
        '\u{1f600}',
        '\u{e0100}',
        '\u{f0000}',
        '\u{10ffff}',
        '|',
      ],
    );
    const text = fc.array(piece, { maxLength: 9 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, (reference) => {
        expect(iriFaultOf(reference) === undefined).toBe(BY_THE_RULES.test(reference));
      }),
      { numRuns: 5_000 },
    );
  });
});

test('a blank of any script is seen', () => {
  expect(['a\u00a0b', 'a\u3000', '\u2028'].map(hasBlank)).toEqual([true, true, true]);
  expect(hasBlank('https://example.com/é')).toBe(false);
});
