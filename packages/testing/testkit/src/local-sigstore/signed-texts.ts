import { dsse } from '@sigstore/core';
import { STATEMENT } from './draft-bundle.ts';
import { commitAttributes } from './draft-commit.ts';

/** The payload that the older format signs for an image of this digest. */
export function imagePayload(digest: string): Buffer {
  const critical = {
    identity: { 'docker-reference': 'localhost:7080/demo/app' },
    image: { 'docker-manifest-digest': digest },
    type: 'cosign container image signature',
  };
  return Buffer.from(JSON.stringify({ critical, optional: null }));
}

/** What a signature of an envelope with this payload is over. */
export function envelopeText(payload: Buffer): Buffer {
  return dsse.preAuthEncoding('application/vnd.in-toto+json', payload);
}

/** What a signature of each kind but a file's is over. */
export const SIGNED_TEXTS = {
  envelope: envelopeText(Buffer.from(JSON.stringify(STATEMENT))),
  image: imagePayload(`sha256:${'a'.repeat(64)}`),
  commit: commitAttributes(),
} as const;
