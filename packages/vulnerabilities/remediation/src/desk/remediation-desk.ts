import type { KnownExploitedCatalog } from '@colophon/findings';
import { canonicalJson, type JsonValue } from '@colophon/json';
import { compareTexts, parseInstant } from '@colophon/notation';
import { digestOf, type EnrichedFinding, type RemediationRecord, type ScanRecord } from '@colophon/records';
import {
  type Actor,
  changeRecord,
  closeRecord,
  escalateRecord,
  type Opening,
  type OpeningContext,
  openRecords,
  type RecordChange,
  type RemediationIssue,
  type RemediationPolicy,
  signedPart,
  type Voiding,
  voidRecord,
  withClosingSignature,
  withComputedFields,
} from '@colophon/remediation-rules';
import { DocumentStore, RemediationStore, type SqlDatabase, type StoredDocument, StoreError } from '@colophon/store';
import { type ClosingFiles, readClosing } from './closing.ts';
import { CombinedOpening, updateOf } from './combined-opening.ts';
import { documentOf, type EvidenceFile, keepScan, referenceTo } from './evidence.ts';
import { type KeptRecord, keptRecord } from './kept-record.ts';
import { findRecords, namesOf, theRecord, unknownRecord } from './record-reference.ts';
import { accepted, RemediationError } from './remediation-error.ts';
import { readInventory } from './sbom-inventory.ts';

/** A scan, and those of its findings for which records are opened, with what the catalog says of them. */
export type ScanToOpen = { readonly scan: ScanRecord; readonly findings: readonly EnrichedFinding[] };

export type OpenRequest = Actor & {
  readonly scans: readonly ScanToOpen[];
  /** The SBOM that was scanned. */
  readonly sbom?: EvidenceFile;
  readonly product?: string;
  readonly catalogVersion?: string;
  readonly owner?: string;
  readonly trackingId?: string;
  /** Why a scan counts that matches the SBOM in nothing, for the history. */
  readonly reason?: string;
  readonly policy: RemediationPolicy;
};

/** Signs a closed record, given as its canonical JSON. */
export type RecordSigner = (
  canonical: Uint8Array,
  record: RemediationRecord,
) => Promise<{ readonly bundle: Uint8Array; readonly signer: string }>;

export type CloseRequest = Actor & {
  readonly files: ClosingFiles;
  readonly policy: RemediationPolicy;
  /** Why, for the history; demanded where a component is gone. */
  readonly reason?: string;
  /** Absent where the caller has decided that nobody signs. */
  readonly sign?: RecordSigner;
};

export type VoidRequest = Voiding & {
  /** Absent where the caller has decided that nobody signs. */
  readonly sign?: RecordSigner;
};

export type RecordFilter = {
  readonly isOpen?: boolean;
  readonly product?: string;
  /** A vulnerability under any of its names. */
  readonly cve?: string;
};
type KeptFilter = Parameters<RemediationStore['list']>[0];

/** How often that is begun anew which may be, where somebody else was faster. */
const MOST_ATTEMPTS = 5;

/**
 * Remediation records in a database that several people and processes share, with the documents that they rest on. Of
 * two who change the same record at once, one does; the other gets StoreError `store.conflict`, and nothing of it is
 * written.
 */
export class RemediationDesk {
  readonly #records: RemediationStore;
  readonly #documents: DocumentStore;

  private constructor(records: RemediationStore, documents: DocumentStore) {
    this.#records = records;
    this.#documents = documents;
  }

  /** Makes the tables where they are not there. */
  static async over(db: SqlDatabase): Promise<RemediationDesk> {
    return new RemediationDesk(await RemediationStore.open(db), await DocumentStore.open(db));
  }

  /**
   * Opens a record for everything that the scans list. To do the same again changes nothing.
   * @throws RemediationError with every condition that is not met
   */
  async open({ scans, sbom, ...request }: OpenRequest): Promise<Opening> {
    return again(async () => {
      const all = new CombinedOpening();
      const sbomDocument = sbom && documentOf('sbom', sbom, request.at);
      const documents: StoredDocument[] = sbomDocument === undefined ? [] : [sbomDocument];
      const given = sbom && componentsIn(sbom.bytes);
      const listed = scans.flatMap(({ scan }) => scan.findings);
      for (const { scan: scanned, findings } of scans.toSorted(byTime)) {
        const { scan, document } = keepScan(scanned, request.at);
        documents.push(document);
        const product = request.product ?? scanned.sbom?.artifact;
        if (product !== undefined) all.know(await this.#kept({ product }));
        const components = given ?? (await this.#keptComponents(scanned));
        const reference = sbomDocument === undefined ? {} : { sbom: referenceTo(sbomDocument) };
        all.add(
          accepted(
            openRecords(findings, { ...request, ...reference, ...components, scan, known: all.records, listed }),
          ),
        );
      }
      const { inserts, updates } = all;
      if (inserts.length > 0) await this.#records.insert(inserts, documents);
      if (updates.length > 0) await this.#records.updateAll(updates, documents);
      return all.result;
    });
  }

  /**
   * Changes all of these records that do not say so already, or none; gives all of them as they are then.
   * @param references ids, beginnings of ids, CVEs
   * @throws RemediationError
   */
  async update(
    references: readonly string[],
    change: RecordChange,
    context: Actor & { readonly policy: RemediationPolicy },
  ): Promise<readonly RemediationRecord[]> {
    const kept = await this.#referred(references);
    const changeOf = ({ record }: KeptRecord) => changeRecord(record, change, context);
    // That one of several says all of it already is no reason to leave the others as they are.
    const differing = kept.filter((one) => !saysAllOfIt(changeOf(one)));
    const toChange = differing.length === 0 ? kept : differing;
    const changed = allAccepted(toChange, changeOf);
    await this.#records.updateAll(changed.map((record, index) => updateOf(record, toChange[index]!.revision)));
    const changedById = new Map(changed.map((record) => [record.id, record]));
    return kept.map(({ record }) => changedById.get(record.id) ?? record);
  }

  /**
   * Closes all of these records by the same proof, or none. Everything is checked before anybody is asked to sign.
   * @throws RemediationError with every condition that is not met
   */
  async close(
    references: readonly string[],
    { files, sign, ...context }: CloseRequest,
  ): Promise<readonly RemediationRecord[]> {
    const kept = await this.#referred(references);
    const { proofFor, documents } = readClosing(files, this.#documents, context.at);
    const proofs = await Promise.all(kept.map(({ record }) => proofFor(record)));
    const others = await this.#othersBeside(kept.map(({ record }) => record));
    const evidence = documents.map(referenceTo);
    const closed = allAccepted(kept, ({ record }, index) =>
      closeRecord(record, proofs[index]!, { ...context, others, evidence }),
    );
    const { signed, signatures } = await signAll(closed, sign, context.at);
    const updates = signed.map((record, index) => updateOf(record, kept[index]!.revision));
    await this.#records.updateAll(updates, [...documents, ...signatures]);
    return signed;
  }

  /**
   * Sets all of these open records aside, or none: nobody should have opened them, or their advisory was withdrawn.
   * @throws RemediationError
   */
  async void(references: readonly string[], { sign, ...voiding }: VoidRequest): Promise<readonly RemediationRecord[]> {
    const kept = await this.#referred(references);
    const voided = allAccepted(kept, ({ record }) => voidRecord(record, voiding));
    const { signed, signatures } = await signAll(voided, sign, voiding.at);
    await this.#records.updateAll(
      signed.map((record, index) => updateOf(record, kept[index]!.revision)),
      signatures,
    );
    return signed;
  }

  /** Records that fit, as they are at this moment (RFC 3339), open ones first, and what is due soonest. */
  async list({ cve, ...filter }: RecordFilter, at: string): Promise<readonly RemediationRecord[]> {
    const named = cve === undefined ? {} : { named: { vulnerabilities: [cve] } };
    const records = (await this.#kept({ ...filter, ...named })).map(({ record }) => withComputedFields(record, at));
    const wanted =
      cve === undefined ? records : records.filter((record) => record.cve === cve || record.aliases.includes(cve));
    return wanted.sort(byUrgency);
  }

  /** The one record that a reference means. @throws RemediationError */
  async find(reference: string, at: string): Promise<RemediationRecord> {
    const found = await this.#called(reference);
    return withComputedFields(
      theRecord(
        reference,
        found.map(({ record }) => record),
      ),
      at,
    );
  }

  /** Every record of a vulnerability, under any of its names. @throws RemediationError `remediation.record_unknown` */
  async findAll(reference: string, at: string): Promise<readonly RemediationRecord[]> {
    const records = (await this.#called(reference)).map(({ record }) => withComputedFields(record, at));
    const found = findRecords(reference, records);
    if (found.length === 0) throw unknownRecord(reference, records);
    return found.toSorted(byUrgency);
  }

  /**
   * Makes open records more urgent that a catalog has entered, and notes those that it has left; answers with them.
   */
  async escalate(catalog: KnownExploitedCatalog, actor: Actor): Promise<readonly RemediationRecord[]> {
    return again(async () => {
      const open = await this.#kept({ isOpen: true });
      const escalated = open.flatMap(({ record, revision }) => {
        const after = escalateRecord(record, catalog, actor);
        return after === record ? [] : [{ record: after, revision }];
      });
      if (escalated.length === 0) return [];
      await this.#records.updateAll(escalated.map(({ record, revision }) => updateOf(record, revision)));
      return escalated.map(({ record }) => record);
    });
  }

  /** A document that records rest on. @throws RemediationError `remediation.document_unknown` */
  async document(digest: string): Promise<StoredDocument> {
    const found = await this.#documents.get(digest);
    if (found !== undefined) return found;
    throw new RemediationError('remediation.document_unknown', `no document is kept as ${digest}`, {
      expected: 'the digest of a document that a record names',
      next: 'colophon remediation show RECORD',
    });
  }

  /** Everything in the SBOM that was scanned, where it is kept. */
  async #keptComponents({ sbom }: ScanRecord): Promise<KnownComponents> {
    const kept = sbom && (await this.#documents.get(sbom.digest, 'sbom'));
    return kept === undefined ? {} : componentsIn(kept.bytes);
  }

  async #kept(filter: KeptFilter): Promise<readonly KeptRecord[]> {
    return (await this.#records.list(filter)).map(keptRecord);
  }

  async #referred(references: readonly string[]): Promise<readonly KeptRecord[]> {
    const referred = new Map<string, KeptRecord>();
    for (const reference of new Set(references)) {
      const called = await this.#called(reference);
      const { id } = theRecord(
        reference,
        called.map(({ record }) => record),
      );
      referred.set(id, called.find(({ record }) => record.id === id)!);
    }
    return [...referred.values()].sort((a, b) => (a.record.id < b.record.id ? -1 : 1));
  }

  /** Records that a reference may mean; all of them where it means none, for what comes near. */
  async #called(reference: string): Promise<readonly KeptRecord[]> {
    const exact = await this.#records.get(reference.trim().toLowerCase());
    if (exact !== undefined) return [keptRecord(exact)];
    const called = await this.#kept({ named: namesOf(reference) });
    const isKnown =
      called.length > 0 &&
      findRecords(
        reference,
        called.map(({ record }) => record),
      ).length > 0;
    return isKnown ? called : this.#kept({});
  }

  /** Every record of the same vulnerabilities and every open one, and perhaps others, in the same products. */
  async #othersBeside(records: readonly RemediationRecord[]): Promise<readonly RemediationRecord[]> {
    const beside = new Map<string, RemediationRecord>();
    for (const [product, ofProduct] of Map.groupBy(records, (record) => record.product)) {
      const vulnerabilities = [...new Set(ofProduct.flatMap(({ cve, aliases }) => [cve, ...aliases]))];
      const named = vulnerabilities.length > MOST_NAMES ? {} : { named: { vulnerabilities } };
      const kept = [...(await this.#kept({ product, isOpen: true })), ...(await this.#kept({ product, ...named }))];
      for (const { record } of kept) beside.set(record.id, record);
    }
    return [...beside.values()];
  }
}

/** In the order in which they were made, however they were named. */
function byTime({ scan: a }: ScanToOpen, { scan: b }: ScanToOpen): number {
  const timeOf = ({ scannedAt }: ScanRecord) => (scannedAt === undefined ? 0 : (parseInstant(scannedAt) ?? 0));
  return timeOf(a) - timeOf(b) || compareTexts(a.source.digest, b.source.digest);
}

/** With more names it is quicker to read every record of a product. */
const MOST_NAMES = 20;

/** Open ones first, and of these what is due soonest; what has no due time comes last. */
function byUrgency(a: RemediationRecord, b: RemediationRecord): number {
  const key = ({ state, due_at, cve, id }: RemediationRecord) =>
    `${state === 'open' ? 0 : 1} ${due_at ?? '9999'} ${cve} ${id}`;
  return key(a) < key(b) ? -1 : 1;
}

type KnownComponents = Pick<OpeningContext, 'components'>;

/** Everything that an SBOM holds; nothing is known of one that cannot be read. */
function componentsIn(sbom: Uint8Array): KnownComponents {
  const inventory = readInventory(sbom);
  return inventory.ok ? { components: inventory.value.components } : {};
}

/** Every record with the signature over it, one after the other; the records as they are where nobody signs. */
async function signAll(
  records: readonly RemediationRecord[],
  sign: RecordSigner | undefined,
  at: string,
): Promise<{ readonly signed: readonly RemediationRecord[]; readonly signatures: readonly StoredDocument[] }> {
  if (sign === undefined) return { signed: records, signatures: [] };
  const signatures: StoredDocument[] = [];
  const signed: RemediationRecord[] = [];
  for (const record of records) {
    const { bundle, signer } = await sign(signedBytes(record), record);
    const name = `${record.cve}-${record.id.slice(0, 8)}.sigstore.json`;
    signatures.push(documentOf('signature', { name, bytes: bundle }, at));
    signed.push(withClosingSignature(record, { bundle: digestOf(bundle), signer }));
  }
  return { signed, signatures };
}

/** The bytes that are signed when a record is closed or voided (RFC 8785). */
export function signedBytes(record: RemediationRecord): Uint8Array {
  return canonicalJson(signedPart(record) as unknown as JsonValue);
}

type Result = ReturnType<typeof changeRecord>;

/** The records after a change that all of them take, or the refusals of all of them. */
function allAccepted(
  kept: readonly KeptRecord[],
  change: (kept: KeptRecord, index: number) => Result,
): readonly RemediationRecord[] {
  const results = kept.map(change);
  const issues: RemediationIssue[] = results.flatMap((result, index) => {
    if (result.ok) return [];
    const { cve, component } = kept[index]!.record;
    // Where there are several it has to be said of which.
    return result.issues.map((issue) =>
      kept.length === 1 ? issue : { ...issue, message: `${cve} in ${component}: ${issue.message}` },
    );
  });
  if (issues.length > 0) return accepted({ ok: false, issues });
  return results.flatMap((result) => (result.ok ? [result.value] : []));
}

function saysAllOfIt(result: Result): boolean {
  return !result.ok && result.issues.every(({ code }) => code === 'remediation.nothing_to_change');
}

/** For what reads anew and decides by that: to lose a race is no reason to give up. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === MOST_ATTEMPTS || !(error instanceof StoreError) || error.code !== 'store.conflict') throw error;
    }
  }
}
