import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { loadLicenceTexts } from '@colophon/licences';
import { temporaryFolder } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';

const { textOf: listed } = await loadLicenceTexts();
const textOf = (id: string) => listed(id)!;
const MIT = textOf('MIT').replace('<year> <copyright holders>', '2024 Dana Example');
const APACHE = textOf('Apache-2.0');
const GPL = textOf('GPL-3.0-only');
const COMMONS_CLAUSE =
  '"Commons Clause" License Condition v1.0\n\nThe Software is provided to you by the Licensor under the License, as defined ' +
  'below, subject to the following condition. Without limiting other conditions in the License, the grant of rights under ' +
  'the License will not include, and the License does not grant to you, the right to Sell the Software.';

const cleanups: Array<() => void> = [];
afterAll(() => {
  for (const undo of cleanups) undo();
});
let folder: string;
beforeAll(() => {
  folder = temporaryFolder((undo) => cleanups.push(undo));
});

type Attached = { readonly content: string; readonly encoding?: string };
const plain = (content: string): Attached => ({ content });
const base64 = (bytes: Buffer | string): Attached => ({
  content: Buffer.from(bytes).toString('base64'),
  encoding: 'base64',
});

type Case = { readonly id: string; readonly texts: readonly Attached[] };
type Gated = {
  readonly code?: string;
  readonly contradicts: boolean;
  readonly licences?: Array<Record<string, unknown>>;
};

/** One run of the program over one document: a component for each case. */
async function gate(
  cases: readonly Case[],
  allow: string,
  ...args: string[]
): Promise<{ exitCode: number; gated: Gated[] }> {
  const file = join(folder, 'cases.cdx.json');
  const components = cases.map(({ id, texts }, index) => ({
    type: 'library',
    'bom-ref': `case-${index}`,
    name: `case-${index}`,
    licenses: texts.map((text) => ({ license: { id, text: { contentType: 'text/plain', ...text } } })),
  }));
  writeFileSync(file, JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', components }));
  const ran = await runLine(['sbom', 'licenses', file, '--allow', allow, '--output', 'json', ...args]);
  const { offending, contradicting } = documentOf(ran);
  const gated = cases.map((_, index) => {
    const own = ({ bom_ref }: { bom_ref: string }) => bom_ref === `case-${index}`;
    const { code, licences } = offending.find(own) ?? {};
    return { code, licences: licences ?? contradicting.find(own)?.licences, contradicts: contradicting.some(own) };
  });
  return { exitCode: ran.exitCode!, gated };
}

/** Runs all rows of a table at once; each row is a test of its own. */
function gateOnce<
  Row extends readonly [title: string, id: string, texts: () => readonly Attached[], ...more: string[]],
>(rows: readonly Row[], allow: string, check: (gated: Gated, row: Row) => void, ...args: string[]): void {
  let all: Gated[];
  beforeAll(async () => {
    const cases = rows.map(([, id, texts]) => ({ id, texts: texts() }));
    ({ gated: all } = await gate(cases, allow, ...args));
  });
  test.each(rows.map((row, index) => [row[0], index] as const))('%s', (_, index) => check(all[index]!, rows[index]!));
}

const PERMISSIVE = 'MIT,Apache-2.0,BSD-2-Clause,BSD-3-Clause,ISC,CC0-1.0';
const contradicts = ({ code, contradicts }: Gated) =>
  expect([code, contradicts]).toEqual(['licence.text_contradicts', true]);

describe('copyleft under a permissive id is refused', () => {
  const COPYLEFT = [
    'GPL-2.0-only',
    'GPL-3.0-only',
    'LGPL-2.1-only',
    'LGPL-3.0-only',
    'AGPL-3.0-only',
    'MPL-2.0',
    'EPL-2.0',
  ];
  const MADE: ReadonlyArray<[string, string]> = [
    ...COPYLEFT.map((id): [string, string] => [`${id} by SPDX’s own text`, textOf(id)]),
    [
      'with GNU’s own addresses',
      GPL.replaceAll('https://www.gnu.org', 'http://gnu.org').replaceAll('https://fsf.org', 'http://fsf.org'),
    ],
    ['without its appendix', GPL.slice(0, GPL.indexOf('END OF TERMS'))],
    ['without its preamble', `GNU GENERAL PUBLIC LICENSE\n\n${GPL.slice(GPL.indexOf('0. Definitions'))}`],
    ['with straight quotes and indented', GPL.replace(/[“”]/g, '"').replaceAll('\n', '\n   ')],
    ['in capitals', GPL.toUpperCase()],
    [
      'as a comment',
      GPL.split('\n')
        .map((line) => `# ${line}`)
        .join('\n'),
    ],
    ['as HTML', `<html><body><p>${GPL.replaceAll('\n\n', '</p>\n<p>')}</p></body></html>`],
    ['with a sentence of its own', GPL.replace('TERMS AND CONDITIONS', 'Hello there.\n\nTERMS AND CONDITIONS')],
    ['cut in half', GPL.slice(0, GPL.length / 2)],
    ['with letters that nobody sees', GPL.replace(/(?<=\w)(?=\w)/g, '\u200b')],
    ['after the MIT licence', `${MIT}\n\n${GPL}`],
    ['before the MIT licence', `${GPL}\n\n${MIT}`],
    [
      'after the end of Apache’s terms',
      APACHE.replace('END OF TERMS AND CONDITIONS', `END OF TERMS AND CONDITIONS\n\n${GPL}`),
    ],
    [
      'as its notice',
      GPL.slice(GPL.indexOf('This program is free software: you can'), GPL.indexOf('Also add information')),
    ],
    ['as its id', 'GPL-3.0-or-later'],
  ];
  describe('as it is', () =>
    gateOnce(
      MADE.map(([title, text]) => [title, 'MIT', () => [plain(text)]] as const),
      'MIT',
      contradicts,
    ));
  describe('in another place', () =>
    gateOnce(
      [
        ['in the second text of a component', 'MIT', () => [plain(MIT), plain(GPL)]],
        ['in base64', 'MIT', () => [base64(GPL)]],
      ],
      'MIT',
      contradicts,
    ));
});

describe('a text that cannot be known is refused', () => {
  gateOnce(
    [
      ['in base64 that does not say so', 'MIT', () => [plain(Buffer.from(GPL).toString('base64'))]],
      ['compressed', 'MIT', () => [base64(gzipSync(GPL))]],
      ['in UTF-16', 'MIT', () => [base64(Buffer.from(GPL, 'utf16le'))]],
      ['in another alphabet', 'MIT', () => [plain(GPL.replaceAll('o', 'о').replaceAll('e', 'е').replaceAll('a', 'а'))]],
      ['a letter at a time', 'MIT', () => [plain([...GPL].join(' '))]],
      ['after ten megabytes of words', 'MIT', () => [plain(`${'word '.repeat(2_000_000)}\n${GPL}`)]],
    ],
    'MIT',
    ({ code }) => expect(code).toBe('licence.text_unknown'),
  );
});

describe('a restriction added to a permissive text is refused', () => {
  const RESTRICTED: ReadonlyArray<[string, string, string]> = [
    ['the Commons Clause after MIT', 'MIT', `${MIT}\n\n${COMMONS_CLAUSE}`],
    ['the Commons Clause before MIT', 'MIT', `${COMMONS_CLAUSE}\n\n${MIT}`],
    ['the Commons Clause after Apache-2.0', 'Apache-2.0', `${APACHE}\n\n${COMMONS_CLAUSE}`],
    [
      'the Commons Clause in place of the appendix',
      'Apache-2.0',
      `${APACHE.slice(0, APACHE.indexOf('APPENDIX'))}\n\n${COMMONS_CLAUSE}`,
    ],
    [
      'Good, not Evil',
      'MIT',
      MIT.replace('THE SOFTWARE IS', 'The Software shall be used for Good, not Evil.\n\nTHE SOFTWARE IS'),
    ],
    [
      'a line in the middle',
      'MIT',
      MIT.replace('THE SOFTWARE IS', 'Nobody may host it as a service.\n\nTHE SOFTWARE IS'),
    ],
    ['one word', 'MIT', MIT.replace('and/or sell', 'and not sell')],
    ['in a line of copyright', 'MIT', MIT.replace('Dana Example', 'Dana Example. Commercial use is forbidden.')],
    ['joined to one word', 'MIT', MIT.replace('Dana Example', 'Dana Example NO-COMMERCIAL-USE')],
    ['joined by its capitals', 'MIT', MIT.replace('Dana Example', 'Dana Example NoCommercialUse')],
    ['with blanks between its letters', 'MIT', MIT.replace('Dana Example', 'Dana N O T F O R S A L E')],
    ['in Cyrillic letters', 'MIT', MIT.replace('Dana Example', 'Dana Example NОT FОR CОMMERCIAL USЕ')],
    ['in Greek letters', 'MIT', MIT.replace('Dana Example', 'Dana Example, ΝΟΤ for SΑLΕ')],
    ['in small capitals', 'MIT', MIT.replace('Dana Example', 'Dana Example Nᴏ Cᴏᴍᴍᴇʀᴄɪᴀʟ Uꜱᴇ')],
    ['in letters with accents', 'MIT', MIT.replace('Dana Example', 'Dana Example Nö Cömmerciál Üse')],
    ['in letters and digits', 'MIT', MIT.replace('Dana Example', 'Dana Example N0 C0MMERCIAL US3')],
    ['in Thai', 'MIT', MIT.replace('Dana Example', 'Dana ห้ามใช้เพื่อการค้า')],
    ['in Braille', 'MIT', MIT.replace('Dana Example', 'Dana Example ⠝⠕⠞ ⠋⠕⠗ ⠎⠁⠇⠑')],
    ['in a line of Braille', 'MIT', `⠝⠕⠞ ⠋⠕⠗ ⠎⠁⠇⠑\n\n${MIT}`],
    ['in Deseret letters', 'MIT', MIT.replace('Dana Example', 'Dana Example 𐐤𐐄 𐐝𐐁𐐢')],
    ['in Tifinagh letters', 'MIT', MIT.replace('Dana Example', 'Dana Example ⵏⵓ ⵙⴰⵍ')],
    ['in the letters of flags', 'MIT', MIT.replace('Dana Example', 'Dana Example 🇳🇴 🇸🇦🇱🇪')],
    ['in letters in black squares', 'MIT', MIT.replace('Dana Example', 'Dana Example 🅽🅾 🆂🅰🅻🅴')],
    ['by a sign', 'MIT', `🚫 💰\n\n${MIT}`],
    ['upside down', 'MIT', MIT.replace('Dana Example', 'Dana Example ǝsn ʅɐᴉɔɹǝɯɯoɔ oN')],
    ['from right to left', 'MIT', MIT.replace('Dana Example', 'Dana \u202eelas rof ton')],
    ['by a word struck out', 'MIT', MIT.replace('without restriction', '~~without~~ restriction')],
    ['by letters struck out', 'MIT', MIT.replace('without restriction', 'w̶i̶t̶h̶o̶u̶t̶ restriction')],
    ['in an address of HTML', 'MIT', `${MIT}\n<a href="no-commercial-use">License</a>`],
    ['in one word', 'MIT', MIT.replace('Dana Example', 'Dana Example @nocommercialuse')],
    ['in Polish', 'MIT', MIT.replace('Dana Example', 'Dana Zakaz Komercyjnego Wykorzystania')],
    ['in Greek', 'MIT', MIT.replace('Dana Example', 'Dana Απαγορεύεται η Εμπορική Χρήση')],
    ['in Vietnamese', 'MIT', MIT.replace('Dana Example', 'Dana Cấm Thương Mại')],
    ['beside a holder whose name is a term', 'MIT', MIT.replace('Dana Example', 'Will You Pay')],
    ['in a heading of Cyrillic letters', 'MIT', `NОT FОR SАLE\n\n${MIT}`],
    ['by another licence’s id beside the holder', 'MIT', MIT.replace('Dana Example', 'Dana Example, EUPL-1.2')],
    ['by its name there', 'MIT', MIT.replace('Dana Example', 'Dana Example SSPL')],
    ['by another licence’s tag', 'MIT', `SPDX-License-Identifier: Elastic-2.0\n\n${MIT}`],
    ['in German', 'MIT', `${MIT}\n\nNur für den privaten Gebrauch.`],
    ['in Chinese', 'MIT', `${MIT}\n\n禁止商用`],
    ['in a comment of HTML', 'MIT', `${MIT}\n<!-- not for sale -->`],
    ['in an attribute of HTML', 'MIT', `${MIT}\n<a title="not for sale">`],
    ['between letters that nobody sees', 'MIT', `${MIT}\n\nn\u200bot for s\u200bale`],
    [
      'as a name',
      'BSD-3-Clause',
      textOf('BSD-3-Clause').replace('the copyright holder nor', 'Acme, which must not be sold, nor'),
    ],
  ];
  const rows = RESTRICTED.map(([title, id, text]) => [title, id, () => [plain(text)]] as const);
  const check = ({ code, licences = [] }: Gated) => {
    expect(['licence.text_changed', 'licence.text_contradicts']).toContain(code);
    expect(licences.some(({ stated, additions }) => stated === 'JSON' || additions !== undefined)).toBe(true);
  };
  describe('by the list', () => gateOnce(rows, PERMISSIVE, check));
  describe('and by --allow-unknown too', () => gateOnce(rows, PERMISSIVE, check, '--allow-unknown'));
});

describe('a text under the id of its neighbour is told', () => {
  const NEIGHBOURS = [
    ['BSD-2-Clause', 'BSD-3-Clause'],
    ['BSD-3-Clause', 'BSD-4-Clause'],
    ['MIT', 'JSON'],
    ['MIT', 'X11'],
    ['ISC', '0BSD'],
  ] as const;
  const rows = NEIGHBOURS.map(([id, text]) => [`${text} under ${id}`, id, () => [plain(textOf(text))], text] as const);
  const named = ({ licences, contradicts }: Gated, text: string) => {
    expect([contradicts, licences?.[1]?.['stated']]).toEqual([true, text]);
  };
  describe('where both are allowed', () =>
    gateOnce(rows, NEIGHBOURS.flat().join(), (gated, [, , , text = '']) => {
      expect(gated.code).toBeUndefined();
      named(gated, text);
    }));
  describe('where it is not, and refused', () =>
    gateOnce(
      rows.filter(([, , , text]) => text !== 'BSD-3-Clause'),
      'MIT,ISC,BSD-2-Clause,BSD-3-Clause',
      (gated, [, , , text = '']) => {
        contradicts(gated);
        named(gated, text);
      },
    ));
});

describe('what may vary in a text is no other licence', () => {
  gateOnce(
    [
      ['a holder', 'MIT', () => [plain(MIT)]],
      [
        'several holders',
        'MIT',
        () => [
          plain(
            MIT.replace(
              'Dana Example',
              'Dana Example <dana@example.com>\nCopyright (c) 2020-present npm and other contributors',
            ),
          ),
        ],
      ],
      ['a title', 'MIT', () => [plain(MIT.replace('MIT License', '# The MIT License (MIT)'))]],
      ['its own tag', 'MIT', () => [plain(`SPDX-License-Identifier: MIT\n\n${MIT}`)]],
      [
        'its own tag with a version',
        'Apache-2.0',
        () => [plain(`// SPDX-License-Identifier: Apache-2.0\n\n${APACHE}`)],
      ],
      ...[
        'PayPal and eBay',
        'Jean-Pas Müller-Sans',
        'Иван Петров',
        'Νίκος Παπαδόπουλος',
        'J. R. R. Tolkien',
        'Łukasz Żółw',
        '3Com',
        'Will McGugan',
        'Yuxi (Evan) You',
        'Theresa May and contributors',
        'Yahoo! Inc. All rights reserved.',
        'Dana Example <dana [at) example (dot] com>',
        'the Frobnicator Team, see AUTHORS for more information.',
        'Dana Example (frobnicator), 2013, Lee Example (frob-rw), 2012, Kim Example (frob)',
      ].map((name) => [`the holder ${name}`, 'MIT', () => [plain(MIT.replace('Dana Example', name))]] as const),
      [
        'the address that CC0 ends with',
        'CC0-1.0',
        () => [
          plain(
            `${textOf('CC0-1.0')}\nFor more information, please see\n<http://creativecommons.org/publicdomain/zero/1.0/>`,
          ),
        ],
      ],
      [
        'several authors in the disclaimer',
        'ISC',
        () => [
          plain(
            textOf('ISC').replace('ISC DISCLAIMS', 'THE AUTHORS DISCLAIM').replace('SHALL ISC', 'SHALL THE AUTHORS'),
          ),
        ],
      ],
      ['the name of the project', 'MIT', () => [plain(`Frobnicator\n\n${MIT}`)]],
      [
        'a holder in the disclaimer',
        'BSD-3-Clause',
        () => [
          plain(
            textOf('BSD-3-Clause').replace(
              'BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS"',
              "BY THE REGENTS AND CONTRIBUTORS ''AS IS''",
            ),
          ),
        ],
      ],
      [
        'the appendix filled in',
        'Apache-2.0',
        () => [plain(APACHE.replace('[yyyy] [name of copyright owner]', '2024 Example Ltd.'))],
      ],
      [
        'the notice alone',
        'Apache-2.0',
        () => [plain(`Copyright 2024 Example\n\n${APACHE.slice(APACHE.indexOf('Licensed under the Apache'))}`)],
      ],
      ['one of several licences with one text', 'GPL-2.0-only', () => [plain(textOf('GPL-2.0-only'))]],
      ['another of them', 'GPL-2.0-or-later', () => [plain(textOf('GPL-2.0-only'))]],
    ],
    `${PERMISSIVE},GPL-2.0-only`,
    ({ code, contradicts }) => expect([code, contradicts]).toEqual([undefined, false]),
  );
});

test('a text of one side of an expression is held against that side', async () => {
  const file = join(folder, 'sides.cdx.json');
  const of = (name: string, licenseIdentifier: string, text: string) => ({
    type: 'library',
    name,
    licenses: [{ expression: 'MIT OR LicenseRef-X', expressionDetails: [{ licenseIdentifier, text: plain(text) }] }],
  });
  const components = [
    of('clause', 'MIT', `${MIT}\n\n${COMMONS_CLAUSE}`),
    of('strange', 'MIT', 'Ask the author about anything that you want to do with this program, please.'),
    of('plain', 'MIT', MIT),
    of('own', 'LicenseRef-X', 'Ask the author about anything that you want to do with this program, please.'),
  ];
  writeFileSync(file, JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.7', components }));
  const ran = await runLine(['sbom', 'licenses', file, '--allow', 'MIT', '--output', 'json']);
  expect(documentOf(ran).offending.map(({ name, code }: { name: string; code: string }) => [name, code])).toEqual([
    ['clause', 'licence.text_changed'],
    ['strange', 'licence.text_unknown'],
  ]);
});

test('a line above the terms is an addition, and not the text of another licence', async () => {
  const terms = textOf('ISC').slice(textOf('ISC').indexOf('Permission'));
  const text = `ISC LICENSE

    This license is approved by the OSI and FSF as GPL-compatible.
        http://opensource.org/licenses/isc-license.txt

    Copyright (c) 2013-2014, Example development team
    Copyright (c) 2012, Dana Example <dana@example.com>

${terms}`;
  const { gated } = await gate([{ id: 'ISC', texts: [plain(text)] }], 'ISC');
  expect(gated.map(({ code, contradicts }) => [code, contradicts])).toEqual([['licence.text_changed', false]]);
});

test('people see what was added and what contradicts', async () => {
  const file = join(folder, 'shown.cdx.json');
  const of = (name: string, id: string, text: string) => ({
    type: 'library',
    name,
    licenses: [{ license: { id, text: plain(text) } }],
  });
  const components = [of('changed', 'MIT', `${MIT}\n\nNobody may sell it.`), of('other', 'MIT', textOf('ISC'))];
  writeFileSync(file, JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', components }));
  const { stdout } = await runLine(['sbom', 'licenses', file, '--allow', 'MIT,ISC']);
  expect(stdout).toMatch(/changed .*MIT with additions.*licence\.text_changed/);
  expect(stdout).toMatch(/added +“Nobody may sell it”/);
  expect(stdout).toMatch(/other .*the text beside MIT is, or holds, that of ISC.*licence\.text_contradicts/);
  const sarif = JSON.parse(
    (await runLine(['sbom', 'licenses', file, '--allow', 'MIT,ISC', '--output', 'sarif'])).stdout,
  );
  expect(sarif.runs[0].results.map(({ level, ruleId }: { level: string; ruleId: string }) => [level, ruleId])).toEqual([
    ['error', 'licence.text_changed'],
    ['warning', 'licence.text_contradicts'],
  ]);
});

const COMMON = '/usr/share/common-licenses';
const COMMON_NAMES = existsSync(COMMON) ? readdirSync(COMMON) : [];
describe.skipIf(COMMON_NAMES.length === 0)(
  'the texts that Debian has in common-licenses, where the system has them',
  () => {
    const IDS: Readonly<Record<string, string>> = { Artistic: 'Artistic-1.0-Perl', BSD: 'BSD-3-Clause' };
    gateOnce(
      COMMON_NAMES.map((name) => [name, 'MIT', () => [plain(readFileSync(join(COMMON, name), 'utf8'))]] as const),
      'MIT',
      (gated, [name]) => {
        contradicts(gated);
        expect(gated.licences?.[1]?.['stated']).toContain(IDS[name] ?? name);
      },
    );
  },
);
