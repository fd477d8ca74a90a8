import {
  alsoHaving,
  having,
  listOf,
  oneOf,
  type ResultOf,
  resultOf,
  string,
  timestamp,
} from '@colophon/records/result';

const kid = string('RFC 7638 thumbprint of the key');

const listedKey = alsoHaving(
  having('a key that signs tokens, or did, or is to', {
    kid,
    state: oneOf('what it is now; next, signing and retiring keys are in the key set', [
      'next',
      'signing',
      'retiring',
      'retired',
      'revoked',
    ]),
    algorithm: oneOf('what it signs with', ['RS256', 'ES256']),
  }),
  {
    published_at: { ...timestamp, description: 'when it came into the key set; absent for the first key' },
    signs_from: { ...timestamp, description: 'from when it signs; absent for the first key' },
    published_until: { ...timestamp, description: 'when it leaves the key set; absent while no key follows it' },
    revoked_at: { ...timestamp, description: 'since when it is neither used nor published' },
  },
);

/** `colophon keys list`. */
export const keysListResult = resultOf('the keys of the issuer', {
  keys: listOf('every key that it ever had, in the order in which they sign', listedKey),
});
export type KeysListResult = ResultOf<typeof keysListResult>;

/** `colophon keys rotate`. */
export const keysRotateResult = resultOf('a next key', {
  kid,
  signs_from: { ...timestamp, description: 'from when it signs; it is in the key set until then already' },
  retiring_kid: { ...kid, description: 'the key that signs until then' },
  published_until: { ...timestamp, description: 'when that one leaves the key set' },
});
export type KeysRotateResult = ResultOf<typeof keysRotateResult>;

/** `colophon keys revoke`. */
export const keysRevokeResult = resultOf('a key that was taken out', {
  kid,
  revoked_at: { ...timestamp, description: 'since when it is neither used nor published' },
  signing_kid: { ...kid, description: 'the key that signs now' },
});
export type KeysRevokeResult = ResultOf<typeof keysRevokeResult>;
