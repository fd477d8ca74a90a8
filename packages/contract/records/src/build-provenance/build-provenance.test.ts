import { describe, expect, it } from 'vitest';
import { type BuildProvenance, buildSources, parseBuildProvenance } from './build-provenance.ts';

const COMMIT = 'b'.repeat(40);
const TREE = 'c'.repeat(40);
const OTHER = 'd'.repeat(40);

/** What GitHub's attest-build-provenance writes. */
const PROVENANCE = {
  buildDefinition: {
    buildType: 'https://actions.github.io/buildtypes/workflow/v1',
    externalParameters: {
      workflow: {
        ref: 'refs/heads/main',
        repository: 'https://github.com/acme/webshop',
        path: '.github/workflows/build.yml',
      },
    },
    internalParameters: { github: { event_name: 'push', repository_id: '42' } },
    resolvedDependencies: [
      { uri: 'git+https://github.com/acme/webshop@refs/heads/main', digest: { gitCommit: COMMIT } },
    ],
  },
  runDetails: {
    builder: { id: 'https://github.com/acme/webshop/.github/workflows/build.yml@refs/heads/main' },
    metadata: { invocationId: 'https://github.com/acme/webshop/actions/runs/1/attempts/1' },
  },
};

const issuesOf = (value: unknown) => {
  const parsed = parseBuildProvenance(value);
  return parsed.ok ? [] : parsed.issues.map(({ path, code }) => `${path} ${code.replace('build_provenance.', '')}`);
};
const definition = (more: object) => ({ ...PROVENANCE, buildDefinition: { ...PROVENANCE.buildDefinition, ...more } });
const details = (runDetails: object) => ({ ...PROVENANCE, runDetails });
const builtFrom = (...resolvedDependencies: object[]) => definition({ resolvedDependencies }) as BuildProvenance;

describe('parseBuildProvenance', () => {
  it('reads what GitHub writes, as it is', () => {
    expect(parseBuildProvenance(PROVENANCE)).toEqual({ ok: true, value: PROVENANCE });
  });

  it.each<[string, unknown, ...string[]]>([
    ['no source', builtFrom()],
    ['times of the run', details({ builder: { id: 'b' }, metadata: { startedOn: '2026-11-25T10:00:00.123456789Z' } })],
    [
      'dependencies of other kinds',
      builtFrom({ uri: 'pkg:docker/node', digest: { sha256: 'a'.repeat(64) } }, { name: 'x' }),
    ],
    ['nothing', {}, '/buildDefinition field_missing', '/runDetails field_missing'],
    ['null', null, ' field_null'],
    ['no build type', definition({ buildType: undefined }), '/buildDefinition/buildType field_type'],
    ['no parameters', definition({ externalParameters: null }), '/buildDefinition/externalParameters field_null'],
    ['no builder', details({}), '/runDetails/builder field_missing'],
    ['a builder without id', details({ builder: {} }), '/runDetails/builder/id field_missing'],
    ['a blank builder', details({ builder: { id: ' ' } }), '/runDetails/builder/id field_empty'],
    [
      'a source that is no list',
      definition({ resolvedDependencies: {} }),
      '/buildDefinition/resolvedDependencies field_type',
    ],
    [
      'a commit cut short',
      builtFrom({ digest: { gitCommit: 'abc1234' } }),
      '/buildDefinition/resolvedDependencies/0/digest/gitCommit field_invalid',
    ],
    [
      'a commit in upper case',
      builtFrom({ digest: { gitCommit: 'B'.repeat(40) } }),
      '/buildDefinition/resolvedDependencies/0/digest/gitCommit field_invalid',
    ],
    [
      'a time of no calendar',
      details({ builder: { id: 'b' }, metadata: { finishedOn: '2026-02-30T00:00:00Z' } }),
      '/runDetails/metadata/finishedOn field_invalid',
    ],
  ])('%s', (_title, value, ...issues) => {
    expect(issuesOf(value)).toEqual(issues);
  });
});

describe('buildSources', () => {
  const repository = 'https://github.com/acme/webshop';
  it.each<[string, object[], unknown[]]>([
    [
      'the commit that GitHub names',
      PROVENANCE.buildDefinition.resolvedDependencies,
      [{ uri: `git+${repository}@refs/heads/main`, repository, commit: COMMIT }],
    ],
    [
      'a tree',
      [{ uri: `git+${repository}`, digest: { gitTree: TREE } }],
      [{ uri: `git+${repository}`, repository, tree: TREE }],
    ],
    ['a commit with its tree', [{ digest: { gitCommit: COMMIT, gitTree: TREE } }], [{ commit: COMMIT, tree: TREE }]],
    [
      'the SHA-1 of a repository as BuildKit writes it',
      [{ uri: `${repository}.git#refs/heads/main`, digest: { sha1: COMMIT } }],
      [{ uri: `${repository}.git#refs/heads/main`, repository: `${repository}.git`, commit: COMMIT }],
    ],
    [
      'the same commit by two names once',
      [{ uri: `git+${repository}`, digest: { gitCommit: COMMIT, sha1: COMMIT } }],
      [{ uri: `git+${repository}`, repository, commit: COMMIT }],
    ],
    [
      'two commits in one entry',
      [{ uri: `git+${repository}`, digest: { gitCommit: COMMIT, sha1: OTHER } }],
      [COMMIT, OTHER].map((commit) => ({ uri: `git+${repository}`, repository, commit })),
    ],
    [
      'each of several',
      [{ digest: { gitCommit: COMMIT } }, { digest: { gitCommit: OTHER } }],
      [{ commit: COMMIT }, { commit: OTHER }],
    ],
    [
      'no SHA-1 of what is no repository',
      [{ uri: 'https://example.com/a.tgz', digest: { sha1: COMMIT } }, { digest: { sha1: COMMIT } }],
      [],
    ],
    ['no image', [{ uri: 'pkg:docker/node@26', digest: { sha256: 'a'.repeat(64) } }], []],
  ])('finds %s', (_title, dependencies, expected) => {
    expect(buildSources(builtFrom(...dependencies))).toEqual(expected);
  });

  it('finds nothing in what the build was only asked for', () => {
    expect(buildSources(definition({ resolvedDependencies: undefined }) as BuildProvenance)).toEqual([]);
  });

  it.each([
    ['git+https://github.com/acme/git+shop@v1', 'https://github.com/acme/git+shop'],
    ['evil:https://github.com/acme/webshop', 'evil:https://github.com/acme/webshop'],
    ['git+ssh://git@github.com/acme/webshop.git@v1', 'ssh://git@github.com/acme/webshop.git'],
    ['git+https://github.com/acme/webshop?ref=v1', 'https://github.com/acme/webshop'],
  ])('reads %s as the repository %s', (uri, repository) => {
    expect(buildSources(builtFrom({ uri, digest: { gitCommit: COMMIT } }))).toMatchObject([{ repository }]);
  });

  it('takes a user before the host for a part of the address, which then is nobody’s', () => {
    expect(
      buildSources(
        builtFrom({ uri: 'git+https://github.com@evil.example/acme/webshop@v1', digest: { gitCommit: COMMIT } }),
      ),
    ).toMatchObject([{ repository: 'https://github.com@evil.example/acme/webshop' }]);
  });
});
