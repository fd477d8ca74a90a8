import type { Statement, Subject } from '@colophon/records';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type About,
  type Artifact,
  aboutForNo,
  aboutForYes,
  approves,
  coversAll,
  coversCommit,
  coversFor,
  rejects,
} from './about.ts';

const [COMMIT, OTHER_COMMIT] = ['a'.repeat(40), 'b'.repeat(40)];
const digest = (digit: string) => `sha256:${digit.repeat(64)}`;
const [INDEX, CHILD, SECOND, ELSEWHERE] = ['1', '2', '3', '9'].map(digest) as [string, string, string, string];
const sha256 = (of: string): Subject => ({ digest: { sha256: of.slice('sha256:'.length) } });
const gitCommit = (id: string): Subject => ({ digest: { gitCommit: id } });
const image = (of: string) => ({ kind: 'image' as const, digest: of });
const file = (of: string) => ({ kind: 'file' as const, digest: of });
const commit = (id: string) => ({ kind: 'commit' as const, digest: `gitCommit:${id}` });

function statement(predicate: unknown, ...subject: Subject[]): Statement {
  return { _type: 'https://in-toto.io/Statement/v1', subject, predicateType: 'x', predicate } as Statement;
}

const artifact = (of: string, parts: string[] = [], kind: Artifact['kind'] = 'image') => ({
  kind,
  digest: of,
  digests: new Set([of, ...parts]),
});
const made = (of: string, parts: string[] = [], ...commits: string[]) => ({
  ...artifact(of, parts),
  commits: new Set(commits),
});

describe('a yes', () => {
  test.each<[string, object, About | undefined]>([
    [
      'to an image is about it and about the platforms that it names, of all its subjects',
      { target: image(INDEX), platforms: [{ digest: CHILD, platform: 'linux/amd64' }] },
      { images: [INDEX, CHILD], commits: [COMMIT], target: image(INDEX) },
    ],
    [
      'to an image is about none of its manifests where it names no platform',
      { target: image(INDEX) },
      { images: [INDEX], commits: [COMMIT], target: image(INDEX) },
    ],
    ['to a file', { target: file(CHILD) }, { images: [CHILD], commits: [COMMIT], target: file(CHILD) }],
    ['to a commit', { target: commit(COMMIT) }, { images: [], commits: [COMMIT], target: commit(COMMIT) }],
    [
      'that names a platform which is no subject is not about that',
      { target: image(INDEX), platforms: [{ digest: ELSEWHERE, platform: 'linux/amd64' }] },
      { images: [INDEX], commits: [COMMIT], target: image(INDEX) },
    ],
    ['to what is no subject is about nothing', { target: image(ELSEWHERE) }, undefined],
    ['to a commit that it does not name is about nothing', { target: commit(OTHER_COMMIT) }, undefined],
    ['whose target is no digest is about nothing', { target: { kind: 'image', digest: '1'.repeat(64) } }, undefined],
    ['whose target is null is about nothing', { target: null }, undefined],
    ['with platforms of no target is about nothing', { platforms: [] }, undefined],
    ['with platforms of a file is about nothing', { target: file(CHILD), platforms: [] }, undefined],
    [
      'to an image by the digest of a commit is about nothing',
      { target: { kind: 'image', digest: `gitCommit:${COMMIT}` } },
      undefined,
    ],
    ['that says no target is about its subjects', {}, { images: [INDEX, CHILD, SECOND], commits: [COMMIT] }],
  ])('%s', (_title, predicate, expected) => {
    const subjects = [INDEX, CHILD, SECOND].map(sha256);
    expect(aboutForYes(statement(predicate, ...subjects, gitCommit(COMMIT)))).toEqual(expected);
  });

  test('to a commit is about no other commit', () => {
    const said = statement({ target: commit(COMMIT), commit_sha: OTHER_COMMIT }, sha256(CHILD), gitCommit(COMMIT));
    expect(aboutForYes(said)).toEqual({ images: [], commits: [COMMIT], target: commit(COMMIT) });
  });

  test('names commits as subjects and in its predicate, each once and in lower case', () => {
    const subjects = [gitCommit(COMMIT.toUpperCase()), { digest: { sha1: OTHER_COMMIT } }, gitCommit('abc')];
    const said = statement({ commit_sha: COMMIT }, ...subjects, { digest: { sha256: 'A'.repeat(64) } });
    expect(aboutForYes(said)).toEqual({ images: [digest('a')], commits: [COMMIT, OTHER_COMMIT] });
    expect(aboutForYes(statement(null))).toEqual({ images: [], commits: [] });
  });

  test.each<[string, About, Artifact, boolean]>([
    ['its target', { images: [INDEX], commits: [], target: image(INDEX) }, artifact(INDEX, [CHILD]), true],
    ['a platform', { images: [INDEX, CHILD], commits: [], target: image(INDEX) }, artifact(CHILD), true],
    ['no other manifest', { images: [INDEX], commits: [], target: image(INDEX) }, artifact(CHILD), false],
    ['a file', { images: [INDEX], commits: [], target: file(INDEX) }, artifact(INDEX, [], 'file'), true],
    [
      'no image where it is one to a file',
      { images: [INDEX], commits: [], target: file(INDEX) },
      artifact(INDEX),
      false,
    ],
    [
      'no file where it is one to an image',
      { images: [INDEX], commits: [], target: image(INDEX) },
      artifact(INDEX, [], 'file'),
      false,
    ],
    ['the one image that it names, without a target', { images: [INDEX], commits: [] }, artifact(INDEX, [CHILD]), true],
    ['the one file that it names', { images: [INDEX], commits: [] }, artifact(INDEX, [], 'file'), true],
    ['no image that it does not name', { images: [INDEX], commits: [] }, artifact(CHILD), false],
    [
      'an index that it names with all its manifests',
      { images: [CHILD, INDEX], commits: [] },
      artifact(INDEX, [CHILD]),
      true,
    ],
    ['no manifest of that', { images: [CHILD, INDEX], commits: [] }, artifact(CHILD), false],
    [
      'no index of which it names another manifest',
      { images: [INDEX, ELSEWHERE], commits: [] },
      artifact(INDEX, [CHILD]),
      false,
    ],
    [
      'no index of which it names some manifests',
      { images: [INDEX, CHILD], commits: [] },
      artifact(INDEX, [CHILD, SECOND]),
      false,
    ],
    ['nothing where it names nothing', { images: [], commits: [COMMIT] }, artifact(INDEX), false],
  ])('approves %s', (_title, yes, asked, expected) => {
    expect(approves(yes, asked)).toBe(expected);
  });
});

describe('a no', () => {
  test.each<[string, object, Subject[], About]>([
    [
      'is about all that it names, whatever its target',
      { target: image(INDEX), commit_sha: OTHER_COMMIT },
      [sha256(INDEX), sha256(CHILD), gitCommit(COMMIT)],
      { images: [INDEX, CHILD], commits: [COMMIT, OTHER_COMMIT], target: image(INDEX) },
    ],
    [
      'whose target is no subject is about the commit too',
      { target: image(ELSEWHERE), platforms: [{ digest: SECOND, platform: 'linux/amd64' }, { digest: 1 }, null] },
      [sha256(INDEX), gitCommit(COMMIT)],
      { images: [INDEX, ELSEWHERE, SECOND], commits: [COMMIT], target: commit(COMMIT) },
    ],
    [
      'whose target cannot be read is about the commit too',
      { target: { kind: 'parcel', digest: SECOND.toUpperCase().replace('SHA256', 'sha256') } },
      [sha256(INDEX), gitCommit(COMMIT)],
      { images: [INDEX, SECOND], commits: [COMMIT], target: commit(COMMIT) },
    ],
    [
      'whose target is a digest without its algorithm is about that too',
      { target: { kind: 'commit', digest: OTHER_COMMIT }, platforms: 'all' },
      [sha256(INDEX)],
      { images: [INDEX], commits: [OTHER_COMMIT], target: commit(OTHER_COMMIT) },
    ],
    [
      'is about its platforms, also where they are no subjects',
      { target: image(INDEX), platforms: [{ digest: SECOND, platform: 'linux/amd64' }] },
      [sha256(INDEX)],
      { images: [INDEX, SECOND], commits: [], target: image(INDEX) },
    ],
    ...[SECOND, [{ kind: 'image', digest: SECOND }]].map((target): [string, object, Subject[], About] => [
      `whose target is ${JSON.stringify(target).slice(0, 20)}`,
      { target },
      [sha256(INDEX)],
      { images: [INDEX, SECOND], commits: [] },
    ]),
    [
      'by a run is about the commit that git had',
      { git: { commit_sha: COMMIT }, human_review: { approved: false } },
      [{ name: 'app.js', ...sha256(CHILD) }],
      { images: [CHILD], commits: [COMMIT], target: file(CHILD) },
    ],
    [
      'whose target cannot be read and which names no commit',
      { target: 1 },
      [sha256(INDEX)],
      { images: [INDEX], commits: [] },
    ],
    [
      'without a target is one to a file where its name is that of a file',
      {},
      [{ name: 'app.js', ...sha256(CHILD) }, gitCommit(COMMIT)],
      { images: [CHILD], commits: [COMMIT], target: file(CHILD) },
    ],
    [
      'without a target is none to a file where its name is that of a repository',
      {},
      [{ name: 'registry.example/app', ...sha256(CHILD) }, gitCommit(COMMIT)],
      { images: [CHILD], commits: [COMMIT] },
    ],
    ['without a target and a name', {}, [sha256(CHILD)], { images: [CHILD], commits: [] }],
    ['without a target that has an empty name', {}, [{ name: '', ...sha256(CHILD) }], { images: [CHILD], commits: [] }],
    [
      'without a target that names two',
      {},
      [
        { name: 'a', ...sha256(CHILD) },
        { name: 'b', ...sha256(SECOND) },
      ],
      { images: [CHILD, SECOND], commits: [] },
    ],
    ...['dist/app.js', './app.js', 'acme/app', 'a b/c'].map((name): [string, object, Subject[], About] => [
      `without a target may be one to a file where its name has no registry: ${name}`,
      {},
      [{ name, ...sha256(CHILD) }, gitCommit(COMMIT)],
      { images: [CHILD], commits: [COMMIT], target: file(CHILD) },
    ]),
    ...['localhost/app', 'registry.example:5000/app:1', 'pkg:oci/app?repository_url=x', 'docker://x/y'].map(
      (name): [string, object, Subject[], About] => [
        `without a target is none to a file where its name is that of an image: ${name}`,
        {},
        [{ name, ...sha256(CHILD) }, gitCommit(COMMIT)],
        { images: [CHILD], commits: [COMMIT] },
      ],
    ),
    [
      'without a target that names files and a commit is about the commit',
      {},
      [{ name: 'registry.example/app', ...sha256(INDEX) }, { name: 'b', ...sha256(SECOND) }, gitCommit(COMMIT)],
      { images: [INDEX, SECOND], commits: [COMMIT], target: commit(COMMIT) },
    ],
    ['that names what is no digest', {}, [{ name: 'a', digest: { sha256: 'x' } }], { images: [], commits: [] }],
  ])('%s', (_title, predicate, subjects, expected) => {
    expect(aboutForNo(statement(predicate, ...subjects))).toEqual(expected);
  });

  test.each<[string, About, boolean]>([
    ['the image', { images: [INDEX], commits: [] }, true],
    ['a manifest in it', { images: [ELSEWHERE, CHILD], commits: [] }, true],
    ['its commit alone', { images: [], commits: [COMMIT] }, true],
    ['another commit', { images: [], commits: [OTHER_COMMIT] }, false],
    ['a file and its commit', { images: [ELSEWHERE], commits: [COMMIT], target: file(ELSEWHERE) }, true],
    ['a file and another commit', { images: [ELSEWHERE], commits: [OTHER_COMMIT], target: file(ELSEWHERE) }, false],
    [
      'something and its commit, where the commit is the target',
      { images: [ELSEWHERE], commits: [COMMIT], target: commit(COMMIT) },
      true,
    ],
    ['another image and its commit', { images: [ELSEWHERE], commits: [COMMIT], target: image(ELSEWHERE) }, false],
    ['something else and its commit, without a target', { images: [ELSEWHERE], commits: [COMMIT] }, false],
  ])('rejects an image where it names %s', (_title, no, expected) => {
    expect(rejects(no, made(INDEX, [CHILD], COMMIT))).toBe(expected);
  });
});

describe('a yes covers all of a no', () => {
  const both = [INDEX, CHILD];
  const toIndex: About = { images: both, commits: [COMMIT], target: image(INDEX) };
  const yes = (images: string[], target?: About['target'], commits = [COMMIT]): About => ({
    images,
    commits,
    ...(target === undefined ? {} : { target }),
  });

  test.each<[string, About, About, boolean]>([
    ['the same target and commit, its manifests with it', yes([INDEX], image(INDEX)), toIndex, true],
    ['the target as a platform of another index', yes([SECOND, INDEX], image(SECOND)), toIndex, true],
    ['one of its manifests alone', yes([CHILD], image(CHILD)), toIndex, false],
    ['the same target and another commit', yes([INDEX], image(INDEX), [OTHER_COMMIT]), toIndex, false],
    ['the same digest as a file', yes([INDEX], file(INDEX)), toIndex, false],
    ['the target, named alone without a target', yes([INDEX]), toIndex, true],
    ['all that was rejected, without a target', yes([CHILD, INDEX]), toIndex, true],
    ['more than was rejected, without a target', yes([CHILD, INDEX, SECOND]), toIndex, false],
    ['part of it, without a target', yes([CHILD]), toIndex, false],
    ['a manifest, by an approval of its index', yes([INDEX], image(INDEX)), yes([CHILD], image(CHILD)), false],
    ['a manifest, by its name among the platforms', yes(both, image(INDEX)), yes([CHILD], image(CHILD)), true],
    ['a manifest, by an index of an older program', yes(both), yes([CHILD], image(CHILD)), false],
    ['the same of an older program', yes(both), yes(both), true],
    ['an older no, by the index alone', yes([INDEX], image(INDEX)), yes(both), false],
    ['an older no, by all of it', yes(both, image(INDEX)), yes(both), true],
    ['a file', yes([CHILD], file(CHILD)), yes([CHILD], file(CHILD)), true],
    ['another file', yes([SECOND], file(SECOND)), yes([CHILD], file(CHILD)), false],
    ['a commit', yes([], commit(COMMIT)), yes([], commit(COMMIT)), true],
    ['a commit, without a target', yes([]), yes([]), true],
    ['a commit, by an image of it', yes([INDEX], image(INDEX)), yes([], commit(COMMIT)), false],
    ['a commit, by a file of it', yes([CHILD], file(CHILD)), yes([]), false],
    ['a commit that has images beside it', yes(both, image(INDEX)), yes(both, commit(COMMIT)), true],
    ['a commit that has images beside it, by itself', yes([], commit(COMMIT)), yes(both, commit(COMMIT)), false],
    ['nothing', yes([]), { images: [], commits: [] }, false],
  ])('%s', (_title, one, other, expected) => {
    expect(coversAll(one, other)).toBe(expected);
  });

  test('for one image: a no to it that names none of its manifests, among others', () => {
    const no = { ...yes([INDEX, ELSEWHERE], image(INDEX)), commits: [COMMIT] };
    const one = made(INDEX, [CHILD], COMMIT);
    expect(coversFor(yes([INDEX, CHILD]), no, one)).toBe(true);
    expect(coversFor(yes([INDEX, SECOND]), no, one)).toBe(false);
    expect(coversFor(yes([INDEX], image(INDEX)), no, one)).toBe(true);
  });

  const asked = made(INDEX, [CHILD], COMMIT);
  test.each<[string, About, About, ReturnType<typeof made>, boolean]>([
    ['all of it', yes([INDEX], image(INDEX)), toIndex, asked, true],
    ['an older no to the index, its manifests with it', yes([INDEX], image(INDEX)), yes(both), asked, true],
    ['the same among other images', yes([INDEX], image(INDEX)), yes([...both, ELSEWHERE]), asked, true],
    ['the same, by an older yes to the index', yes(both), yes([...both, ELSEWHERE]), asked, true],
    [
      'the same, by an older yes to the index and one more',
      yes([...both, SECOND]),
      yes([...both, ELSEWHERE]),
      asked,
      false,
    ],
    ['the same, by an older yes that names the index alone', yes([INDEX]), yes([...both, ELSEWHERE]), asked, false],
    [
      'a no to the index and one of its manifests',
      yes([INDEX], image(INDEX)),
      yes(both),
      made(INDEX, [CHILD, SECOND], COMMIT),
      false,
    ],
    ['a no to a manifest', yes([INDEX], image(INDEX)), yes([CHILD, ELSEWHERE]), asked, false],
    [
      'a no to as many manifests as the index has digests',
      yes([INDEX], image(INDEX)),
      yes([CHILD, SECOND, ELSEWHERE]),
      made(INDEX, [CHILD, SECOND], COMMIT),
      false,
    ],
    ['a no to a manifest, by a platform', yes(both, image(INDEX)), yes([CHILD, ELSEWHERE]), asked, true],
    ['a no to a manifest, by an older yes to it alone', yes([CHILD]), yes([CHILD, ELSEWHERE]), asked, true],
    ['a no to a manifest, by an older yes to the index', yes(both), yes([CHILD, ELSEWHERE]), asked, false],
    ['a no to the index, for its manifest by name', yes([CHILD], image(CHILD)), toIndex, made(CHILD, [], COMMIT), true],
    ['another commit', yes([INDEX], image(INDEX), [OTHER_COMMIT]), yes([INDEX, ELSEWHERE]), asked, false],
    ['a no to the commit, by the image', yes([INDEX], image(INDEX)), yes([]), asked, true],
    [
      'a no to the commit, by the commit',
      yes([], commit(COMMIT)),
      yes([], undefined, [COMMIT, OTHER_COMMIT]),
      asked,
      true,
    ],
    ['a no to the commit, by another commit', yes([], commit(OTHER_COMMIT), [OTHER_COMMIT]), yes([]), asked, false],
    ['a no to the commit, by another image of it', yes([ELSEWHERE], image(ELSEWHERE)), yes([]), asked, false],
    ['a no to the commit, by a file of it', yes([ELSEWHERE], file(ELSEWHERE)), yes([]), asked, false],
    [
      'a no to a commit that the image was not made from',
      yes([INDEX], image(INDEX)),
      yes([]),
      made(INDEX, [], OTHER_COMMIT),
      false,
    ],
    ['a no to a file, by the image', yes([INDEX], image(INDEX)), yes([ELSEWHERE], file(ELSEWHERE)), asked, false],
    ['a no to a file, by the file', yes([ELSEWHERE], file(ELSEWHERE)), yes([ELSEWHERE], file(ELSEWHERE)), asked, true],
  ])('for one image: %s', (_title, one, other, image_, expected) => {
    expect(coversFor(one, other, image_)).toBe(expected);
  });

  test.each<[string, About, About, boolean]>([
    ['the commit', yes([], commit(COMMIT)), toIndex, true],
    ['the commit, without a target', yes([INDEX]), yes([ELSEWHERE]), true],
    ['another commit', yes([], commit(OTHER_COMMIT), [OTHER_COMMIT]), toIndex, false],
    ['an image of it', yes([ELSEWHERE], image(ELSEWHERE)), toIndex, true],
    ['an image of it, where a file was rejected', yes([INDEX], image(INDEX)), yes([CHILD], file(CHILD)), false],
    ['a file of it', yes([CHILD], file(CHILD)), toIndex, false],
    ['a file of it, where the commit was rejected', yes([CHILD], file(CHILD)), yes([]), false],
    ['the same file', yes([CHILD], file(CHILD)), yes([CHILD], file(CHILD)), true],
    ['the commit, where a file was rejected', yes([], commit(COMMIT)), yes([CHILD], file(CHILD)), true],
  ])('for the commit: %s', (_title, one, other, expected) => {
    expect(coversCommit(one, other, COMMIT)).toBe(expected);
  });
});

/** Indexes, each by what it lists: its digest is another with each other list. */
const DIGITS = ['3', '4', '5', '6'].map(digest);
const entries = fc.uniqueArray(fc.constantFrom(...DIGITS), { maxLength: DIGITS.length });
const indexDigest = (listed: readonly string[]) =>
  digest((8 + (listed.length % 7)).toString(16)).replace(
    /.{8}$/,
    [...listed]
      .sort()
      .map((one) => one.at(-1))
      .join('')
      .padEnd(8, '0'),
  );

describe('whoever adds entries to an index', () => {
  test('has no further digest approved, whichever program signed for the index', () => {
    const property = fc.property(entries, entries, fc.boolean(), (reviewed, others, isOlder) => {
      const index = indexDigest(reviewed);
      const subjects = [index, ...reviewed].map(sha256);
      const yes = aboutForYes(statement(isOlder ? {} : { target: image(index) }, ...subjects)) as About;
      const larger = [...new Set([...reviewed, ...others])];
      const all = new Map([
        [indexDigest(larger), larger],
        [index, reviewed],
        ...DIGITS.map((one) => [one, []] as [string, string[]]),
      ]);
      const approved = [...all].filter(([of, parts]) => approves(yes, artifact(of, parts))).map(([of]) => of);
      expect(approved).toEqual([index]);
    });
    fc.assert(property);
  });

  test('ends no rejection of one of them', () => {
    const property = fc.property(
      fc.constantFrom(...DIGITS),
      entries,
      fc.boolean(),
      fc.boolean(),
      (rejected, listed, isOlder, isOlderNo) => {
        const parts = [...new Set([rejected, ...listed])];
        const index = indexDigest(parts);
        const no = aboutForNo(
          statement(isOlderNo ? {} : { target: image(rejected) }, sha256(rejected), gitCommit(COMMIT)),
        );
        const subjects = [...[index, ...parts].map(sha256), gitCommit(COMMIT)];
        const yes = aboutForYes(statement(isOlder ? {} : { target: image(index) }, ...subjects)) as About;
        expect(coversAll(yes, no)).toBe(false);
        for (const one of [made(index, parts, COMMIT), made(rejected, [], COMMIT)]) {
          expect(rejects(no, one)).toBe(true);
          expect(coversFor(yes, no, one)).toBe(false);
        }
      },
    );
    fc.assert(property);
  });

  test('is not heard for a yes to what it is not about, whatever a statement says', () => {
    const anyDigest = fc.oneof(fc.constantFrom(...DIGITS, INDEX, `gitCommit:${COMMIT}`), fc.string());
    const target = fc.record({ kind: fc.constantFrom('image', 'file', 'commit', 'x'), digest: anyDigest });
    const platforms = fc.array(fc.record({ digest: anyDigest, platform: fc.constantFrom('linux/amd64', '') }));
    const predicate = fc.record({ target, platforms }, { requiredKeys: [] });
    const property = fc.property(predicate, fc.subarray([INDEX, ...DIGITS]), (said, subjects) => {
      const one = statement(said, ...subjects.map(sha256), gitCommit(COMMIT));
      const no = aboutForNo(one);
      const yes = aboutForYes(one);
      // A no is about everything that a yes could be about, and a yes about nothing but its subjects.
      for (const named of yes?.images ?? []) expect(no.images).toContain(named);
      for (const named of yes?.images ?? []) expect(subjects).toContain(named);
      for (const named of subjects) expect(no.images).toContain(named);
      expect(no.commits).toContain(COMMIT);
      const approved = [INDEX, ...DIGITS].filter((of) => yes !== undefined && approves(yes, artifact(of)));
      const named = [said.target?.digest, ...(said.platforms ?? []).map((platform) => platform.digest)];
      if (said.target !== undefined || said.platforms !== undefined)
        for (const of of approved) expect(named).toContain(of);
      else expect(approved).toEqual(subjects.length === 1 ? subjects : []);
    });
    fc.assert(property);
  });
});

describe('a yes to the file of a manifest', () => {
  const yes: About = { images: [CHILD], commits: [COMMIT], target: file(CHILD) };

  test.each<[string, About]>([
    ['with a target', { images: [CHILD], commits: [COMMIT], target: image(CHILD) }],
    ['without one', { images: [CHILD], commits: [COMMIT] }],
    ['of its index', { images: [INDEX, CHILD], commits: [COMMIT], target: image(INDEX) }],
  ])('ends no no to the image, %s', (_title, no) => {
    expect(coversAll(yes, no)).toBe(false);
    expect(coversFor(yes, no, made(CHILD, [], COMMIT))).toBe(false);
  });

  test('and one to the image does', () => {
    const ofImage: About = { ...yes, target: image(CHILD) };
    expect(coversFor(ofImage, { images: [CHILD], commits: [COMMIT] }, made(CHILD, [], COMMIT))).toBe(true);
  });
});
