import type { SemVer } from 'semver';
import parse from 'semver/functions/parse.js';
import { isDigits } from './digit-string.ts';
import { type Sign, signOf, type VersionOrder } from './version-order.ts';

/** A prerelease number beyond 2^53 stays a text in the library, which then compares it as a number and loses digits. */
function isExact(version: SemVer): boolean {
  return version.prerelease.every((identifier) => typeof identifier === 'number' || !isDigits(identifier));
}

function read(text: string, loose: boolean): SemVer | undefined {
  const version = parse(text, { loose });
  return version !== null && isExact(version) ? version : undefined;
}

const branch = ({ major, minor, patch }: SemVer): string[] => [major, minor, patch].map(String);
const compare = (left: SemVer, right: SemVer): Sign => signOf(left.compare(right));

/**
 * Build metadata does not count. What npm's own tools take loosely (`=1.2.3`, `1.2.3beta`) is taken so.
 * @see Semantic Versioning 2.0.0 §11
 */
export const npmVersions: VersionOrder<SemVer> = { parse: (text) => read(text, true), compare, branch };

/** cargo, hex and swift: semantic versions to the letter, a `v` before them allowed. */
export const strictVersions: VersionOrder<SemVer> = { parse: (text) => read(text, false), compare, branch };

/** Dart's: as semantic versions, and where these are equal build metadata decides. */
export const pubVersions: VersionOrder<SemVer> = {
  ...strictVersions,
  compare: (left, right) => signOf(left.compare(right) || left.compareBuild(right)),
};

/** Modules, pseudo-versions among them, and the toolchain: `v1.2`, `go1.22rc1` and `go1.22.3` are complete in Go. */
export const goVersions: VersionOrder<SemVer> = {
  ...strictVersions,
  parse: (text) => {
    const version = text.replace(/^(?:go|v)/, '');
    const [, release, name, number] = /^([0-9]+(?:\.[0-9]+)?)(?:(rc|beta)([0-9]+))?$/.exec(version) ?? [];
    if (release === undefined) return read(version, false);
    const zeros = release.includes('.') ? '.0' : '.0.0';
    return read(`${release}${zeros}${name === undefined ? '' : `-${name}.${number}`}`, false);
  },
};
