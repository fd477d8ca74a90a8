import { isCve, MOST_CVES } from '@colophon/findings';
import { compareTexts, parseInstant } from '@colophon/notation';
import type { Finding, RemediationRecord } from '@colophon/records';
import { componentKey } from './record-identity.ts';
import { componentOf, type RecordIndex } from './record-index.ts';
import { namedOf, type VulnerabilityNames } from './vulnerability-names.ts';

/** The records that each finding speaks of. */
export type Found = ReadonlyMap<Finding, readonly RemediationRecord[]>;
type Listing = { readonly found: Found; readonly isLive: (record: RemediationRecord) => boolean };

/**
 * What becomes of the open records of which more is known now than their names said when they were opened. One without
 * a CVE takes it, and where its advisory was given several, each has a record; where another record of the same
 * vulnerability in the same component is open already, that one goes on with it.
 */
export class NamePlan {
  readonly #calls = new Map<string, string>();
  readonly #splits = new Map<string, readonly string[]>();
  readonly #joins = new Map<string, readonly string[]>();
  readonly #shares = new Map<string, readonly string[]>();
  readonly #isLive: (record: RemediationRecord) => boolean;
  readonly #index: RecordIndex;
  readonly #names: VulnerabilityNames;
  readonly #listed: ReadonlySet<string>;

  /**
   * @param found what a scan lists, which says what of an advisory is in a component
   * @param isLive whether a record is open, or is opened again by what is listed
   */
  constructor(
    records: readonly RemediationRecord[],
    index: RecordIndex,
    names: VulnerabilityNames,
    { found, isLive }: Listing,
  ) {
    this.#index = index;
    this.#names = names;
    this.#isLive = isLive;
    this.#listed = new Set([...found].flatMap(([one, records]) => records.map(({ id }) => `${id}\n${one.id}`)));
    // The one that was discovered first goes on; the order in which they were read says nothing.
    const open = records.filter(isLive).sort(byDiscovery);
    const sameName = Map.groupBy(open, (record) => `${record.cve}\n${componentKey(componentOf(record))}`);
    for (const twins of sameName.values()) this.#joinTwins(twins);
    for (const record of open) {
      if (!isCve(record.cve) && this.joinsOf(record).length === 0) this.#planNameless(record);
    }
  }

  /** What a record is called from now on. */
  cveOf({ id, cve }: RemediationRecord): string {
    return this.#calls.get(id) ?? cve;
  }

  /** The ids of further vulnerabilities that what a record was opened for turns out to be. */
  splitsOf({ id }: RemediationRecord): readonly string[] {
    return this.#splits.get(id) ?? [];
  }

  /** The ids of the records that go on with it; none where it goes on itself. */
  joinsOf({ id }: RemediationRecord): readonly string[] {
    return this.#joins.get(id) ?? [];
  }

  /** The ids of records that know what it knows from now on, though it goes on itself under another CVE of its advisory. */
  sharesOf({ id }: RemediationRecord): readonly string[] {
    return this.#shares.get(id) ?? [];
  }

  #planNameless(record: RemediationRecord): void {
    const ids = this.#idsFor(record);
    const [first] = ids;
    if (first === undefined) {
      const [name = record.cve] = this.#names.idsOf(namedOf(record));
      if (!isCve(name)) this.#calls.set(record.id, name);
      this.#joinTwin(record);
      return;
    }
    const [taken, free] = [ids.filter((id) => this.#others(record, id).length > 0), [] as string[]];
    for (const id of ids) if (!taken.includes(id)) free.push(id);
    const [own, ...more] = free;
    const open = taken.flatMap((id) => this.#others(record, id)).filter(this.#isLive);
    const openIds = open.map(({ id }) => id);
    if (own !== undefined) this.#calls.set(record.id, own);
    else if (open.length === 0) this.#calls.set(record.id, first);
    if (more.length > 0) this.#splits.set(record.id, more);
    if (own === undefined && open.length > 0) this.#joins.set(record.id, openIds);
    else if (open.length > 0) this.#shares.set(record.id, openIds);
  }

  /** The CVEs that its names mean, as far as they are listed in this component; all of them where nobody lists any. */
  #idsFor(record: RemediationRecord): readonly string[] {
    const cves = this.#names.idsOf(namedOf(record)).filter(isCve);
    const here = cves.filter((id) => this.#listed.has(`${record.id}\n${id}`) || this.#others(record, id).length > 0);
    if (here.length > 0) return here;
    return cves.length > MOST_CVES ? [] : cves;
  }

  /** Other records of this very vulnerability in the same component. */
  #others(record: RemediationRecord, id: string): readonly RemediationRecord[] {
    return this.#index
      .find({ id, aliases: [], component: componentOf(record) })
      .filter((other) => other.id !== record.id && this.cveOf(other) === id && this.joinsOf(other).length === 0);
  }

  /** Of open records of one name the one that was discovered first goes on with the others. */
  #joinTwins([first, ...twins]: readonly RemediationRecord[]): void {
    for (const { id } of first === undefined ? [] : twins) this.#joins.set(id, [first!.id]);
  }

  /** The same of records that have two names of one advisory. */
  #joinTwin(record: RemediationRecord): void {
    const [first] = this.#index
      .find({ ...namedOf(record), component: componentOf(record) })
      .filter((other) => this.#isLive(other) && !isCve(this.cveOf(other)) && this.joinsOf(other).length === 0)
      .toSorted(byDiscovery);
    if (first !== undefined && first.id !== record.id) this.#joins.set(record.id, [first.id]);
  }
}

function byDiscovery(a: RemediationRecord, b: RemediationRecord): number {
  return parseInstant(a.discovered_at)! - parseInstant(b.discovered_at)! || compareTexts(a.id, b.id);
}
