import { identifyComponent, isCve, sameComponent } from '@colophon/findings';
import { withVersion } from '@colophon/notation';
import type { FindingComponent, RemediationRecord } from '@colophon/records';

/** What something is known by: its id and its other names. */
type Named = { readonly id: string; readonly aliases: readonly string[]; readonly component: FindingComponent };

/**
 * The records of one product by vulnerability and component: a look-up costs the same among any number, also where one
 * vulnerability is in all of them.
 */
export class RecordIndex {
  readonly #byPackage = new Map<string, RemediationRecord>();
  readonly #byName = new Map<string, RemediationRecord>();
  /** Of records without a package URL. */
  readonly #byNameAlone = new Map<string, RemediationRecord>();

  constructor(records: readonly RemediationRecord[]) {
    // A record of its own before one that has the name among its others.
    for (const record of records) this.#add(record, [record.cve]);
    for (const record of records) this.#add(record, record.aliases);
  }

  #add(record: RemediationRecord, ids: readonly string[]): void {
    const { package: ofPurl, names } = identifyComponent(componentOf(record));
    for (const id of ids) {
      if (ofPurl !== undefined) addFirst(this.#byPackage, `${id}\n${ofPurl}`, record);
      for (const name of names) {
        addFirst(this.#byName, `${id}\n${name}`, record);
        if (ofPurl === undefined) addFirst(this.#byNameAlone, `${id}\n${name}`, record);
      }
    }
  }

  /** The record of this vulnerability, under whatever name, in this component, in whatever version. */
  find({ id, aliases, component }: Named): RemediationRecord | undefined {
    const { package: ofPurl, names } = identifyComponent(component);
    const byName = ofPurl === undefined ? this.#byName : this.#byNameAlone;
    for (const one of [id, ...aliases]) {
      const found = ofPurl === undefined ? undefined : this.#byPackage.get(`${one}\n${ofPurl}`);
      if (found !== undefined && !isOtherCve(id, found)) return found;
      for (const name of names) {
        const named = byName.get(`${one}\n${name}`);
        if (named !== undefined && !isOtherCve(id, named)) return named;
      }
    }
    return undefined;
  }
}

/** A CVE is never another CVE: an advisory that speaks of both is a name of neither alone. */
function isOtherCve(id: string, { cve }: Pick<RemediationRecord, 'cve'>): boolean {
  return id !== cve && isCve(id) && isCve(cve);
}

function addFirst(map: Map<string, RemediationRecord>, key: string, record: RemediationRecord): void {
  if (!map.has(key)) map.set(key, record);
}

/** Whether a component is, in any version, the one that a record speaks of. */
export function isOfRecord(record: RemediationRecord, component: FindingComponent): boolean {
  const own = COMPONENTS.get(record) ?? componentOf(record);
  COMPONENTS.set(record, own);
  return sameComponent(own, component);
}

/** Of a record, in whatever version: it is asked for once for each component of an SBOM. */
const COMPONENTS = new WeakMap<RemediationRecord, FindingComponent>();

/** The component of a record in one version, or in whatever version. */
export function componentOf({ component: name, purl }: RemediationRecord, version?: string): FindingComponent {
  if (version === undefined) return purl === null ? { name } : { name, purl };
  return { name, version, ...(purl === null ? {} : { purl: withVersion(purl, version) }) };
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

/** Whether something is, under any of its names, the vulnerability that a record speaks of. */
export function sameVulnerability({
  cve,
  aliases,
}: Pick<RemediationRecord, 'cve' | 'aliases'>): (named: Pick<Named, 'id' | 'aliases'>) => boolean {
  const names = new Set([cve, ...aliases]);
  return (named) =>
    !isOtherCve(named.id, { cve }) && (names.has(named.id) || named.aliases.some((name) => names.has(name)));
}
