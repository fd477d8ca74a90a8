import { BODY_READERS } from '@colophon/authority';
import { answerQuestion, openEvidenceReader, type QueryResult } from '@colophon/evidence';
import type { Namespace, VerifiedSignature } from '@colophon/records';
import { loadTrustedRoots, type TrustedRootSource, verifyBundle } from '@colophon/sigstore';
import { openDatabase } from '@colophon/store';
import { readConfiguration } from '../configuration/read-configuration.ts';
import { type ParsedManifest, parseManifest } from '../registry/manifest.ts';

/** What is made of a large body: of its bytes, and of one text beside them. Each is pure, so it may run in any process. */
export const ASIDE_JOBS = {
  ...BODY_READERS,
  /** `contentType` is empty where there is none. */
  manifest: (bytes: Uint8Array, contentType: string): ParsedManifest =>
    parseManifest(bytes, contentType === '' ? undefined : contentType),
  /** The data of a configuration file in this folder. */
  configuration: (bytes: Uint8Array, folder: string) => readConfiguration(Buffer.from(bytes).toString(), { folder }),
  /** `trusted` is JSON: the trusted roots, and the names that are ours. */
  bundle: (bytes: Uint8Array, trusted: string): VerifiedSignature => {
    const { roots, namespace } = JSON.parse(trusted) as { roots: TrustedRootSource[]; namespace: Namespace };
    return verifyBundle({ bundle: bytes, trust: loadTrustedRoots(roots, namespace), policy: 'gated-elsewhere' })
      .signature;
  },
  /** Answers a question from the evidence in this database. The file is opened for each: it takes a millisecond. */
  question: (bytes: Uint8Array, database: string): QueryResult => {
    const db = openDatabase(database, { readonly: true, isChecked: false });
    try {
      return answerQuestion(openEvidenceReader(db), Buffer.from(bytes).toString());
    } finally {
      db.close();
    }
  },
} as const;

export type AsideJobs = typeof ASIDE_JOBS;
export type AsideJob = keyof AsideJobs;

/** What goes to the process beside the server, and what comes back. */
export type AsideTask = { readonly job: AsideJob; readonly bytes: Uint8Array; readonly text: string };
export type AsideOutcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly name: string; readonly message: string; readonly code?: unknown };
