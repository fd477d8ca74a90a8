import { verifiedImageResult, verifiedResult } from '../../packages/cli/src/commands/verified-result.ts';
import { hashResult } from '../../packages/cli/src/run-context/hash-result.ts';

/** Commands that sign, verify, ask and admit. */
export const SIGNING_RESULTS: Readonly<Record<string, object>> = {
  'hash prompt': hashResult,
  'hash policy': hashResult,
  'verify-blob': verifiedResult,
  'verify-blob-attestation': verifiedResult,
  verify: verifiedImageResult,
  'verify-attestation': verifiedImageResult,
};

/** Commands whose result has no schema yet. */
export const SIGNING_PENDING: readonly string[] = [
  'env',
  'sign-blob',
  'attest-blob',
  'sign',
  'attest',
  'review approve',
  'review reject',
  'review withdraw',
  'review list',
  'admit',
  'attachments',
  'log search',
  'log get',
  'log verify',
  'query',
  'evidence import',
  'inspect',
  'ledger verify',
  'ledger export',
];
