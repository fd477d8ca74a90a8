import {
  count,
  digestHex,
  flag,
  having,
  listOf,
  oneOf,
  type ResultOf,
  resultOf,
  string,
  timestamp,
} from '@colophon/records/result';
import { RENEWAL_REASONS } from './held-certificate.ts';
import { CONFIGURATION_KINDS } from './webhook-trust.ts';

/** `colophon admission certificates`. */
export const certificatesResult = resultOf(
  'the certificate of an admission webhook, and who trusts it',
  {
    namespace: string('namespace of the Secret'),
    secret: string('name of the Secret'),
    renewed: flag('whether the certificate was made by this run'),
    names: listOf('DNS names that it is for', string('one name')),
    expires_at: timestamp,
    sha256: { ...digestHex, description: 'SHA-256 of the certificate, 64 lower-case hex digits' },
    configurations: listOf(
      'who calls the webhook',
      having('one webhook configuration', {
        kind: oneOf('of the object', CONFIGURATION_KINDS),
        name: string('of the object'),
        webhook_count: count,
        changed: flag('whether an authority was added or taken out'),
      }),
    ),
  },
  { reason: oneOf('why it was made; absent where the one that was there stays', RENEWAL_REASONS) },
);
export type CertificatesResult = ResultOf<typeof certificatesResult>;
