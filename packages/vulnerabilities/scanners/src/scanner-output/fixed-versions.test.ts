import { expect, test } from 'vitest';
import { fixedVersions, osvFixedVersions } from './fixed-versions.ts';

test.each<[string | undefined, string[]]>([
  ['1.8.2.2', ['1.8.2.2']],
  ['1:2.3-5+deb12u1', ['1:2.3-5+deb12u1']],
  ['2.6.9, 3.1.0, 3.2.7', ['2.6.9', '3.1.0', '3.2.7']],
  ['23.2, 8.0.0-alpha.4', ['23.2', '8.0.0-alpha.4']],
  ['>= 0.6.1', ['0.6.1']],
  ['>=2.6.9 <3.0.0 || >=3.1.0', ['2.6.9', '3.1.0']],
  ['>=0.9.9, >=0.10.1', ['0.9.9', '0.10.1']],
  ['^0.37.5', ['^0.37.5']],
  ['~> 4.2.11', ['~>4.2.11']],
  ['> 3.0', ['>3.0']],
  ['<0.0.0', []],
  ['< 0', []],
  ['*', []],
  [' ', []],
  ['', []],
  [undefined, []],
])('%j is fixed in %j', (text, versions) => {
  expect(fixedVersions(text)).toEqual(versions);
});

const affected = (name: string | undefined, ...events: object[]) => ({
  ...(name !== undefined && { package: { name } }),
  ranges: [{ type: 'ECOSYSTEM', events }],
});

test.each<[string, unknown, string[]]>([
  [
    'of the package itself',
    [affected('a', { introduced: '0' }, { fixed: '1.1' }), affected('b', { fixed: '9' })],
    ['1.1'],
  ],
  ['of every branch', [affected('a', { fixed: '1.1' }, { introduced: '2' }, { fixed: '2.1' })], ['1.1', '2.1']],
  ['of all where none names it', [affected(undefined, { fixed: '1.1' }), affected('b', { fixed: '9' })], ['1.1', '9']],
  ['never of commits', [{ package: { name: 'a' }, ranges: [{ type: 'GIT', events: [{ fixed: 'b03c65e' }] }] }], []],
  ['none where it is not fixed', [affected('a', { introduced: '0' }, { last_affected: '1' })], []],
  ['none of what is no record', { ranges: 7 }, []],
])('an OSV record has the versions %s', (_, record, versions) => {
  expect(osvFixedVersions(record, 'a')).toEqual(versions);
});
