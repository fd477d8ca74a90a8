import { identifyComponent, sameComponent } from '../finding/component-identity.ts';
import type { FindingComponent } from '../finding/reported-vulnerability.ts';
import { purlOfVersion } from './record-identity.ts';
import type { RemediationRecord } from './remediation-record.ts';

/** What something is known by: its id and its other names. */
type Named = { readonly id: string; readonly aliases: readonly string[]; readonly component: FindingComponent };

/** The records of one product by the names of their vulnerabilities: a look-up costs the same among any number. */
export class RecordIndex {
  readonly #byName = new Map<string, RemediationRecord[]>();

  constructor(records: readonly RemediationRecord[]) {
    for (const record of records) {
      for (const name of new Set([record.cve, ...record.aliases])) {
        const list = this.#byName.get(name);
        if (list === undefined) this.#byName.set(name, [record]);
        else list.push(record);
      }
    }
  }

  /** The record of this vulnerability, under whatever name, in this component, in whatever version. */
  find(finding: Named): RemediationRecord | undefined {
    for (const name of [finding.id, ...finding.aliases]) {
      const found = this.#byName.get(name)?.find((record) => isOfRecord(record, finding.component));
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** Whether a component is, in any version, the one that a record speaks of. */
export function isOfRecord(record: RemediationRecord, component: FindingComponent): boolean {
  return sameComponent(componentOf(record), component);
}

/** The component of a record in one version, or in whatever version. */
export function componentOf({ component: name, purl }: RemediationRecord, version?: string): FindingComponent {
  if (version === undefined) return purl === null ? { name } : { name, purl };
  const ofVersion = purlOfVersion(purl, version);
  return { name, version, ...(ofVersion === undefined ? {} : { purl: ofVersion }) };
}

/** The versions in which scanners saw it, each in its one spelling. */
export function seenVersions(record: RemediationRecord): ReadonlySet<string> {
  const versions = record.sightings.flatMap((sighting) => sighting.versions);
  return new Set(versions.map((version) => plainVersion(componentOf(record, version))));
}

/** A component's version as other scanners and SBOMs would write it too; '' where nobody says it. */
export function plainVersion(component: FindingComponent): string {
  return identifyComponent(component).version ?? '';
}

/** Whether a finding is, under any of its names, of the vulnerability that a record speaks of. */
export function isSameVulnerability(
  { cve, aliases }: Pick<RemediationRecord, 'cve' | 'aliases'>,
  finding: Pick<Named, 'id' | 'aliases'>,
): boolean {
  const names = new Set([cve, ...aliases]);
  return [finding.id, ...finding.aliases].some((name) => names.has(name));
}
