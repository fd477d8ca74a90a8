type SemanticVersion = { readonly numbers: readonly bigint[]; readonly prerelease: readonly string[] };

const SEMANTIC = /^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?$/;

/**
 * Whether a version that is published now becomes the latest. By precedence where both are semantic versions, so that a
 * fix of an old line does not; else whatever comes last does.
 * @see Semantic Versioning 2.0.0 §11
 */
export function becomesLatest(version: string, latest: string | undefined): boolean {
  if (latest === undefined) return true;
  const [candidate, current] = [parse(version), parse(latest)];
  return candidate === undefined || current === undefined || compare(candidate, current) >= 0;
}

/** The version that is latest after all of them were published in this order. */
export function latestOf(versions: readonly string[]): string | undefined {
  return versions.reduce<string | undefined>(
    (latest, version) => (becomesLatest(version, latest) ? version : latest),
    undefined,
  );
}

function parse(version: string): SemanticVersion | undefined {
  const match = SEMANTIC.exec(version);
  if (match === null) return undefined;
  const [, major, minor, patch, prerelease] = match as unknown as [string, string, string, string, string?];
  return { numbers: [major, minor, patch].map(BigInt), prerelease: prerelease?.split('.') ?? [] };
}

function compare(a: SemanticVersion, b: SemanticVersion): number {
  const byNumber = a.numbers.map((number, i) => order(number, b.numbers[i] as bigint)).find((sign) => sign !== 0);
  if (byNumber !== undefined) return byNumber;
  // A version without prerelease is the finished one.
  if (a.prerelease.length === 0 || b.prerelease.length === 0) return order(b.prerelease.length, a.prerelease.length);
  const byIdentifier = a.prerelease
    .slice(0, b.prerelease.length)
    .map((identifier, i) => compareIdentifiers(identifier, b.prerelease[i] as string))
    .find((sign) => sign !== 0);
  return byIdentifier ?? order(a.prerelease.length, b.prerelease.length);
}

function compareIdentifiers(a: string, b: string): number {
  const [isNumberA, isNumberB] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumberA && isNumberB) return order(BigInt(a), BigInt(b));
  return isNumberA === isNumberB ? order(a, b) : isNumberA ? -1 : 1;
}

function order<T extends bigint | number | string>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
