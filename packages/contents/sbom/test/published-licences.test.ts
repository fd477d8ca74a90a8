import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadLicenceTexts } from '@colophon/sbom';
import list from 'spdx-license-list/full.js';
import { describe, expect, test } from 'vitest';
import { parseLicenceExpression } from '../src/licence/licence-expression.ts';
import type { LicenceTexts } from '../src/licence/licence-text.ts';

const texts: LicenceTexts = await loadLicenceTexts();

type Published = { readonly path: string; readonly declared: readonly string[]; readonly text: string };

/** The distinct licence files of the packages that this checkout has installed, with what each package declares. */
function publishedHere(): Published[] {
  const found = new Map<string, Published>();
  const visit = (folder: string) => {
    for (const { name } of existsSync(folder)
      ? readdirSync(folder, { withFileTypes: true }).filter((one) => one.isDirectory())
      : []) {
      const place = join(folder, name);
      if (name.startsWith('@')) visit(place);
      else readPackage(place, found);
      visit(join(place, 'node_modules'));
    }
  };
  visit(join(import.meta.dirname, '../../../../node_modules'));
  return [...found.values()];
}

function readPackage(folder: string, found: Map<string, Published>): void {
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) return;
  const { license } = JSON.parse(readFileSync(manifest, 'utf8')) as { license?: unknown };
  const parsed = parseLicenceExpression(typeof license === 'string' ? license : '');
  const declared = parsed.ok ? parsed.value.flatMap((part) => (typeof part === 'object' ? [part.base] : [])) : [];
  for (const name of readdirSync(folder).filter((one) =>
    /^(?:licen[cs]e|copying)(?:[.-][\w-]+)?(?:\.(?:md|txt))?$/i.test(one),
  )) {
    const path = join(folder, name);
    const text = readFileSync(path, 'utf8');
    // Bundles of many licences are read elsewhere; here each text takes its time.
    if (!found.has(text) && text.length <= LONGEST_TEXT) found.set(text, { path, declared, text });
  }
}

const LONGEST_TEXT = 50_000;
const COPYLEFT = /^(?:[al]?gpl|mpl|epl|cddl|eupl|osl|cc-by-(?:sa|nc|nd))/i;

test('the licence files of the installed packages are named as what their packages declare', () => {
  const published = publishedHere();
  expect(published.length).toBeGreaterThan(150);
  const single: Published[] = [];
  const misnamed: string[] = [];
  let plain = 0;
  for (const one of published) {
    const { is, licences } = texts.identify(one.text);
    const bases = (ids: readonly string[]) => ids.map((id) => id.toLowerCase().replace(/-(?:only|or-later)$/, ''));
    if (is !== undefined && COPYLEFT.test(is[0]!))
      expect(
        bases(is).some((id) => one.declared.includes(id)),
        one.path,
      ).toBe(true);
    if (new Set(licences.map(({ ids }) => ids.join())).size !== 1) continue;
    single.push(one);
    if (is !== undefined) plain++;
    if (!bases(licences[0]!.ids).some((id) => one.declared.includes(id)))
      misnamed.push(`${one.path}: ${licences[0]!.ids}`);
  }
  expect(misnamed.length, misnamed.join('\n')).toBeLessThanOrEqual(single.length * 0.02);
  expect(plain / single.length).toBeGreaterThan(0.93);
});

/** A generator of our own, so that a failure can be repeated. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('a restriction at any place of a permissive text', () => {
  const RESTRICTIONS = [
    'You may not sell the Software.',
    'The Software shall be used for Good, not Evil.',
    'Commercial use is forbidden.',
    'not',
    'Only for research.',
    'All modifications have to be sent to the author.',
    'Use by competitors of the author is excluded.',
    'Licensees pay ten dollars each month.',
    'Academics exclusively',
    'with attribution on every page',
    'GPL-3.0 applies',
    'Copyright (c) 2020 Foo. Commercial use is forbidden.',
    'Copyright (c) 2020 Foo, not for sale',
    '<!-- no commercial use -->',
    'Die Nutzung ist nur privat gestattet.',
    'Usage commercial interdit.',
    'Только для некоммерческого использования',
    '禁止商用',
  ];
  const PERMISSIVE = [
    'MIT',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'Apache-2.0',
    'ISC',
    'Zlib',
    '0BSD',
    'BSL-1.0',
    'X11',
    'NCSA',
  ];
  test.each(PERMISSIVE)(
    '%s is never named plainly',
    (id) => {
      const random = randomFrom(id.length * 7919);
      const text = list[id]!.licenseText;
      expect(texts.identify(text).is).toContain(id);
      const blanks = [...text.matchAll(/\s+/g)];
      for (const restriction of RESTRICTIONS) {
        const { index } = blanks[Math.floor(random() * blanks.length)]!;
        const gap = ['\n\n', '\n', ' '][Math.floor(random() * 3)]!;
        const made = `${text.slice(0, index)}${gap}${restriction}${gap}${text.slice(index)}`;
        expect(texts.identify(made).is, made).toBeUndefined();
      }
    },
    60_000,
  );
});
