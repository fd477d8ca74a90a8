import { declareErrors } from '@colophon/fault';

const KINDS = { 'peer.proxy_invalid': 'usage' } as const;

/** What a person needs to see beside the code. */
type Facts = { readonly checked?: string; readonly expected?: string; readonly next?: string };

/** A setting of the machine's network that cannot be used. Never contains a login. */
export const PeerError = declareErrors('PeerError', KINDS, (facts: Facts) => ({ facts }));
export type PeerError = InstanceType<typeof PeerError>;
