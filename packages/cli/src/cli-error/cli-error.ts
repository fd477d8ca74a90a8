import { EXIT, type ExitCode } from '../exit-code/exit-code.ts';

export const CLI_ERROR_CODES = [
  'cli.usage',
  'cli.flag_repeated',
  'cli.file_unreadable',
  'cli.file_too_large',
  'cli.file_unwritable',
  'cli.context_invalid',
  'cli.predicate_invalid',
  'cli.policy_invalid',
  'cli.no_issuer',
  'cli.no_signing_services',
  'cli.no_trusted_root',
  'cli.no_reviewer_secret',
  'cli.issuer_unreachable',
  'cli.issuer_refused',
  'cli.evidence_unreachable',
  'cli.evidence_refused',
  'cli.public_log_refused',
  'cli.demo_step_failed',
  'cli.ledger_invalid',
  'cli.log_invalid',
  'cli.entry_not_found',
  'cli.not_a_signature',
  'cli.sbom_invalid',
  'cli.sbom_lossy',
  'cli.scan_invalid',
  'cli.component_unknown',
  'cli.no_evidence',
  'cli.patch_refused',
  'cli.language_unknown',
  'cli.languages_differ',
  'cli.index_invalid',
  'cli.nothing_to_compare',
  'cli.no_api_key',
  'cli.no_database',
  'cli.catalog_invalid',
  'cli.catalog_refused',
  'cli.no_catalog',
  'cli.not_in_catalog',
  'cli.api_key_invalid',
  'cli.other_package',
  'cli.nothing_to_compare',
  'cli.not_alike',
  'cli.vex_invalid',
  'cli.vex_lossy',
  'cli.vex_conflict',
  'cli.no_signature',
  'cli.file_differs',
  'cli.proof_invalid',
  'cli.not_listed',
  'cli.no_signer',
  'cli.records_invalid',
  'cli.no_records',
  'cli.no_rejection',
  'cli.artifact_missing',
  'cli.folder_taken',
  'cli.file_taken',
  'cli.report_invalid',
  'cli.signature_broken',
  'cli.copy_incomplete',
  'cli.internal',
] as const;
export type CliErrorCode = (typeof CLI_ERROR_CODES)[number];

/** A code that the server gave, which says more than that it refused. */
type ServerCode = `query.${string}` | `evidence.${string}`;

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
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly code: CliErrorCode | ServerCode;
  readonly exitCode: ExitCode;
  readonly facts: ErrorFacts;
  constructor(
    code: CliErrorCode | ServerCode,
    message: string,
    exitCode: ExitCode = EXIT.usage,
    facts: ErrorFacts = {},
    cause?: unknown,
  ) {
    super(message, { cause });
    this.code = code;
    this.exitCode = exitCode;
    this.facts = facts;
  }
}

/** Adds to whatever `work` throws what was looked at and which roots were trusted; what the error knows itself wins. */
export async function withFacts<T>(facts: ErrorFacts, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const known = (error as { facts?: ErrorFacts }).facts;
    throw error instanceof Error ? Object.assign(error, { facts: { ...facts, ...known } }) : error;
  }
}
