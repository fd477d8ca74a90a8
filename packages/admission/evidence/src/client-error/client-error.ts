import { declareErrors } from '@colophon/fault';

const KINDS = {
  /** The evidence store does not answer, or fails. */
  'evidence.unreachable': 'peer',
  /** It refuses what was sent, or gives what was not asked for. */
  'evidence.refused': 'refused',
  /** There is no agent run to attribute by, or none that verifies; then it is of the first refusal's kind. */
  'evidence.no_run': 'nothing',
  /** The bundle holds no rejection by a reviewer, or a rejection of something else. */
  'evidence.no_rejection': 'mismatch',
} as const;

/** A code that the store gave, which says more than that it refused; each error with one is given its kind. */
type StoreCode = `query.${string}` | `evidence.${string}` | `caller.${string}`;

/** What a person needs to see beside the code. */
type Facts = {
  readonly checked?: string;
  readonly expected?: string;
  readonly found?: string;
  readonly next?: string;
  readonly issues?: readonly ClientIssue[];
};

/** One of several problems: of a question at a character from 1, of a statement at a JSON Pointer. */
export type ClientIssue = {
  readonly code: string;
  readonly message: string;
  readonly path?: string;
  readonly expected?: string;
  readonly position?: number;
  readonly line?: number;
};

/** What those throw that ask an evidence store elsewhere, or judge what it gave. */
export const EvidenceClientError = declareErrors<typeof KINDS, Facts, { readonly facts: Facts }, StoreCode>(
  'EvidenceClientError',
  KINDS,
  (facts) => ({ facts }),
);
export type EvidenceClientError = InstanceType<typeof EvidenceClientError>;
