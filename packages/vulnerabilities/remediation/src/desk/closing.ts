import { digestOf, type RemediationRecord, type ScanRecord } from '@colophon/records';
import type { ClosingProof, VerifiedSignatureOfStatement } from '@colophon/remediation-rules';
import type { DocumentStore, StoredDocument } from '@colophon/store';
import type { VexDocument } from '@colophon/vex';
import { documentOf, type EvidenceFile, keepScan } from './evidence.ts';
import { accepted } from './remediation-error.ts';
import { readInventory, type SbomInventory } from './sbom-inventory.ts';

/** What records are closed with, as files. */
export type ClosingFiles =
  | {
      readonly kind: 'rescan';
      readonly sbom: EvidenceFile;
      readonly scans: readonly ScanRecord[];
      /** A day or an RFC 3339 time. */
      readonly deployed?: string;
    }
  | {
      readonly kind: 'statement';
      readonly vex: EvidenceFile;
      readonly document: VexDocument;
      readonly signature?: EvidenceFile & { readonly verified: VerifiedSignatureOfStatement };
    };

/** The proof for one record, and the documents of it. */
export type Closing = {
  readonly proofFor: (record: RemediationRecord) => Promise<ClosingProof>;
  readonly documents: readonly StoredDocument[];
};

/** Makes the proof out of the files; @throws RemediationError where the SBOM cannot be read */
export function readClosing(files: ClosingFiles, kept: DocumentStore, at: string): Closing {
  const seenIn = seenSboms(kept);
  return files.kind === 'rescan' ? rescan(files, seenIn, at) : statement(files, seenIn, at);
}

function rescan(
  { sbom, scans, deployed }: Extract<ClosingFiles, { kind: 'rescan' }>,
  seenIn: SeenIn,
  at: string,
): Closing {
  const inventory = readInventory(sbom.bytes);
  if (!inventory.ok) {
    const [first] = inventory.issues;
    return accepted({
      ok: false,
      issues: [{ path: '', code: 'remediation.sbom_incomplete', message: `${sbom.name}: ${first?.message}` }],
    });
  }
  const keptScans = scans.map((scan) => keepScan(scan, at));
  const proof: ClosingProof = {
    kind: 'rescan',
    sbom: inventory.value.sbom,
    components: inventory.value.components,
    vendored: inventory.value.vendored,
    scans: keptScans.map(({ scan }) => scan),
    ...(deployed !== undefined && { deployed }),
  };
  return {
    proofFor: async (record) => ({ ...proof, before: (await seenIn(record)).flatMap((one) => one.components) }),
    documents: [documentOf('sbom', sbom, at), ...keptScans.map(({ document }) => document)],
  };
}

function statement(
  { vex, document, signature }: Extract<ClosingFiles, { kind: 'statement' }>,
  seenIn: SeenIn,
  at: string,
): Closing {
  return {
    proofFor: async (record) => ({
      kind: 'statement',
      document,
      digest: digestOf(vex.bytes),
      products: await identifiersOf(record, seenIn),
      ...(signature !== undefined && { signature: signature.verified }),
    }),
    documents: [
      documentOf('vex', vex, at),
      ...(signature === undefined ? [] : [documentOf('signature', signature, at)]),
    ],
  };
}

/** What a statement may call the product: everything that the SBOMs in which it was seen call themselves. */
async function identifiersOf(record: RemediationRecord, seenIn: SeenIn): Promise<readonly string[]> {
  const inventories = await seenIn(record);
  return [...new Set([...sbomsOf(record), ...inventories.flatMap(({ identifiers }) => identifiers)])];
}

/** The SBOMs in which a record was seen, as far as they are kept. */
type SeenIn = (record: RemediationRecord) => Promise<readonly SbomInventory[]>;

/** Each SBOM is read once, however many records were seen in it. */
function seenSboms(kept: DocumentStore): SeenIn {
  const read = new Map<string, Promise<readonly SbomInventory[]>>();
  const inventoryOf = async (digest: string) => {
    const document = await kept.get(digest, 'sbom');
    const inventory = document && readInventory(document.bytes);
    return inventory?.ok ? [inventory.value] : [];
  };
  return async (record) => {
    const inventories = [...sbomsOf(record)].map((digest) => {
      const known = read.get(digest) ?? inventoryOf(digest);
      read.set(digest, known);
      return known;
    });
    return (await Promise.all(inventories)).flat();
  };
}

function sbomsOf({ sightings }: RemediationRecord): ReadonlySet<string> {
  return new Set(sightings.flatMap(({ sbom }) => sbom?.digest ?? []));
}
