import { declareErrors } from '@colophon/fault';

const KINDS = {
  'cluster.not_configured': 'usage',
  'cluster.server_invalid': 'usage',
  'cluster.credential_unreadable': 'machine',
  'cluster.unreachable': 'peer',
  'cluster.answer_invalid': 'peer',
  'cluster.unauthorized': 'unauthorized',
  'cluster.forbidden': 'unauthorized',
  'cluster.not_found': 'not-found',
  'cluster.exists': 'mismatch',
  'cluster.conflict': 'mismatch',
  'cluster.list_expired': 'peer',
  'cluster.too_many': 'refused',
  'cluster.refused': 'refused',
} as const;

/** What a person needs to see beside the code. */
export type ClusterFacts = {
  /** The address that was asked, without its query. */
  readonly checked?: string;
  readonly expected?: string;
  /** What the API server said, cut short. */
  readonly found?: string;
  readonly next?: string;
};

/** A question to an API server that has no answer, or another one than was hoped for. Never contains a token. */
export const ClusterError = declareErrors('ClusterError', KINDS, (facts: ClusterFacts) => ({ facts }));
export type ClusterError = InstanceType<typeof ClusterError>;
export type ClusterErrorCode = keyof typeof KINDS;
