import type { Bom } from '@colophon/sbom';
import { anyText } from '@colophon/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  artifactNames,
  assertPublicationName,
  isPointerFile,
  isPublicationFile,
  latestFile,
  parsePublicationName,
  publicationFiles,
  publicationName,
} from './publication-name.ts';

function bomOf(component: object | undefined): Bom {
  return { bomFormat: 'CycloneDX', specVersion: '1.7', metadata: { component } } as unknown as Bom;
}
const codeOf = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
  return 'ok';
};

describe('names', () => {
  test.each(['web', 'web-shop', 'a.b_c+d', '1', 'libstdc++', 'acme__web', 'connect', 'com10'])(
    '%s is a name',
    (name) => {
      expect(codeOf(() => assertPublicationName({ artifact: name, version: '1' }))).toBe('ok');
      expect(codeOf(() => assertPublicationName({ artifact: 'a', version: name }))).toBe('ok');
    },
  );

  test.each([
    '',
    '.',
    '..',
    '../x',
    'a/../b',
    'a..b',
    'a\\b',
    'a/b',
    '%2e%2e%2f',
    '%2e',
    'a\0b',
    'a\nb',
    ' a',
    'a ',
    'a.',
    '.a',
    '-a',
    '@acme/web',
    'a:b',
    'CON',
    'nul.x',
    'com1',
    'ä',
    'a\u202eb',
    'a\u0430',
    'x'.repeat(300),
    'x'.repeat(81),
  ])('%j is none', (name) => {
    expect(codeOf(() => assertPublicationName({ artifact: name, version: '1' }))).toBe('publishing.name_invalid');
    expect(codeOf(() => assertPublicationName({ artifact: 'a', version: name }))).toBe('publishing.name_invalid');
  });

  test.each(['latest', 'LATEST', 'Latest'])('%s is no version', (version) => {
    expect(codeOf(() => assertPublicationName({ artifact: 'a', version }))).toBe('publishing.name_invalid');
  });

  const text = fc.oneof(anyText({ maxLength: 90 }), fc.stringMatching(/^[A-Za-z0-9._+%-]{1,90}$/));

  test('whatever is accepted stays in its folder, and within the length that file systems have', () => {
    fc.assert(
      fc.property(text, text, (artifact, version) => {
        if (codeOf(() => assertPublicationName({ artifact, version })) !== 'ok') return;
        for (const file of [...Object.values(publicationFiles({ artifact, version })), latestFile(artifact)]) {
          expect(isPublicationFile(file)).toBe(true);
          expect(new URL(encodeURIComponent(file), 'http://x/a/').pathname).toMatch(/^\/a\/[^/]+$/);
          expect(`${file}.${'u'.repeat(36)}.new`.length).toBeLessThan(256);
        }
      }),
    );
  });

  test('a version that is called latest further on is no pointer of its own artifact', () => {
    expect(isPointerFile(latestFile('a'))).toBe(true);
    expect(isPointerFile('index.json')).toBe(true);
    expect(isPointerFile(publicationFiles({ artifact: 'a', version: '1' }).document)).toBe(false);
    expect(isPublicationFile('.lock')).toBe(false);
    expect(isPublicationFile('a-1.cdx.json.0b2f.new')).toBe(false);
  });
});

describe('the name of a document', () => {
  test('is that of its component; a group or an npm scope comes first', () => {
    expect(artifactNames(bomOf({ name: 'web' }))).toEqual(['web']);
    expect(artifactNames(bomOf({ name: '@acme/web' }))).toEqual(['acme__web', 'web']);
    expect(artifactNames(bomOf({ group: '@acme', name: 'web' }))).toEqual(['acme__web', 'web']);
    expect(artifactNames(bomOf({ group: 'org.acme', name: 'web' }))).toEqual(['org.acme__web', 'web']);
  });

  test('is not read out of underscores, so that no two scopes have one', () => {
    expect(artifactNames(bomOf({ name: 'acme__web' }))).toEqual([]);
    expect(artifactNames(bomOf({ group: 'a__b', name: 'c' }))).toEqual([]);
  });

  test('can be declared', () => {
    const properties = [{ name: 'colophon:artifact', value: 'shop' }];
    expect(publicationName(bomOf({ name: 'Web Shop', version: '1', properties }))).toEqual({
      artifact: 'shop',
      version: '1',
    });
  });

  test.each([
    ['no component', undefined, {}],
    ['no version', { name: 'web' }, {}],
    ['another version', { name: 'web', version: '1' }, { version: '2' }],
    ['another artifact', { name: 'web', version: '1' }, { artifact: 'shop' }],
    ['a name that is no file name', { name: 'Web Shop', version: '1' }, {}],
    ['a path', { name: '../../etc/passwd', version: '1' }, {}],
  ])('is refused where there is %s', (_, component, wanted) => {
    expect(codeOf(() => publicationName(bomOf(component), wanted))).toBe('publishing.name_invalid');
  });

  test('never throws anything else on what nobody validated', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (component) => {
        expect(artifactNames(bomOf(component as object)).every((name) => typeof name === 'string')).toBe(true);
      }),
    );
  });
});

test('an artifact is written with or without its version', () => {
  expect(parsePublicationName('web')).toEqual({ artifact: 'web' });
  expect(parsePublicationName('web@latest')).toEqual({ artifact: 'web' });
  expect(parsePublicationName('web@1.2.3+b')).toEqual({ artifact: 'web', version: '1.2.3+b' });
  expect(codeOf(() => parsePublicationName('@acme/web@1'))).toBe('publishing.name_invalid');
  expect(codeOf(() => parsePublicationName('web@'))).toBe('publishing.name_invalid');
});
