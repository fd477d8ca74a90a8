import { identifyComponent } from '@colophon/findings';
import { withVersion } from '@colophon/notation';
import type { FindingComponent, RemediationRecord, ScannedSbom } from '@colophon/records';
import { movedComponents } from './moved-component.ts';
import { packageChangeIssues } from './package-change.ts';
import { componentKey } from './record-identity.ts';
import { componentOf, isOfRecord, plainVersion, seenVersions } from './record-index.ts';
import { OR_REASON, type RemediationIssue, remediationIssue } from './remediation-issue.ts';
import { type VersionStanding, versionStanding } from './version-standing.ts';

/** What the newer SBOM holds, and what was in those in which the record was found. */
export type ComponentProof = {
  readonly sbom: ScannedSbom;
  readonly components: readonly FindingComponent[];
  readonly before?: readonly FindingComponent[];
  /** What vendored code in it was made from, where only its properties say so. */
  readonly vendored?: readonly FindingComponent[];
};

/**
 * Everything that keeps a newer SBOM from showing what became of a component: it holds nothing, or a vulnerable version
 * of it, or so little of it that no scanner could look it up; or the component is gone, and nobody says why. A scanner
 * is silent about what the SBOM does not tell it.
 */
export function* componentIssues(record: RemediationRecord, proof: ComponentProof): Generator<RemediationIssue> {
  const { components, sbom, before = [], vendored = [] } = proof;
  if (components.every(({ name }) => name === sbom.artifact)) {
    // Nothing is found in an SBOM of nothing.
    yield remediationIssue('remediation.sbom_incomplete', 'the SBOM holds no components', {
      expected: `everything that ${record.product} is made of`,
      found: 'nothing but the artifact itself',
      next: 'colophon sbom create, of what is built and not of an empty folder',
    });
    return;
  }
  const held = components.filter((one) => isOfRecord(record, one));
  const madeFrom = vendored.filter((one) => isOfRecord(record, one));
  const vulnerable = seenVersions(record);
  const unchanged = [...held, ...madeFrom].filter((one) =>
    statedVersions(record, one).some((version) => vulnerable.has(version)),
  );
  const moved = movedComponents(record, components, before);
  const changed = held.filter((one) => !unchanged.includes(one));
  const others = [...changed, ...madeFrom.filter((one) => !unchanged.includes(one))];
  const standings = Map.groupBy(others, (one) => versionStanding(record, one));
  const { same = [], ...unproven } = Object.fromEntries(standings);
  yield* versionIssues(record, [...unchanged, ...same], moved);
  yield* unprovenIssues(record, withoutCleared(record, unproven, before));
  yield* namelessIssues(record, changed, before);
  yield* packageChangeIssues(record, changed, before);
  if (held.length + madeFrom.length === 0 && moved.length === 0 && reasonOfRemoval(record) === undefined) {
    yield remediationIssue(
      'remediation.component_gone',
      `the SBOM holds no ${record.component}, and no reason is given`,
      {
        expected:
          'the component in a patched version, or the reason for its absence: --reason TEXT, such as "removed" or "replaced by NAME"',
        found: `new in it: ${newcomers(components, before)}`,
      },
    );
  }
}

function* versionIssues(
  record: RemediationRecord,
  unchanged: readonly FindingComponent[],
  moved: readonly FindingComponent[],
): Generator<RemediationIssue> {
  const expected =
    record.fixed_in_versions.length === 0 ? 'another version, or none' : record.fixed_in_versions.join(', ');
  if (unchanged.length > 0) {
    yield remediationIssue(
      'remediation.version_still_present',
      `the SBOM still holds the vulnerable ${record.component}`,
      { expected, found: called(unchanged), next: UPGRADE },
    );
  }
  if (moved.length === 0) return;
  yield remediationIssue(
    'remediation.version_still_present',
    `the SBOM holds the vulnerable version of ${record.component} under another package URL`,
    { expected, found: called(moved), next: UPGRADE },
  );
}

/** What closes nothing by itself, in the words of each standing. */
const UNPROVEN = [
  ['alike', 'remediation.version_alike', 'differs from a vulnerable version in spelling or platform alone'],
  ['unreadable', 'remediation.version_unreadable', 'has a version that is not valid in its ecosystem'],
  ['older', 'remediation.version_older', 'is older than the vulnerable one'],
  ['below_fix', 'remediation.version_below_fix', 'is below the version in which it is fixed'],
] as const;

/** Standings that a scanner has decided which looked at this very version, beside the vulnerable one. */
const CLEARED: ReadonlySet<string> = new Set(['unreadable', 'older', 'below_fix'] satisfies VersionStanding[]);

type Standings = { readonly [standing in VersionStanding]?: readonly FindingComponent[] };

/** Without what was in the SBOMs in which it was found, in a version that no scanner listed: several are in one build. */
function withoutCleared(
  record: RemediationRecord,
  standings: Standings,
  before: readonly FindingComponent[],
): Standings {
  const vulnerable = seenVersions(record);
  const there = new Set(before.filter((one) => isOfRecord(record, one)).map(plainVersion));
  const isCleared = (version: string) => version !== '' && there.has(version) && !vulnerable.has(version);
  return Object.fromEntries(
    Object.entries(standings).flatMap(([standing, found]) => {
      const left = CLEARED.has(standing) ? found.filter((one) => !isCleared(plainVersion(one))) : found;
      return left.length === 0 ? [] : [[standing, left]];
    }),
  );
}

function* unprovenIssues(record: RemediationRecord, standings: Standings): Generator<RemediationIssue> {
  for (const [standing, code, words] of UNPROVEN) {
    const found = standings[standing];
    if (found === undefined) continue;
    yield remediationIssue(code, `the ${record.component} of the SBOM ${words}`, {
      expected: `${record.fixed_in_versions.join(', ') || `a version behind ${record.current_version}`}; ${OR_REASON}`,
      found: called(found),
    });
  }
}

const UPGRADE =
  'upgrade it everywhere, also inside other components and in what was made from it; what was patched in place is closed with --vex';
/** Something else of the same name is told apart by its own package URL. */
const FULL_NAME = 'an SBOM that names it like this; another package of the same name needs its own package URL';

/** Both versions of a component that says one beside its package URL and another one in it. */
function statedVersions(record: RemediationRecord, component: FindingComponent): readonly string[] {
  const { version } = component;
  const inPurl = plainVersion(component);
  return version === undefined ? [inPurl] : [inPurl, plainVersion(componentOf(record, version))];
}

/** A component of which the SBOM says less than the one before did is not looked up, and so not found. */
function* namelessIssues(
  record: RemediationRecord,
  held: readonly FindingComponent[],
  before: readonly FindingComponent[],
): Generator<RemediationIssue> {
  for (const one of held) {
    const lack = lackOf(record, one, before);
    if (lack === undefined) continue;
    yield remediationIssue(
      'remediation.sbom_incomplete',
      `the SBOM names ${record.component} without ${lack}, so scanners cannot look it up`,
      {
        expected: `such as ${record.purl ?? record.component}, in its new version`,
        found: called([one]),
        next: FULL_NAME,
      },
    );
  }
}

function lackOf(
  record: RemediationRecord,
  one: FindingComponent,
  before: readonly FindingComponent[],
): string | undefined {
  const same = before.filter((other) => isOfRecord(record, other));
  const purls = (same.length === 0 ? [record] : same).flatMap(({ purl }) => purl ?? []);
  if (!hasPackage(one)) {
    const wasThere = same.some((other) => !hasPackage(other));
    if (purls.length > 0 && !wasThere) return 'a package URL';
  } else if (purls.some(isOfDistribution) && !isOfDistribution(one.purl!)) return 'the distribution';
  return plainVersion(one) === '' ? 'a version' : undefined;
}

function hasPackage(component: FindingComponent): boolean {
  return identifyComponent(component).package !== undefined;
}

/** Distributions patch the same version at different times; scanners ask the one that the package URL names. */
function isOfDistribution(purl: string): boolean {
  return /[?&]distro=[^&#]/i.test(purl);
}

/** What a person said of a component that is gone when the record was decided to end so. */
function reasonOfRemoval(record: RemediationRecord): string | undefined {
  if (record.decision !== 'remove') return undefined;
  return record.history.findLast(({ changes }) => changes['decision']?.[1] === 'remove')!.reason;
}

const MOST_SHOWN = 5;

function newcomers(components: readonly FindingComponent[], before: readonly FindingComponent[]): string {
  const known = new Set(before.map(componentKey));
  const added = components.filter((one) => !known.has(componentKey(one)));
  const more = added.length > MOST_SHOWN ? `, and ${added.length - MOST_SHOWN} more` : '';
  return added.length === 0 ? 'nothing' : `${called(added.slice(0, MOST_SHOWN))}${more}`;
}

function called(components: readonly FindingComponent[]): string {
  return [...new Set(components.map(nameOf))].join(', ');
}

function nameOf({ name, version, purl }: FindingComponent): string {
  if (purl === undefined) return `${name} ${version ?? '(no version)'}`;
  const isOther =
    version !== undefined && plainVersion({ name, purl }) !== plainVersion({ name, purl: withVersion(purl, version) });
  return isOther ? `${purl} as version ${version}` : purl;
}
