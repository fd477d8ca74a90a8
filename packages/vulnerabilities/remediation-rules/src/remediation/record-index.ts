import { identifyComponent, sameComponent } from '@colophon/findings';
import { withVersion } from '@colophon/notation';
import type { FindingComponent, RemediationRecord } from '@colophon/records';
import { isJoined } from './joined-record.ts';
import { isOtherCve, type Named, namedOf, namesIn, VulnerabilityNames } from './vulnerability-names.ts';

/** What is looked up: a listing, or a record. */
type Listed = Named & { readonly component: FindingComponent };

/**
 * The records of one product by vulnerability and component: a look-up costs the same among any number, also where one
 * vulnerability is in all of them. The order of the records says nothing.
 */
export class RecordIndex {
  readonly #names: VulnerabilityNames;
  readonly #byPackage = new Map<string, RemediationRecord[]>();
  readonly #byName = new Map<string, RemediationRecord[]>();
  /** Of records without a package URL. */
  readonly #byNameAlone = new Map<string, RemediationRecord[]>();
  /** Those that were set aside for one that goes on with them, which is not there: they are set aside by nothing. */
  readonly left: ReadonlySet<RemediationRecord>;

  /** @param names what else is known of names than what the records say */
  constructor(records: readonly RemediationRecord[], names = new VulnerabilityNames(namesIn(records))) {
    this.#names = names;
    for (const record of records) if (!isJoined(record)) this.#add(record);
    // Another one goes on with it, and answers in its place; where that one is nowhere, it answers itself.
    this.left = new Set(records.filter((record) => isJoined(record) && this.find(listedAs(record)).length === 0));
    for (const record of this.left) this.#add(record);
  }

  #add(record: RemediationRecord): void {
    const { package: ofPurl, names } = identifyComponent(componentOf(record));
    for (const id of this.#names.keysOf(namedOf(record))) {
      if (ofPurl !== undefined) addTo(this.#byPackage, `${id}\n${ofPurl}`, record);
      for (const name of names) {
        addTo(this.#byName, `${id}\n${name}`, record);
        if (ofPurl === undefined) addTo(this.#byNameAlone, `${id}\n${name}`, record);
      }
    }
  }

  /**
   * Every record that may be of this vulnerability, under whatever name, in this component, in whatever version; sorted
   * by id. One with which another one goes on is left out.
   */
  find(listed: Listed): readonly RemediationRecord[] {
    const { package: ofPurl, names } = identifyComponent(listed.component);
    const byName = ofPurl === undefined ? this.#byName : this.#byNameAlone;
    const found = new Set<RemediationRecord>();
    for (const key of this.#names.keysOf(listed)) {
      const named = names.flatMap((name) => byName.get(`${key}\n${name}`) ?? []);
      const ofPackage = ofPurl === undefined ? undefined : this.#byPackage.get(`${key}\n${ofPurl}`);
      for (const record of [...(ofPackage ?? []), ...named]) {
        if (!isOtherCve(listed.id, record.cve)) found.add(record);
      }
    }
    return [...found].sort((a, b) => (a.id < b.id ? -1 : 1));
  }
}

/** For each joined record, those that go on with it; none where it is set aside by nothing. Of any products. */
export function goingOn(
  records: readonly RemediationRecord[],
): ReadonlyMap<RemediationRecord, readonly RemediationRecord[]> {
  const found = new Map<RemediationRecord, readonly RemediationRecord[]>();
  // Few have any: the others cost no index.
  const products = new Set(records.filter(isJoined).map(({ product }) => product));
  for (const [product, some] of Map.groupBy(records, (record) => record.product)) {
    if (!products.has(product)) continue;
    const index = new RecordIndex(some);
    for (const record of some.filter(isJoined)) {
      found.set(record, index.left.has(record) ? [] : index.find(listedAs(record)));
    }
  }
  return found;
}

function listedAs(record: RemediationRecord): Listed {
  return { ...namedOf(record), component: componentOf(record) };
}

function addTo(map: Map<string, RemediationRecord[]>, key: string, record: RemediationRecord): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [record]);
  else known.push(record);
}

/** Whether a component is, in any version, the one that a record speaks of. */
export function isOfRecord(record: RemediationRecord, component: FindingComponent): boolean {
  return sameComponent(componentOf(record), component);
}

/** Of a record, in whatever version: it is asked for once for each component of an SBOM. */
const COMPONENTS = new WeakMap<RemediationRecord, FindingComponent>();

/** The component of a record in one version, or in whatever version. */
export function componentOf(record: RemediationRecord, version?: string): FindingComponent {
  const { component: name, purl } = record;
  if (version === undefined) {
    const known = COMPONENTS.get(record) ?? (purl === null ? { name } : { name, purl });
    COMPONENTS.set(record, known);
    return known;
  }
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
