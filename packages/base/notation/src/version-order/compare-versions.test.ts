import { describe, expect, test } from 'vitest';
import { compareVersions, hasVersionOrder, versionKey } from './compare-versions.ts';
import { fixStanding } from './fix-standing.ts';

/** From the oldest to the newest; what stands on one line is equal. Each with where it is written down. */
const ASCENDING: Record<string, ReadonlyArray<readonly [source: string, ...versions: string[]]>> = {
  npm: [
    [
      'Semantic Versioning 2.0.0 §11.4.4',
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0-rc.1',
      '1.0.0',
    ],
    ['node-semver: a v, and build metadata', '1.2.3-beta', '1.2.3 = v1.2.3 = 1.2.3+build.5', '1.2.4'],
  ],
  cargo: [['Cargo book, SemVer', '0.9.9', '1.0.0-rc.1', '1.0.0 = 1.0.0+21AF26D3']],
  golang: [
    [
      'Go Modules Reference, pseudo-versions',
      'v0.0.0-20191109021931-daa7c04131f5',
      'v0.0.0-20200101000000-aaaaaaaaaaaa',
      'v1.2.3-pre',
      'v1.2.3',
      'v1.2.4-0.20191109021931-daa7c04131f5',
      'v1.2.4',
      'v2.0.0+incompatible = 2.0.0',
    ],
    [
      'Go toolchains',
      'go1.21rc2',
      'go1.21.0 = 1.21',
      '1.21.3 = go1.21.3',
      'go1.22beta1',
      'go1.22rc1',
      '1.22 = v1.22.0',
      '2 = 2.0.0',
    ],
  ],
  pub: [['Dart, pub versioning', '1.0.0-dev', '1.0.0', '1.0.0+1', '1.0.0+2', '1.0.0+10', '1.0.1']],
  pypi: [
    [
      'PEP 440, summary of permitted suffixes',
      '1.dev0',
      '1.0.dev456',
      '1.0a1',
      '1.0a2.dev456',
      '1.0a12.dev456',
      '1.0a12',
      '1.0b1.dev456',
      '1.0b2',
      '1.0b2.post345.dev456',
      '1.0b2.post345',
      '1.0rc1.dev456',
      '1.0rc1',
      '1.0 = 1 = 1.0.0 = v1.0',
      '1.0+abc.5',
      '1.0+abc.7',
      '1.0+5',
      '1.0.post456.dev34',
      '1.0.post456 = 1.0-456',
      '1.0.15',
      '1.1.dev1',
      '1!0.1',
    ],
    ['PEP 440, normalization', '1.1rc1 = 1.1-c1 = 1.1.PREVIEW_1 = 1.1RC.1', '1.1'],
    ['PEP 440, local versions: a commit is no number', '1.0+1e5', '1.0+9', '1.0+0010 = 1.0+10'],
  ],
  gem: [
    [
      'Gem::Version',
      '1.0.a',
      '1.0.b1',
      '1.0.pre',
      '1.0.0-1 = 1.0.0.pre.1',
      '1.0.rc1',
      '1.0 = 1 = 1.0.0',
      '1.0.1',
      '1.9',
      '1.10',
    ],
    ['Gem::Version, strings by byte', '1.0.RC1', '1.0.beta2', '1.0'],
  ],
  maven: [
    [
      'Maven POM Reference, version order',
      '1-alpha-1 = 1-a1',
      '1-beta-1 = 1-b1',
      '1-milestone-1 = 1-m1',
      '1-rc = 1-cr',
      '1-snapshot',
      '1 = 1-ga = 1-final = 1.0.0 = 1.0-release',
      '1-sp',
      '1-foo2',
      '1-foo10',
      '1-1',
      '1.1',
    ],
    [
      'published by Spring, Netty, Guava and Jackson',
      '2.9.10',
      '2.9.10.8',
      '2.10.0.pr1',
      '4.1.99.Final',
      '4.1.100.Final',
      '5.3.20.RELEASE = 5.3.20',
      '32.0.0-android',
      '32.0.0-jre',
      '32.0.1-jre',
    ],
    ['numbers of any size', '1.99999999999999999998', '1.99999999999999999999', '1.100000000000000000000'],
  ],
  deb: [
    [
      'deb-version(7)',
      '1.0~~',
      '1.0~~a',
      '1.0~',
      '1.0~rc1',
      '1.0 = 0:1.0 = 1.0-0',
      '1.0-1~deb12u1',
      '1.0-1',
      '1.0a',
      '1.0+dfsg',
      '1.0.1',
      '1:0.1',
    ],
    ['Debian bookworm', '1.1.1n-0+deb11u4', '1.1.1n-0+deb11u5', '1.1.1w-0+deb11u1', '3.0.9-1', '3.0.11-1~deb12u2'],
    ['numbers of any size', '1.99999999999999999998', '1.099999999999999999999 = 1.99999999999999999999'],
  ],
  rpm: [
    [
      'rpm-version(7)',
      '1.0~rc1',
      '1.0 = 1.0. = 0:1.0',
      '1.0-1',
      '1.0^git1-1',
      '1.0a-1',
      '1.0.1-1',
      '1.05-1 = 1.5-1',
      '1:0.1',
    ],
    ['Red Hat', '1.1.1k-9.el8_7', '1.1.1k-12.el8_9', '1:1.1.1k-1.el8', '1:3.0.1-41.el9'],
  ],
  apk: [
    [
      'apk-package(5)',
      '1.2_alpha',
      '1.2_alpha1',
      '1.2_beta',
      '1.2_pre2',
      '1.2_rc',
      '1.2',
      '1.2-r0',
      '1.2-r1',
      '1.2_p1',
      '1.2a',
      '1.2.1',
      '1.9',
      '1.10',
    ],
    ['apk-tools, digits after a leading zero', '1.0.02', '1.0.07-r0', '1.0.10', '1.0.20'],
  ],
  nuget: [
    [
      'NuGet, normalized version numbers',
      '1.0.0-alpha',
      '1.0.0-Alpha.1 = 1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta',
      '1.0.0-rc.2',
      '1.0.0-rc.10',
      '1 = 1.0 = 1.0.0.0 = 1.00.0 = 1.0.0+b',
      '1.0.0.1',
      '1.0.1',
    ],
  ],
  composer: [
    [
      'Composer, versions',
      '1.0-dev',
      '1.0.0-alpha1 = v1.0a1',
      '1.0-alpha2',
      '1.0-beta',
      '1.0-beta1-dev',
      '1.0-beta1',
      '1.0RC1',
      '1.0 = 1 = v1.0.0 = 1.0.0.0 = 1.0-stable = 1.0+build',
      '1.0-p1 = 1.0-patch1 = 1.0.0pl1',
      '1.0.0.1',
    ],
  ],
};

describe('versions in ascending order', () => {
  for (const [type, rows] of Object.entries(ASCENDING)) {
    test.each(rows.map(([source, ...steps]) => ({ source, steps })))(`${type}: $source`, ({ steps }) => {
      const ranked = steps.flatMap((step, rank) => step.split(' = ').map((version) => ({ version, rank })));
      const wrong = ranked.flatMap((left) =>
        ranked
          .map((right) => ({ left: left.version, right: right.version, expected: Math.sign(left.rank - right.rank) }))
          .filter((pair) => compareVersions(type, pair.left, pair.right) !== pair.expected)
          .map((pair) => ({ ...pair, found: compareVersions(type, pair.left, pair.right) })),
      );
      expect(wrong).toEqual([]);
    });
  }
});

/** Whose own tools take more spellings for equal than a key gathers: it may tell two apart, and never takes two for one. */
const LOOSE = new Set(['apk', 'alpine', 'deb', 'rpm', 'maven', 'gem']);

describe('the spellings of one version have one key, and no two versions have', () => {
  for (const [type, rows] of Object.entries(ASCENDING)) {
    test(type, () => {
      for (const [, ...steps] of rows) {
        const ranked = steps.flatMap((step, rank) => step.split(' = ').map((version) => ({ version, rank })));
        for (const left of ranked) {
          for (const right of ranked) {
            const isOne = versionKey(type, left.version) === versionKey(type, right.version);
            if (isOne || !LOOSE.has(type))
              expect([left, right, isOne]).toEqual([left, right, left.rank === right.rank]);
          }
        }
      }
    });
  }

  test('a text that is no version is itself', () => {
    expect(versionKey('npm', 'latest')).not.toBe(versionKey('npm', 'Latest'));
    expect(versionKey('generic', '1.0')).not.toBe(versionKey('generic', '1.0.0'));
    expect(versionKey('generic', '1.0')).toBe(versionKey('generic', '1.0'));
  });
});

describe('what is not decided', () => {
  test.each([
    ['npm', '1.2', 'workspace:*'],
    ['npm', '1.2.3', '1.2.3beta'],
    ['npm', '4.17.21', '4.17.22.0'],
    ['npm', '1.0.0-20240101123456789', '1.0.0-20240101123456788'],
    ['npm', '9007199254740993.0.0', '9007199254740992.0.0'],
    ['cargo', '1.0.0', '1.0.0beta'],
    ['golang', 'v1.2.3', '(devel)'],
    ['pypi', '1.0', '2004d'],
    ['pypi', '1.0.9007199254740993', '1.0.9007199254740992'],
    ['gem', '1.0', '1.0_1'],
    ['maven', '1.0', '@revision@'],
    ['maven', '1.0', '[1.0,2.0)'],
    ['deb', '1.0', 'a:1.0'],
    ['deb', '1:1.0', '2147483648:1.0'],
    ['pub', '1.0.0+9007199254740993', '1.0.0+9007199254740992'],
    ['deb', '1.0-', '1.0'],
    ['rpm', '1.0-1', '1.0-'],
    ['rpm', '1.0-1', '1.0-1 '],
    ['rpm', '1.0-1', '1.0-1\u0661'],
    ['rpm', '1.0-1', '1.0\0-1'],
    ['apk', '1.0', '1.0bc'],
    ['nuget', '1.0', '1.2.3.4.5'],
    ['composer', '1.0', 'dev-main'],
    ['composer', '1.0', '2.x-dev'],
    ['conan', '1.0', '1.1'],
    ['generic', '1.0', '1.1'],
    ['alpm', '1.0-1', '1.0-2'],
    ['__proto__', '1.0', '1.1'],
    ['toString', '1.0', '1.1'],
    ['', '1.0', '1.1'],
  ])('%s: %s and %s', (type, left, right) => {
    expect([compareVersions(type, left, right), compareVersions(type, right, left)]).toEqual([undefined, undefined]);
  });

  test('the same text is equal in every type, version or not', () => {
    for (const type of [...Object.keys(ASCENDING), 'generic', '__proto__', '']) {
      for (const text of ['1.0', 'no version', '', '\0', 'a'.repeat(1000)]) {
        expect(compareVersions(type, text, text)).toBe(0);
      }
    }
  });

  test('whether a type has an order', () => {
    expect(Object.keys(ASCENDING).concat('hex', 'swift', 'alpine').every(hasVersionOrder)).toBe(true);
    expect(['generic', 'conan', 'alpm', 'conda', 'NPM', '', '__proto__', 'constructor'].some(hasVersionOrder)).toBe(
      false,
    );
  });
});

describe('hostile texts', () => {
  const long = 10_000_000;
  const HOSTILE = [
    '1'.repeat(long),
    '1.'.repeat(long / 2),
    '~'.repeat(long),
    `1.0-${'a-'.repeat(long / 2)}`,
    `1.0+${'1e'.repeat(long / 2)}`,
    '1.'.repeat(128),
    '1-'.repeat(128),
    '1a'.repeat(128),
    '-'.repeat(256),
    `1${'.0'.repeat(127)}`,
    `1.${'0'.repeat(254)}`,
    `1_${'alpha'.repeat(51)}`,
    `1.0-${'a'.repeat(250)}!`,
    `${'9'.repeat(250)}.0.0`,
    '1.0\0',
    '1.0\n',
    ' 1.0',
    '1.0\u0661',
    '\ud800',
    '__proto__',
    'constructor',
    '1.__proto__',
    '1-constructor',
    'NaN',
    '1.0+Infinity',
    '1e5',
    '',
  ];

  test.each([...Object.keys(ASCENDING), 'hex', 'swift', 'generic'])('%s: none throws or hangs', (type) => {
    const answers = HOSTILE.flatMap((left) => HOSTILE.map((right) => compareVersions(type, left, right)));
    expect(answers.filter((answer) => ![-1, 0, 1, undefined].includes(answer))).toEqual([]);
    const standings = HOSTILE.map((version) => fixStanding(type, version, HOSTILE));
    expect(standings.filter((standing) => !['fixed', 'not_fixed', 'unknown'].includes(standing))).toEqual([]);
  });
});
