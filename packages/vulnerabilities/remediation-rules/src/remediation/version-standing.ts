import { purlType } from '@colophon/findings';
import {
  compareVersions,
  type FixStanding,
  fixStanding,
  hasVersionOrder,
  isOrderedVersion,
  plainFixStanding,
  splitEpoch,
  withoutGemPlatform,
} from '@colophon/notation';
import type { FindingComponent, RemediationRecord } from '@colophon/records';
import { plainVersion, seenVersions } from './record-index.ts';

/** Where a version stands against those that were found vulnerable, and against the fixes that scanners name. */
export type VersionStanding =
  /** Equal in order to a vulnerable one, however it is written. */
  | 'same'
  /** Nobody knows the order; without signs that say nothing in most notations, or a platform, it is a vulnerable one. */
  | 'alike'
  /** The ecosystem takes it for no version, but the vulnerable one or a fix: no scanner can tell where it stands. */
  | 'unreadable'
  /** Older than every vulnerable one, and no fix is known at or below it. */
  | 'older'
  /** Below the fix of its branch by the order, or by its plain numbers where no order decides. */
  | 'below_fix'
  | 'fixed'
  /** No order, or no fix to compare with: the scan decides. */
  | 'undecided';

type Reading = { readonly version: string; readonly seen: readonly string[]; readonly fixes: readonly string[] };

/**
 * How the version that an SBOM holds stands (contract §3). Fixes are per branch: of 1.2.5 and 2.0.1 none fixes 2.0.0.
 * Where one version has an epoch and another has none, only that counts which is true with it and without it.
 */
export function versionStanding(record: RemediationRecord, component: FindingComponent): VersionStanding {
  const standings = standingsOf(record, component);
  const [first = 'undecided'] = standings;
  if (standings.size <= 1) return first;
  if (standings.has('same') || standings.has('alike')) return 'alike';
  return [...standings].every((one) => one === 'older' || one === 'below_fix') ? first : 'undecided';
}

/** One for each way in which the epochs can be read; none of what has no version. */
function standingsOf(record: RemediationRecord, component: FindingComponent): ReadonlySet<VersionStanding> {
  const version = plainVersion(component);
  if (version === '') return new Set();
  const type = typeOf(record, component);
  const written = { version, seen: [...seenVersions(record)], fixes: record.fixed_in_versions };
  return new Set(
    epochReadings(type, written).map((reading) =>
      type === 'gem' ? standingOfGem(reading) : standingOf(type, reading),
    ),
  );
}

/** More are not tried, so that a long list costs no time. */
const MOST_EPOCHS = 16;

/** As it is written, and with each epoch that another of the versions has where one has none. */
function epochReadings(type: string, written: Reading): readonly Reading[] {
  if (type !== 'deb' && type !== 'rpm') return [written];
  const { version, seen, fixes } = written;
  const texts = [version, ...seen, ...fixes];
  if (texts.every((text) => splitEpoch(text) !== undefined)) return [written];
  const epochs = new Set(texts.flatMap((text) => splitEpoch(text)?.epoch.replace(/^0+/, '') || []));
  return [
    written,
    ...[...epochs].slice(0, MOST_EPOCHS).map((epoch): Reading => {
      const read = (text: string) => (splitEpoch(text) === undefined ? `${epoch}:${text}` : text);
      return { version: read(version), seen: seen.map(read), fixes: fixes.map(read) };
    }),
  ];
}

/** A gem of another platform is the same version, though not the same build: what holds of one may not hold of another. */
function standingOfGem({ version, seen, fixes }: Reading): VersionStanding {
  const standing = standingOf('gem', {
    version: withoutGemPlatform(version),
    seen: seen.map(withoutGemPlatform),
    fixes: fixes.map(withoutGemPlatform),
  });
  return standing === 'same' && seen.every((one) => compareVersions('gem', version, one) !== 0) ? 'alike' : standing;
}

function standingOf(type: string, { version, seen, fixes: fixed }: Reading): VersionStanding {
  const orders = seen.map((one) => compareVersions(type, version, one));
  const fixes = fixed.filter((fix) => isSameNotation(type, version, fix));
  if (orders.includes(0)) return 'same';
  if (orders.every((order) => order === undefined)) {
    if (seen.some((one) => bare(one) === bare(version))) return 'alike';
    const known = [...seen, ...fixed];
    const isUnreadable = !isOrderedVersion(type, version) && known.some((one) => isOrderedVersion(type, one));
    if (isUnreadable) return 'unreadable';
    return standingToFixes(type, version, fixes) === 'not_fixed' ? 'below_fix' : 'undecided';
  }
  const standing = standingToFixes(type, version, fixes);
  if (standing === 'fixed') return 'fixed';
  if (orders.every((order) => order === undefined || order < 0)) return 'older';
  return standing === 'not_fixed' ? 'below_fix' : 'undecided';
}

/** By the order; where that does not read one of them, what the plain numbers say against the version counts. */
function standingToFixes(type: string, version: string, fixes: readonly string[]): FixStanding {
  const standing = fixStanding(type, version, fixes);
  if (standing !== 'unknown' || [version, ...fixes].every((one) => isOrderedVersion(type, one))) return standing;
  return plainFixStanding(version, fixes) === 'not_fixed' ? 'not_fixed' : 'unknown';
}

/** Why the scan alone decided, in words for the history; undefined where the versions say enough. */
export function undecidedBecause(record: RemediationRecord, component: FindingComponent): string | undefined {
  if (versionStanding(record, component) !== 'undecided') return undefined;
  const type = typeOf(record, component);
  const version = plainVersion(component);
  if (!hasVersionOrder(type)) return `the version order of ${type || 'components without a package URL'} is not known`;
  if (standingsOf(record, component).size > 1) return 'one version has an epoch and another has none';
  if (record.fixed_in_versions.length === 0) return 'no fixed version is known';
  if (record.fixed_in_versions.every((fix) => !isSameNotation(type, version, fix))) {
    return `the distribution does not use the version numbers of the fix (${record.fixed_in_versions.join(', ')})`;
  }
  return `${version} cannot be compared with ${record.fixed_in_versions.join(', ')}`;
}

function typeOf({ purl }: RemediationRecord, component: FindingComponent): string {
  return purlType(component) ?? purlType(purl === null ? {} : { purl }) ?? '';
}

/** The revision that a distribution adds to the version of others. */
const REVISIONS: Readonly<Record<string, RegExp>> = { deb: /-[^-]+$/, rpm: /-[^-]+$/, apk: /-r\d+$/ };

/** A distribution backports a fix under its own number: the number of others says nothing of its packages. */
function isSameNotation(type: string, version: string, fix: string): boolean {
  const revision = REVISIONS[type];
  return revision === undefined || revision.test(version) === revision.test(fix);
}

/** Without what most notations take for nothing: a leading v, zeros before and behind, what was built, capitals, signs around it. */
function bare(version: string): string {
  const [number = ''] = version.toLowerCase().split('+');
  return number
    .replace(/^[^a-z\d]+|[^a-z\d]+$/g, '')
    .replace(/^v(?=\d)/, '')
    .replace(/\d+/g, (digits) => digits.replace(/^0+(?=\d)/, ''))
    .replace(/(?:\.0)+$/, '');
}
