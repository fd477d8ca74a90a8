import { declareErrors } from '@colophon/fault';

const KINDS = {
  /** The dashboard's address is none, or would get the key in clear text. */
  'dashboard.address_refused': 'usage',
  /** The dashboard does not answer, or fails. */
  'dashboard.unreachable': 'peer',
  /** Something was sent and no answer came: it may have arrived. */
  'dashboard.outcome_unknown': 'peer',
  /** The dashboard does not know the key. */
  'dashboard.unauthorized': 'unauthorized',
  /** The key may not do this. */
  'dashboard.forbidden': 'unauthorized',
  /** The dashboard has no such project, or it is no dashboard. */
  'dashboard.not_found': 'not-found',
  /** The dashboard refuses the document or the project. */
  'dashboard.refused': 'refused',
  /** The dashboard redirects, and a key is for one address. */
  'dashboard.redirect_refused': 'peer',
  /** The dashboard reads only versions of CycloneDX that are older than those we write. */
  'dashboard.version_unsupported': 'refused',
  /** What answers is no dashboard that we know. */
  'dashboard.answer_invalid': 'peer',
  /** The dashboard took the document and is not done with it in time. */
  'dashboard.processing_timeout': 'peer',
} as const;

/** One of {@link DashboardError.codes}. */
export type DashboardErrorCode = keyof typeof KINDS;

/** What asking a dashboard throws. No message, fact or cause holds a key. */
export const DashboardError = declareErrors('DashboardError', KINDS, (facts: Facts) => ({ facts }));
export type DashboardError = InstanceType<typeof DashboardError>;

/** What a person needs to see beside the code. */
type Facts = {
  readonly checked?: string;
  readonly expected?: string;
  readonly found?: string;
  readonly next?: string;
  /** What the dashboard lists as wrong. */
  readonly issues?: ReadonlyArray<{ readonly code: DashboardErrorCode; readonly message: string }>;
};
