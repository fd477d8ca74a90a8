import { declareErrors } from '@colophon/fault';

const KINDS = { 'peer.proxy_invalid': 'usage' } as const;

/** A setting of the machine's network that cannot be used. Never contains a login. */
export const PeerError = declareErrors('PeerError', KINDS);
export type PeerError = InstanceType<typeof PeerError>;
