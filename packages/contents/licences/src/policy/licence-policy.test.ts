import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseLicenceList } from './licence-policy.ts';

function read(text: string) {
  const parsed = parseLicenceList(text);
  if (!parsed.ok) return parsed.issues.map(({ code, path }) => `${code} ${path}`);
  return { terms: parsed.value.terms.map((term) => term.text), names: parsed.value.names };
}

test.each([
  ['MIT', ['MIT'], []],
  ['MIT,Apache-2.0 , ISC', ['MIT', 'Apache-2.0', 'ISC'], []],
  ['# ours\nMIT   # fine\n\nApache-2.0\r\n', ['MIT', 'Apache-2.0'], []],
  ['MIT License', ['MIT'], []],
  ['"Public Domain", MIT', ['MIT'], ['Public Domain']],
  ['"Apache License, Version 2.0"', [], ['Apache License, Version 2.0']],
  ['"say ""yes"" #1"', [], ['say "yes" #1']],
  ['"two  blanks"', [], ['two blanks']],
  ['GPL-2.0 WITH Classpath-exception-2.0', ['GPL-2.0-only WITH Classpath-exception-2.0'], []],
  ['LicenseRef-Acme', ['LicenseRef-Acme'], []],
  ['["MIT", {"name": "Public Domain"}]', ['MIT'], ['Public Domain']],
])('%j names %j and %j', (text, terms, names) => {
  expect(read(text)).toEqual({ terms, names });
});

test.each([
  ['', ['licence_list.empty ']],
  [' , \n# nothing\n', ['licence_list.empty ']],
  ['[]', ['licence_list.empty ']],
  ['MIT\nApache2, ISC', ['licence_list.licence_unknown line 2']],
  ['Public Domain', ['licence_list.licence_unknown line 1']],
  ['NONE', ['licence_list.licence_unknown line 1']],
  ['MIT OR ISC', ['licence_list.not_one_licence line 1']],
  ['MIT WITH Acme-exception', ['licence_list.licence_unknown line 1']],
  ['"MIT', ['licence_list.malformed line 1']],
  ['MIT "ISC"', ['licence_list.licence_unknown line 1']],
  ['"MIT" ISC', ['licence_list.malformed line 1']],
  ['["MIT", 1, null]', ['licence_list.malformed /1', 'licence_list.malformed /2']],
  ['["MIT"', ['licence_list.malformed ']],
])('%j is refused', (text, expected) => {
  expect(read(text)).toEqual(expected);
});

describe('a licence that nobody lists', () => {
  test.each([
    ['Apache2', 'Apache-2.0'],
    ['apache 2.0', 'Apache-2.0'],
    ['MPLv2.0', 'MPL-2.0'],
    ['GPL-3.0-onyl', 'GPL-3.0-only'],
  ])('%s is answered with %s', (text, meant) => {
    const parsed = parseLicenceList(text);
    expect(parsed.ok ? '' : parsed.issues[0]?.expected).toMatch(meant);
  });
  test.each(['gpl', 'BSD', 'x'.repeat(100_000)])('of %.20s nothing is guessed', (text) => {
    const parsed = parseLicenceList(text);
    expect(parsed.ok ? '' : parsed.issues[0]?.expected).toMatch(/^"/);
  });
});

test('no text makes it throw or loop', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('"', ',', '#', ' ', 'MIT', '[', '\n', '{') }),
      (text) => void read(text),
    ),
  );
});
