import { digestOf } from '@colophon/records';
import type { DocumentStore, StoredDocument } from '@colophon/store';
import type {
  ClosingProof,
  RemediationRecord,
  ScanRecord,
  VerifiedSignatureOfStatement,
  VexDocument,
} from '@colophon/triage';
import { documentOf, type EvidenceFile, keepScan } from './evidence.ts';
import { accepted } from './remediation-error.ts';
import { readInventory } from './sbom-inventory.ts';

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
  return files.kind === 'rescan' ? rescan(files, at) : statement(files, kept, at);
}

function rescan({ sbom, scans, deployed }: Extract<ClosingFiles, { kind: 'rescan' }>, at: string): Closing {
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
    scans: keptScans.map(({ scan }) => scan),
    ...(deployed !== undefined && { deployed }),
  };
  return {
    proofFor: async () => proof,
    documents: [documentOf('sbom', sbom, at), ...keptScans.map(({ document }) => document)],
  };
}

function statement(
  { vex, document, signature }: Extract<ClosingFiles, { kind: 'statement' }>,
  kept: DocumentStore,
  at: string,
): Closing {
  return {
    proofFor: async (record) => ({
      kind: 'statement',
      document,
      digest: digestOf(vex.bytes),
      products: await identifiersOf(record, kept),
      ...(signature !== undefined && { signature: signature.verified }),
    }),
    documents: [
      documentOf('vex', vex, at),
      ...(signature === undefined ? [] : [documentOf('signature', signature, at)]),
    ],
  };
}

/** What a statement may call the product: everything that the SBOMs in which it was seen call themselves. */
async function identifiersOf({ sightings }: RemediationRecord, kept: DocumentStore): Promise<readonly string[]> {
  const identifiers = new Set<string>();
  for (const digest of new Set(sightings.flatMap(({ sbom }) => sbom?.digest ?? []))) {
    identifiers.add(digest);
    const document = await kept.get(digest, 'sbom');
    const inventory = document && readInventory(document.bytes);
    if (inventory?.ok) for (const one of inventory.value.identifiers) identifiers.add(one);
  }
  return [...identifiers];
}
