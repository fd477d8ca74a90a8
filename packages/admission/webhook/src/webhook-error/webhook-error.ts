import { declareErrors } from '@colophon/fault';

const KINDS = {
  'webhook.configuration_missing': 'not-found',
  'webhook.secret_foreign': 'mismatch',
} as const;

type Facts = { readonly checked?: string; readonly expected?: string; readonly found?: string; readonly next?: string };

/** What an admission webhook needs in its cluster is not there, or is somebody else's. Never contains a key. */
export const WebhookError = declareErrors('WebhookError', KINDS, (facts: Facts) => ({ facts }));
export type WebhookError = InstanceType<typeof WebhookError>;
