import { declareErrors } from '@colophon/fault';

const KINDS = {
  'cli.usage': 'usage',
  'cli.flag_repeated': 'usage',
  'cli.file_unreadable': 'usage',
  'cli.file_too_large': 'refused',
  'cli.file_unwritable': 'machine',
  'cli.context_invalid': 'usage',
  'cli.predicate_invalid': 'refused',
  'cli.policy_invalid': 'usage',
  'cli.manifest_invalid': 'usage',
  'cli.no_objects': 'usage',
  'cli.no_issuer': 'usage',
  'cli.server_unhealthy': 'peer',
  'cli.no_signing_services': 'usage',
  'cli.no_trusted_root': 'usage',
  'cli.no_reviewer_secret': 'unauthorized',
  'cli.reviewer_refused': 'unauthorized',
  'cli.public_log_refused': 'usage',
  'cli.demo_step_failed': 'machine',
  'cli.ledger_invalid': 'untrusted',
  'cli.log_invalid': 'untrusted',
  'cli.no_checkpoint': 'not-found',
  'cli.entry_not_found': 'not-found',
  'cli.sbom_invalid': 'refused',
  'cli.sbom_lossy': 'refused',
  'cli.scan_invalid': 'refused',
  'cli.component_unknown': 'not-found',
  'cli.patch_refused': 'refused',
  'cli.index_invalid': 'refused',
  'cli.credential_exposed': 'usage',
  'cli.no_api_key': 'unauthorized',
  'cli.no_database': 'not-found',
  'cli.catalog_invalid': 'refused',
  'cli.catalog_refused': 'refused',
  'cli.no_catalog': 'not-found',
  'cli.not_in_catalog': 'not-found',
  'cli.api_key_invalid': 'usage',
  'cli.other_package': 'mismatch',
  'cli.not_alike': 'mismatch',
  'cli.vex_invalid': 'refused',
  'cli.vex_lossy': 'refused',
  'cli.vex_conflict': 'refused',
  'cli.no_signature': 'nothing',
  'cli.nothing_to_explain': 'nothing',
  'cli.no_cases': 'nothing',
  'cli.requirement_unmet': 'mismatch',
  'cli.not_affirmative': 'refused',
  'cli.file_differs': 'mismatch',
  'cli.proof_invalid': 'refused',
  'cli.not_listed': 'not-found',
  'cli.no_signer': 'usage',
  'cli.no_password': 'usage',
  'cli.agent_not_noted': 'not-found',
  'cli.agent_note_invalid': 'refused',
  'cli.agent_ambiguous': 'usage',
  'cli.agent_name_invalid': 'refused',
  'cli.file_taken': 'usage',
  'cli.copy_incomplete': 'mismatch',
  'cli.command_not_started': 'not-found',
  'cli.model_substituted': 'refused',
  'cli.internal': 'machine',
} as const;

/** One of several problems of a document, and where it stands. */
export type ReportedIssue = {
  readonly code: string;
  readonly message: string;
  /** JSON Pointer. */
  readonly path?: string;
  readonly expected?: string;
  readonly found?: string;
  readonly next?: string;
  /** Line and column of a file, or the character of a one-line text; from 1. */
  readonly line?: number;
  readonly column?: number;
  readonly position?: number;
};

/** What a person needs to see beside the code: what was looked at, what was wanted, what was there, what to run next. */
export type ErrorFacts = {
  readonly checked?: string;
  readonly expected?: string;
  readonly found?: string;
  readonly trust?: string;
  readonly next?: string;
  readonly issues?: readonly ReportedIssue[];
};

/** A command cannot do what it was asked, and knows why. */
export const CliError = declareErrors<typeof KINDS, ErrorFacts, { readonly facts: ErrorFacts }>(
  'CliError',
  KINDS,
  (facts) => ({ facts }),
);
export type CliError = InstanceType<typeof CliError>;

/** Adds to whatever `work` throws what was looked at and which roots were trusted; what the error knows itself wins. */
export async function withFacts<T>(facts: ErrorFacts, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const known = (error as { facts?: ErrorFacts }).facts;
    throw error instanceof Error ? Object.assign(error, { facts: { ...facts, ...known } }) : error;
  }
}
