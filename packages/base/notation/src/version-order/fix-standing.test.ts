import { describe, expect, test } from 'vitest';
import { fixStanding } from './fix-standing.ts';

describe('how a version stands to the fixes of its advisory', () => {
  test.each([
    [
      'one fix',
      'npm',
      ['4.17.21'],
      { fixed: ['4.17.21', '4.17.22', '5.0.0'], not_fixed: ['4.17.20', '4.17.21-rc.1', '0.1.0'] },
    ],
    [
      'two branches',
      'npm',
      ['1.2.5', '2.0.1'],
      { fixed: ['1.2.5', '1.2.6', '1.9.0', '2.0.1', '3.0.0'], not_fixed: ['1.2.4', '2.0.0', '2.0.1-rc.1', '0.9.0'] },
    ],
    [
      'CVE-2021-44906, minimist',
      'npm',
      ['0.2.4', '1.2.6'],
      { fixed: ['0.2.4', '1.2.6', '1.2.8'], not_fixed: ['0.0.8', '0.2.1', '1.0.0', '1.2.5'] },
    ],
    [
      'CVE-2021-44832, log4j-core',
      'maven',
      ['2.3.2', '2.12.4', '2.17.1'],
      {
        fixed: ['2.3.2', '2.12.4', '2.17.1', '2.24.0', '3.0.0-beta2'],
        not_fixed: ['2.0-beta7', '2.3.1', '2.12.3', '2.17.0'],
        unknown: ['2.4.1', '2.14.1', '2.16.0'],
      },
    ],
    [
      'CVE-2022-28346, Django',
      'pypi',
      ['2.2.28', '3.2.13', '4.0.4'],
      {
        fixed: ['2.2.28', '3.2.13', '3.2.25', '4.0.4', '4.1', '5.0'],
        not_fixed: ['1.11.29', '2.2.27', '3.0', '3.1.14', '3.2', '3.2.12', '4.0', '4.0.3'],
      },
    ],
    [
      'CVE-2023-22795, actionpack',
      'gem',
      ['5.2.8.15', '6.1.7.1', '7.0.4.1'],
      {
        fixed: ['5.2.8.15', '6.1.7.1', '6.1.7.2', '7.0.4.1', '7.0.5', '7.1.0'],
        not_fixed: ['5.2.8.14', '6.0.6.1', '6.1.7', '7.0.0', '7.0.4'],
      },
    ],
    [
      'CVE-2022-42003, jackson-databind',
      'maven',
      ['2.12.7.1', '2.13.4.2'],
      {
        fixed: ['2.12.7.1', '2.12.8', '2.13.4.2', '2.13.5', '2.14.0'],
        not_fixed: ['2.9.10.8', '2.12.7', '2.13.0', '2.13.4', '2.13.4.1'],
      },
    ],
    [
      'CVE-2022-0778, OpenSSL in one distribution',
      'deb',
      ['1.1.1k-1+deb11u2'],
      {
        fixed: ['1.1.1k-1+deb11u2', '1.1.1n-0+deb11u5', '3.0.9-1'],
        not_fixed: ['1.1.1k-1+deb11u1', '1.1.1k-1', '1.1.1d-0+deb10u7'],
      },
    ],
    [
      'OpenSSL in two releases of a distribution',
      'deb',
      ['1.1.1n-0+deb11u4', '3.0.8-1'],
      { fixed: ['1.1.1n-0+deb11u5', '1.1.1w-0+deb11u1', '3.0.9-1'], not_fixed: ['1.1.1n-0+deb11u3', '3.0.7-2'] },
    ],
    [
      'one upstream version in two releases',
      'deb',
      ['1.2.3-4+deb11u2', '1.2.3-4+deb12u1'],
      { fixed: ['1.2.3-4+deb11u3', '1.2.3-4+deb12u1'], not_fixed: ['1.2.3-4+deb11u1', '1.2.3-4+deb12u0'] },
    ],
    [
      'epoch and release',
      'rpm',
      ['1:1.1.1k-12.el8_9', '1:3.0.7-27.el9'],
      {
        fixed: ['1:1.1.1k-12.el8_9', '1:1.1.1k-14.el8_6', '1:3.0.7-27.el9', '1:3.2.2-1.el9'],
        not_fixed: ['1:1.1.1k-9.el8_7', '1.1.1k-14.el8_6', '1:3.0.1-41.el9_0'],
      },
    ],
    [
      'Alpine',
      'apk',
      ['1.1.1w-r1', '3.1.4-r1'],
      { fixed: ['1.1.1w-r1', '1.1.1x-r0', '3.1.4-r2'], not_fixed: ['1.1.1w-r0', '3.1.4-r0', '3.0.12-r0'] },
    ],
    [
      'two answers in one branch',
      'npm',
      ['1.2.3', '1.2.5'],
      { fixed: ['1.2.3', '1.2.5'], not_fixed: ['1.2.2'], unknown: ['1.2.4'] },
    ],
    [
      'zeros that are not written',
      'maven',
      ['6.0.1', '5.9.9'],
      { fixed: ['5.9.9.1', '6.0.1.0'], not_fixed: ['6', '6.0'] },
    ],
    ['a fix without the zeros that a version has', 'maven', ['6', '6.1.2'], { fixed: ['6.0.5'], not_fixed: ['6.1.1'] }],
    ['a prerelease as a fix', 'maven', ['6-beta-1', '6.0.1'], { fixed: ['6', '6.0'], not_fixed: ['6-alpha-1'] }],
    [
      'a commit among the fixes',
      'golang',
      ['1.2.5', '3f786850e387550fdab836ed7e6dc881de23001b'],
      { fixed: ['v1.2.5', 'v1.3.0'], not_fixed: ['v1.2.4'], unknown: ['v0.9.0', 'v2.0.0'] },
    ],
    [
      'nothing but commits',
      'golang',
      ['3f786850e387550fdab836ed7e6dc881de23001b'],
      { unknown: ['v1.2.5'], fixed: ['3f786850e387550fdab836ed7e6dc881de23001b'] },
    ],
    ['no order', 'generic', ['1.0', '1.1.1n'], { fixed: ['1.0', '1.1.1n'], unknown: ['1.1', '2.0', ''] }],
    ['no fix', 'npm', [], { unknown: ['1.0.0', ''] }],
    ['an empty text', 'npm', [''], { unknown: ['', '1.0.0'] }],
    ['no version', 'npm', ['1.0.0'], { unknown: ['', 'latest', 'file:../lib'] }],
  ] satisfies ReadonlyArray<[string, string, string[], Record<string, string[]>]>)(
    '%s',
    (_name, type, fixes, expected) => {
      const found = Object.entries(expected).flatMap(([standing, versions]) =>
        versions.map((version) => ({ version, standing, found: fixStanding(type, version, fixes) })),
      );
      expect(found.filter((row) => row.found !== row.standing)).toEqual([]);
      const reversed = found.map(({ version }) => fixStanding(type, version, fixes.toReversed()));
      expect(reversed).toEqual(found.map((row) => row.found));
    },
  );
});
