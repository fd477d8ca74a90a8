import { ComponentLookup } from '@colophon/findings';
import type { FindingComponent, NamedBom, ScannedSbom, ScanRecord } from '@colophon/records';
import { OR_REASON, type RemediationIssue, remediationIssue } from './remediation-issue.ts';

/** How much of what a scan lists is found again in the SBOM that it is said to be of. */
export type ScanTie = {
  readonly listed: number;
  /** Components of findings that the SBOM does not hold, each once. */
  readonly foreign: readonly FindingComponent[];
  /** SBOMs that the output itself names, where this is none of them. */
  readonly otherBoms: readonly NamedBom[];
};

/** Holds what a scan lists, and which SBOMs it names, against one SBOM and everything in it. */
export function scanTie(scan: ScanRecord, sbom: ScannedSbom, contents: ComponentLookup): ScanTie {
  const named = scan.namedBoms ?? [];
  const foreign = new Map<string, FindingComponent>();
  for (const { component } of scan.findings) {
    if (!contents.has(component)) foreign.set(`${component.purl} ${component.name} ${component.version}`, component);
  }
  return {
    listed: new Set(scan.findings.map(({ component: { purl, name, version } }) => `${purl} ${name} ${version}`)).size,
    foreign: [...foreign.values()],
    otherBoms: named.some((one) => isNamed(one, sbom)) ? [] : named,
  };
}

/** A BOM-Link names a version; an SBOM without one is the first. */
function isNamed({ serialNumber, version }: NamedBom, sbom: ScannedSbom): boolean {
  return serialNumber.toLowerCase() === sbom.serialNumber?.toLowerCase() && version === (sbom.version ?? 1);
}

/** Everything that keeps a scan from being one of this SBOM: it names another one, or lists nothing that is in it. */
export function* scanTieIssues(
  scan: { readonly record: ScanRecord; readonly name: string },
  sbom: ScannedSbom,
  components: readonly FindingComponent[],
): Generator<RemediationIssue> {
  const { listed, foreign, otherBoms } = scanTie(scan.record, sbom, ComponentLookup.of(components));
  if (otherBoms.length > 0) {
    yield remediationIssue(
      'remediation.scan_of_other_sbom',
      `${scan.name} says that it is of another SBOM than --sbom names`,
      {
        expected: bomWords({ serialNumber: sbom.serialNumber ?? 'no serialNumber', version: sbom.version ?? 1 }),
        found: otherBoms.map(bomWords).join('; '),
      },
    );
  }
  if (listed === 0 || foreign.length < listed) return;
  yield remediationIssue('remediation.scan_unrelated', `nothing that ${scan.name} lists is in the SBOM`, {
    expected: `findings in components of the SBOM that --sbom names, each in the version that it holds; ${OR_REASON}`,
    found: componentWords(foreign),
  });
}

const MOST_SHOWN = 5;

/** Some components for a message, by package URL or by name and version. */
export function componentWords(components: readonly FindingComponent[]): string {
  const shown = components
    .slice(0, MOST_SHOWN)
    .map(({ name, version, purl }) => purl ?? `${name} ${version ?? '(no version)'}`);
  const more = components.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

function bomWords({ serialNumber, version }: NamedBom): string {
  return `${serialNumber}, version ${version}`;
}
