import { expect, test } from 'vitest';
import { parseLicenceExpression } from './licence-expression.ts';
import { allowsTerm, deniesTerm, type LicenceTerm } from './licence-term.ts';

function term(text: string): LicenceTerm {
  const parsed = parseLicenceExpression(text);
  return parsed.ok ? (parsed.value[0] as LicenceTerm) : expect.fail(text);
}

test.each(['constructor', 'toString', 'valueOf', 'constructor AND MIT'])(
  '%s is a licence that nobody lists',
  (text) => {
    expect(term(text)).toMatchObject({ kind: 'unknown', text: text.split(' ')[0] });
  },
);

test.each([
  ['MIT', 'MIT', true],
  ['mit', 'MIT', true],
  ['GPL-2.0', 'GPL-2.0-only', true],
  ['GPL-2.0-only', 'GPL-2.0', true],
  ['GPL-2.0+', 'GPL-2.0-or-later', true],
  ['GPL-2.0-or-later', 'GPL-2.0+', true],
  ['GPL-2.0-only', 'GPL-2.0-or-later', true],
  ['GPL-3.0-only', 'GPL-2.0-or-later', true],
  ['GPL-3.0-or-later', 'GPL-2.0-or-later', true],
  ['GPL-2.0-or-later', 'GPL-3.0-or-later', false],
  ['GPL-2.0-or-later', 'GPL-2.0-only', false],
  ['GPL-3.0-only', 'GPL-2.0-only', false],
  ['Apache-2.0', 'Apache-2.0+', true],
  ['Apache-2.0', 'Apache-1.1+', true],
  ['Apache-1.1', 'Apache-2.0', false],
  ['LGPL-2.1-only', 'GPL-2.0-or-later', false],
  ['BSD-3-Clause', 'BSD-2-Clause', false],
  ['Apache-2.0', 'Apache-2.0 WITH LLVM-exception', false],
  ['Apache-2.0 WITH LLVM-exception', 'Apache-2.0', false],
  ['Apache-2.0 WITH LLVM-exception', 'Apache-2.0 WITH llvm-exception', true],
  ['GPL-2.0-only WITH Classpath-exception-2.0', 'GPL-2.0-with-classpath-exception', true],
  ['GPL-2.0-only WITH Classpath-exception-2.0', 'GPL-2.0-or-later WITH Classpath-exception-2.0', true],
  ['BSD-2-Clause', 'BSD-2-Clause-NetBSD', true],
  ['LicenseRef-Acme', 'LicenseRef-Acme', true],
  ['LicenseRef-Acme', 'licenseref-acme', true],
  ['LicenseRef-Acme', 'DocumentRef-x:LicenseRef-Acme', false],
  ['Acme-1.0', 'Acme-1.0', false],
  ['NONE', 'NONE', false],
])('an allow list with %s and a component under %s: %s', (entry, licence, expected) => {
  expect(allowsTerm(term(entry), term(licence))).toBe(expected);
});

test.each([
  ['GPL-2.0', 'GPL-2.0-or-later', true],
  ['GPL-2.0-only', 'GPL-2.0+', true],
  ['GPL-2.0', 'GPL-2.0-only WITH Classpath-exception-2.0', true],
  ['GPL-2.0-or-later', 'GPL-3.0-only', true],
  ['GPL-3.0-or-later', 'GPL-2.0-only', false],
  ['GPL-3.0-only', 'GPL-2.0-or-later', false],
  ['GPL-2.0-only WITH Classpath-exception-2.0', 'GPL-2.0-only', false],
  ['AGPL-3.0', 'GPL-3.0-only', false],
  ['LicenseRef-Acme', 'LicenseRef-Acme', true],
])('a deny list with %s and a component under %s: %s', (entry, licence, expected) => {
  expect(deniesTerm(term(entry), term(licence))).toBe(expected);
});
