import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatIndexPage } from './index-page.ts';
import {
  addPublication,
  emptyIndex,
  findPublication,
  formatIndex,
  type Publication,
  type PublicationIndex,
  parseIndex,
  removePublication,
} from './publication-index.ts';
import { publicationFiles } from './publication-name.ts';

const NOW = '2026-11-21T10:00:00Z';
const bytes = (text: string) => new TextEncoder().encode(text);

function publicationOf(artifact: string, version: string): Publication {
  const files = publicationFiles({ artifact, version });
  const record = (file: string) => ({ file, size: 3, digest: `sha256:${'ab'.repeat(32)}` });
  return {
    version,
    published_at: NOW,
    retain_until: '2029-11-21T10:00:00Z',
    signed_by: { subject: 'agent:code-writer', issuer: 'http://localhost:7080' },
    document: record(files.document),
    signature: record(files.signature),
    bundle: record(files.bundle),
  };
}

function indexOf(...names: ReadonlyArray<readonly [artifact: string, version: string]>): PublicationIndex {
  return names.reduce(
    (index, [artifact, version]) => addPublication(index, artifact, publicationOf(artifact, version), { now: NOW }),
    emptyIndex(NOW),
  );
}

describe('names', () => {
  test.each([
    ['one file for two versions', ['a', '1-2'], ['a-1', '2']],
    ['one file for two versions, the other way round', ['a-1', '2'], ['a', '1-2']],
    ['another case', ['web', '1.0.0'], ['Web', '1.0.0']],
    ['another case of the version', ['web', '1.0.0-RC'], ['web', '1.0.0-rc']],
    ['another case of the artifact, and its latest', ['web', '1'], ['WEB', '2']],
    ['a version in the place of a latest', ['a-x', '1'], ['a', 'x-latest']],
    ['a latest in the place of a version', ['a', 'x-latest'], ['a-x', '1']],
  ] as const)('two publications never share %s', (_, first, second) => {
    expect(() => indexOf(first, second)).toThrow(expect.objectContaining({ code: 'publishing.name_taken' }));
  });

  test('a dash alone is no conflict', () => {
    const index = indexOf(['a', '1'], ['a-b', '1'], ['a', '2-rc'], ['a-b-c', '1']);
    expect(index.artifacts.map(({ artifact }) => artifact)).toEqual(['a', 'a-b', 'a-b-c']);
  });
});

test('the latest goes forward, stays where that is wished, and goes back when its version is deleted', () => {
  const index = indexOf(['a', '1.0.0'], ['a', '2.0.0'], ['a', '1.0.1']);
  expect(index.artifacts[0]?.latest).toBe('2.0.0');
  const held = addPublication(index, 'a', publicationOf('a', '3.0.0'), { now: NOW, mayBecomeLatest: false });
  expect(held.artifacts[0]?.latest).toBe('2.0.0');
  const less = removePublication(index, { artifact: 'a', version: '2.0.0' }, NOW);
  expect(less.artifacts[0]).toMatchObject({ latest: '1.0.1' });
  expect(removePublication(indexOf(['a', '1']), { artifact: 'a', version: '1' }, NOW).artifacts).toEqual([]);
});

test('an index is read as it was written', () => {
  const name = fc
    .stringMatching(/^[a-z][a-z0-9]{0,8}$/)
    .filter((text) => !/^(?:con|prn|aux|nul|(?:com|lpt)\d)$/.test(text));
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(name, fc.constantFrom('1.0.0', '2.0.0')), { selector: String }), (names) => {
      const index = indexOf(...names);
      expect(parseIndex(bytes(formatIndex(index)))).toEqual(index);
      for (const [artifact, version] of names) expect(findPublication(index, { artifact, version })).toBeDefined();
    }),
  );
});

describe('an index that cannot be relied on is refused', () => {
  // biome-ignore lint/suspicious/noExplicitAny: each row breaks one thing
  test.each<[string, (index: any) => void]>([
    ['another kind', (index) => (index.kind = 'index')],
    ['another format', (index) => (index.format = 2)],
    ['no list', (index) => (index.artifacts = {})],
    ['no object', (index) => (index.artifacts = [null])],
    ['a file outside', (index) => (index.artifacts[0].versions[0].document.file = '../../etc/passwd')],
    ["another version's file", (index) => (index.artifacts[0].versions[0].signature.file = 'a-2.cdx.json.sig')],
    ['a version twice', (index) => index.artifacts[0].versions.push(index.artifacts[0].versions[0])],
    ['an artifact twice', (index) => index.artifacts.push({ ...index.artifacts[0], artifact: 'A' })],
    ['a path as a version', (index) => (index.artifacts[0].versions[0].version = '../1')],
    ['no digest', (index) => (index.artifacts[0].versions[0].document.digest = 'abc')],
    ['a negative size', (index) => (index.artifacts[0].versions[0].document.size = -1)],
    ['no time', (index) => (index.artifacts[0].versions[0].published_at = 'yesterday')],
    ['a time with a fraction', (index) => (index.artifacts[0].versions[0].retain_until = '2029-11-21T10:00:00.5Z')],
    ['a latest that is not there', (index) => (index.artifacts[0].latest = '9')],
  ])('%s', (_, damage) => {
    const index = JSON.parse(formatIndex(indexOf(['a', '1'])));
    damage(index);
    expect(() => parseIndex(bytes(JSON.stringify(index)))).toThrow(
      expect.objectContaining({ code: 'publishing.index_invalid' }),
    );
  });

  test.each(['', 'null', '[]', '{"kind":"sbom-index","kind":"sbom-index"}', '\ufeff{}'])('%j', (text) => {
    expect(() => parseIndex(bytes(text))).toThrow(expect.objectContaining({ code: 'publishing.index_invalid' }));
  });
});

test('the page loads nothing, runs nothing, and shows what a stranger wrote as text', () => {
  const index = indexOf(['web', '1.0.0+build.1'], ['web', '1.1.0']);
  const hostile = '<script>alert(1)</script>"\'&';
  const publication = { ...publicationOf('x', '1'), signed_by: { subject: hostile, issuer: hostile } };
  const page = formatIndexPage(addPublication(index, 'x', publication, { now: NOW }));
  expect(page).not.toMatch(/<script|\bsrc=|javascript:|@import|url\(/i);
  expect(page).toContain('&#60;script&#62;alert(1)&#60;/script&#62;&#34;&#39;&#38;');
  expect(page).toContain('href="./web-1.0.0%2Bbuild.1.cdx.json"');
  expect(page.indexOf('1.1.0')).toBeLessThan(page.indexOf('1.0.0+build.1'));
  expect(page).toContain('default-src &#39;none&#39;');
});
