import { EXIT, type ExitCode } from '../exit-code/exit-code.ts';

export const CLI_ERROR_CODES = [
  'cli.usage',
  'cli.file_unreadable',
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
  'cli.internal',
] as const;
export type CliErrorCode = (typeof CLI_ERROR_CODES)[number];

/** What a person needs to see beside the code: what was looked at, what was wanted, what was there, what to run next. */
export type ErrorFacts = {
  readonly checked?: string;
  readonly expected?: string;
  readonly found?: string;
  readonly trust?: string;
  readonly next?: string;
};

/** A command cannot do what it was asked, and knows why. */
export class CliError extends Error {
  readonly code: CliErrorCode;
  readonly exitCode: ExitCode;
  readonly facts: ErrorFacts;
  constructor(
    code: CliErrorCode,
    message: string,
    exitCode: ExitCode = EXIT.usage,
    facts: ErrorFacts = {},
    cause?: unknown,
  ) {
    super(message, { cause });
    this.name = 'CliError';
    this.code = code;
    this.exitCode = exitCode;
    this.facts = facts;
  }
}
