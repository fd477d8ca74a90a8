import list from 'spdx-license-list/full.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { licenceTerm } from '../spdx/licence-term.ts';
import { type LicenceTexts, loadLicenceTexts, readLicenceText } from './licence-text.ts';

let texts: LicenceTexts;
beforeAll(async () => {
  texts = await loadLicenceTexts();
});
const MIT = list['MIT']!.licenseText;
const GPL = list['GPL-3.0-only']!.licenseText;
const APACHE = list['Apache-2.0']!.licenseText;
const ISC = list['ISC']!.licenseText;
const wrapped = (text: string, width: number) => text.replace(new RegExp(`(.{1,${width}})(?:\\s|$)`, 'g'), '$1\n');

describe('a text is the licence', () => {
  test.each([
    ['as SPDX has it', () => MIT, ['MIT']],
    ['with a holder', () => MIT.replace('<year> <copyright holders>', '2024 Dana Example <dana@example.com>'), ['MIT']],
    ['without its title', () => MIT.slice(MIT.indexOf('Permission')), ['MIT']],
    ['under another title', () => `(The MIT License)\n\n${MIT.slice(MIT.indexOf('Copyright'))}`, ['MIT']],
    ['wrapped at 40', () => wrapped(MIT, 40), ['MIT']],
    ['wrapped at 79 with CRLF', () => wrapped(MIT, 79).replaceAll('\n', '\r\n'), ['MIT']],
    ['in capitals', () => MIT.toUpperCase(), ['MIT']],
    [
      'as a comment',
      () =>
        MIT.split('\n')
          .map((line) => ` * ${line}`)
          .join('\n'),
      ['MIT'],
    ],
    [
      'with its appendix filled in',
      () => APACHE.replace('[yyyy] [name of copyright owner]', '2024 Example'),
      ['Apache-2.0'],
    ],
    ['without its appendix', () => APACHE.slice(0, APACHE.indexOf('APPENDIX')), ['Apache-2.0']],
    ['by an author', () => ISC.replaceAll(/ISC (?=DISCLAIMS|BE)/g, 'THE AUTHOR '), ['ISC']],
    ['shared by two ids', () => GPL, ['GPL-3.0-only', 'GPL-3.0-or-later']],
  ])('%s', (_, text, ids) => {
    expect([...(texts.identify(text()).is ?? [])].sort()).toEqual(ids);
  });
});

test('the licences that SPDX lists are recognised by their own texts as what they are, and none as another', () => {
  const wrong: string[] = [];
  let recognised = 0;
  for (const [id, { licenseText }] of Object.entries(list)) {
    const { is } = texts.identify(licenseText);
    if (is === undefined) continue;
    recognised++;
    const current = licenceTerm(id).text;
    if (!is.some((one) => one === current || list[one]?.licenseText === licenseText)) wrong.push(`${id}: ${is}`);
  }
  expect(wrong).toEqual([]);
  // The others are a line or two, or point to the text of another licence.
  expect(recognised).toBeGreaterThan(710);
});

describe('a text is not the licence', () => {
  test.each<[string, () => string, unknown[], string[]]>([
    [
      'with a condition before it',
      () => `You shall not sell this software, whatever the licence that follows allows.\n\n${MIT}`,
      [{ ids: ['MIT'], additions: [], omissions: [] }],
      ['You shall not sell this software, whatever the licence that follows allows'],
    ],
    [
      'with a condition after it',
      () => `${MIT}\n\nThe Software shall be used for Good, not Evil.`,
      [{ ids: ['MIT'], additions: [], omissions: [] }],
      ['The Software shall be used for Good, not Evil'],
    ],
    [
      'with another beside it',
      () => `${MIT}\n\n${GPL}`,
      [{ ids: ['MIT'] }, { ids: expect.arrayContaining(['GPL-3.0-only', 'GPL-3.0-or-later']) }],
      [],
    ],
    [
      'with a word changed',
      () => MIT.replace('without restriction', 'with restriction'),
      [{ ids: ['MIT'], additions: ['with'], omissions: ['without'] }],
      [],
    ],
    [
      'with a word left out',
      () => MIT.replace('free of charge, ', ''),
      [{ ids: ['MIT'], omissions: ['free of charge'] }],
      [],
    ],
    ['empty', () => '', [], []],
    ['one word a million times', () => 'permission '.repeat(100_000), [], [expect.any(String)]],
  ])('%s', (_, text, licences, additions) => {
    const identified = texts.identify(text());
    expect(identified.is).toBeUndefined();
    expect(identified).toMatchObject({ licences, additions });
  });

  test('with another in the middle of it, which is found there', () => {
    const { is, licences } = texts.identify(MIT.replace('subject to the', `subject to\n${GPL}\nand the`));
    expect(is).toBeUndefined();
    expect(licences.flatMap(({ ids }) => ids)).toContain('GPL-3.0-only');
  });

  test('cut, it is a licence with omissions where it is long, and none where it is short', () => {
    expect(texts.identify(MIT.slice(0, 300)).licences).toEqual([]);
    const [found] = texts.identify(GPL.slice(0, GPL.length / 2)).licences;
    expect(found).toMatchObject({ ids: expect.arrayContaining(['GPL-3.0-only']), additions: [] });
    expect(found!.omissions.length).toBeGreaterThan(0);
  });

  test('its start a thousand times is bounded', () => {
    const { is, licences, additions } = texts.identify(
      `${MIT.slice(MIT.indexOf('Permission'), MIT.indexOf('Permission') + 300)}\n`.repeat(1000),
    );
    expect([is, licences.length > 100, JSON.stringify(additions).length < 10_000]).toEqual([undefined, false, true]);
  });
});

test('the same licence twice is one, and two licences are none', () => {
  expect(texts.identify(`${MIT}\n\n${MIT.replace('<copyright holders>', 'Dana Example')}`).is).toEqual(['MIT']);
  expect(texts.identify(`${MIT}\n\n${ISC}`).is).toBeUndefined();
});

const unreadable = { kind: 'unreadable' };
test.each([
  [{ content: 'plain' }, { kind: 'text', text: 'plain' }],
  [
    { content: 'cGxhaW4=', encoding: 'base64' },
    { kind: 'text', text: 'plain' },
  ],
  [
    { content: 'cGxh\naW4=', encoding: 'base64' },
    { kind: 'text', text: 'plain' },
  ],
  [{ content: '***', encoding: 'base64' }, unreadable],
  [{ content: 'x', encoding: 'base85' }, unreadable],
  [{ content: 'x'.repeat(3_000_000) }, unreadable],
  [{ content: '' }, { kind: 'none' }],
  [{ content: 7 }, { kind: 'none' }],
  [null, { kind: 'none' }],
  ['text', { kind: 'none' }],
])('the text of %.60j is %j', (attachment, text) => {
  expect(readLicenceText(attachment)).toMatchObject(text);
});
