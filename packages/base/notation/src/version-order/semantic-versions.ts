import type { SemVer } from 'semver';
import parse from 'semver/functions/parse.js';
import { isDigits } from './digit-string.ts';
import { signOf, type VersionOrder } from './version-order.ts';

/** A number beyond 2^53 stays a text in the library, which then compares it as a number and loses digits. */
function isExact(identifiers: readonly (string | number)[]): boolean {
  return identifiers.every((identifier) => !isDigits(`${identifier}`) || Number.isSafeInteger(Number(identifier)));
}

function read(text: string): SemVer | undefined {
  const version = parse(text);
  return version !== null && isExact(version.prerelease) ? version : undefined;
}

/**
 * npm, Cargo, Hex and Swift: semantic versions to the letter, a `v` before them allowed; build metadata does not count.
 * What npm reads loosely (`1.2.3beta`) is none: loosely it also reads `4.17.22.0` as a prerelease of 4.17.2.
 * @see Semantic Versioning 2.0.0 §11
 */
export const semanticVersions: VersionOrder<SemVer> = {
  parse: read,
  compare: (left, right) => signOf(left.compare(right)),
  key: ({ version }) => version,
  branch: ({ major, minor, patch }) => [major, minor, patch].map(String),
};

/** Dart's: where these are equal, build metadata decides. */
export const pubVersions: VersionOrder<SemVer> = {
  ...semanticVersions,
  parse: (text) => {
    const version = read(text);
    return version !== undefined && isExact(version.build) ? version : undefined;
  },
  compare: (left, right) => signOf(left.compare(right) || left.compareBuild(right)),
  key: ({ version, build }) => [version, ...build].join('+'),
};

/** Modules, pseudo-versions among them, and the toolchain: `v1.2`, `go1.22rc1` and `go1.22.3` are complete in Go. */
export const goVersions: VersionOrder<SemVer> = {
  ...semanticVersions,
  parse: (text) => {
    const version = text.replace(/^(?:go|v)/, '');
    const [, release, name, number] = /^([0-9]+(?:\.[0-9]+)?)(?:(rc|beta)([0-9]+))?$/.exec(version) ?? [];
    if (release === undefined) return read(version);
    const zeros = release.includes('.') ? '.0' : '.0.0';
    return read(`${release}${zeros}${name === undefined ? '' : `-${name}.${number}`}`);
  },
};
