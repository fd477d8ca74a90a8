import list from 'spdx-license-list/full.js';
import { beforeAll, describe, expect, test } from 'vitest';
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

test('most of the licences that SPDX lists are recognised as what they are, and none as another', () => {
  const wrong: string[] = [];
  let recognised = 0;
  for (const [id, { licenseText }] of Object.entries(list)) {
    const { is } = texts.identify(licenseText);
    if (is === undefined) continue;
    recognised++;
    const same = is.some((one) => list[one]!.licenseText === licenseText || one === id);
    if (!same) wrong.push(`${id}: ${is}`);
  }
  // Others have one text but for a heading, and are known by either id.
  expect(wrong.length).toBeLessThan(20);
  expect(recognised).toBeGreaterThan(650);
});

describe('a text is not the licence', () => {
  test.each([
    [
      'with a condition before it',
      () => `You shall not sell this software, whatever the licence that follows allows.\n\n${MIT}`,
      [['MIT']],
    ],
    ['with a condition after it', () => `${MIT}\n\nThe Software shall be used for Good, not Evil.`, [['MIT']]],
    ['with another beside it', () => `${MIT}\n\n${GPL}`, [['MIT'], ['GPL-3.0-only', 'GPL-3.0-or-later']]],
    ['with a word changed', () => MIT.replace('without restriction', 'with restriction'), []],
    ['cut', () => MIT.slice(0, 600), []],
    ['empty', () => '', []],
    ['one word a million times', () => 'permission '.repeat(100_000), []],
    [
      'its start a thousand times',
      () => `${MIT.slice(MIT.indexOf('Permission'), MIT.indexOf('Permission') + 300)}\n`.repeat(1000),
      [],
    ],
  ])('%s', (_, text, holds) => {
    const identified = texts.identify(text());
    expect(identified.is).toBeUndefined();
    expect(identified.holds.map((ids) => [...ids].sort())).toEqual(holds);
  });
});

test.each([
  [{ content: 'plain' }, 'plain'],
  [{ content: 'cGxhaW4=', encoding: 'base64' }, 'plain'],
  [{ content: 'cGxh\naW4=', encoding: 'base64' }, 'plain'],
  [{ content: '***', encoding: 'base64' }, undefined],
  [{ content: 'x', encoding: 'base85' }, undefined],
  [{ content: '' }, undefined],
  [{ content: 7 }, undefined],
  [null, undefined],
  ['text', undefined],
])('the text of %j is %j', (attachment, text) => {
  expect(readLicenceText(attachment)).toBe(text);
});
