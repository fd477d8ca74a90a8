import { compareVersions } from '@colophon/notation';

/**
 * Whether a version that is published now becomes the latest. By precedence where both are semantic versions, so that a
 * fix of an old line does not; else whatever comes last does.
 * @see Semantic Versioning 2.0.0 §11
 */
export function becomesLatest(version: string, latest: string | undefined): boolean {
  if (latest === undefined) return true;
  const order = compareVersions('npm', withoutZeros(version), withoutZeros(latest));
  return order === undefined || order >= 0;
}

/** The version that is latest after all of them were published in this order. */
export function latestOf(versions: readonly string[]): string | undefined {
  return versions.reduce<string | undefined>(
    (latest, version) => (becomesLatest(version, latest) ? version : latest),
    undefined,
  );
}

/** Who numbers by the calendar writes zeros that Semantic Versioning does not allow: 24.04.1. */
function withoutZeros(version: string): string {
  const [, numbers = version, prerelease, build = ''] = /^v?([\d.]+)(?:-([^+]*))?(\+.*)?$/.exec(version) ?? [];
  const strip = (dotted: string) => dotted.replace(/(?<=^|\.)0+(?=\d+(?:\.|$))/g, '');
  return `${strip(numbers)}${prerelease === undefined ? '' : `-${strip(prerelease)}`}${build}`;
}
