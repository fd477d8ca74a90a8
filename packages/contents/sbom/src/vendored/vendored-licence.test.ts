import { type LicenceTexts, type LicenseChoice, loadLicenceTexts } from '@colophon/licences';
import list from 'spdx-license-list/full.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { type SourceLicence, vendoredLicence } from './vendored-licence.ts';

const MIT = `MIT License\n\nCopyright 2024 Dana Example\n\n${list['MIT']!.licenseText.slice(list['MIT']!.licenseText.indexOf('Permission'))}`;
const GPL = list['GPL-3.0-only']!.licenseText;
let texts: LicenceTexts;
beforeAll(async () => {
  texts = await loadLicenceTexts();
});

const source = (licence: string | undefined, ...files: string[]): SourceLicence => ({
  ...(licence === undefined ? {} : { licence }),
  licenceTexts: files.map((text, index) => ({ path: `LICENSE-${index}`, text })),
});
const made = (from: SourceLicence, hasExpressionTexts = true) => vendoredLicence(from, texts, { hasExpressionTexts });
const decoded = (text: { content: string } | undefined) => Buffer.from(text!.content, 'base64').toString();
const licenceIn = ({ licenses }: { licenses: readonly LicenseChoice[] }) => licenses[0]!.license!;

describe('one licence that SPDX lists', () => {
  test('is an id, declared, with the package’s own text in base64', () => {
    const licence = made(source('MIT', MIT));
    expect(licence.licenses).toMatchObject([
      { license: { id: 'MIT', acknowledgement: 'declared', text: { contentType: 'text/plain', encoding: 'base64' } } },
    ]);
    expect(decoded(licenceIn(licence).text)).toBe(MIT);
    expect(licence.named).toEqual([{ license: { id: 'MIT', acknowledgement: 'declared' } }]);
    expect(licence.notes).toEqual([]);
  });
  test('comes with SPDX’s text where the package brings none, and says so', () => {
    const licence = made(source('GPL-3.0'));
    expect(licenceIn(licence).id).toBe('GPL-3.0-only');
    expect(decoded(licenceIn(licence).text)).toBe(GPL);
    expect(licence.notes).toHaveLength(1);
  });
  test('keeps a notice that is the package’s only licence file', () => {
    expect(decoded(licenceIn(made(source('GPL-3.0-only', 'under the GPL, version 3, ©'))).text)).toMatch(
      /version 3, ©/,
    );
  });
  test('carries the text of another licence that the package brings, and says so', () => {
    const licence = made(source('MIT', GPL));
    expect(licenceIn(licence).id).toBe('MIT');
    expect(decoded(licenceIn(licence).text)).toBe(GPL);
    expect(licence.notes).toHaveLength(1);
  });
  test('carries every licence file that says more than the stated one', () => {
    const restriction = 'Nobody may sell it.';
    const licence = made(source('MIT', MIT, restriction));
    expect(decoded(licenceIn(licence).text)).toBe(`${MIT.trimEnd()}\n\n---\n\n${restriction}\n`);
    expect(licence.notes).toHaveLength(1);
    expect(made(source('MIT', `${MIT}\n${restriction}`)).notes).toHaveLength(1);
  });
  test('may be stated by its full name', () => {
    expect(licenceIn(made(source('Apache License 2.0'))).id).toBe('Apache-2.0');
  });
  test('is a name where the official schema does not know the id yet', () => {
    expect(licenceIn(made(source('Bugroff'), false))).toMatchObject({ name: 'Bugroff' });
  });
});

describe('a licence of several', () => {
  test('is an expression with a text for each, where there is a place for them', () => {
    const [choice] = made(source('MIT OR GPL-3.0-or-later', MIT, GPL)).licenses;
    expect(choice).toMatchObject({ expression: 'MIT OR GPL-3.0-or-later', acknowledgement: 'declared' });
    const details = choice!['expressionDetails'] as Array<{ licenseIdentifier: string; text: { content: string } }>;
    expect(details.map(({ licenseIdentifier, text }) => [licenseIdentifier, decoded(text)])).toEqual([
      ['MIT', MIT],
      ['GPL-3.0-or-later', GPL],
    ]);
  });
  test('is a name with all texts, where there is none', () => {
    const licence = licenceIn(made(source('MIT OR GPL-3.0-or-later', MIT, GPL), false));
    expect(licence).toMatchObject({ name: 'MIT OR GPL-3.0-or-later', acknowledgement: 'declared' });
    expect(decoded(licence.text)).toContain('GNU GENERAL PUBLIC LICENSE');
  });
  test('with an exception is an expression', () => {
    expect(made(source('GPL-2.0 WITH Classpath-exception-2.0')).named).toEqual([
      { expression: 'GPL-2.0-only WITH Classpath-exception-2.0', acknowledgement: 'declared' },
    ]);
  });
});

describe('a licence that nobody lists', () => {
  test('is read from the one licence file, and says so', () => {
    expect(licenceIn(made(source('SEE LICENSE IN LICENSE', MIT))).id).toBe('MIT');
    const unstated = made(source(undefined, GPL));
    expect([licenceIn(unstated).id, unstated.notes.length]).toEqual(['GPL-3.0-only', 1]);
  });
  test('stays the name that the package gives it', () => {
    expect(licenceIn(made(source('Acme Licence', 'all rights reserved')))).toMatchObject({ name: 'Acme Licence' });
  });
  test('is said to be unknown where nothing is stated', () => {
    const licence = made(source(undefined));
    expect(licence.licenses).toEqual([{ license: { name: 'NOASSERTION', acknowledgement: 'declared' } }]);
    expect(licence.notes).toHaveLength(1);
  });
  test('of a megabyte is carried whole', () => {
    const text = 'ä'.repeat(500_000);
    expect(decoded(licenceIn(made(source('Acme', text))).text)).toBe(`${text}\n`);
  });
});
