import { createHash, timingSafeEqual } from 'node:crypto';

const BEARER = /^Bearer +([\x21-\x7e]{1,512}) *$/i;

/**
 * Tells whether an Authorization header (RFC 6750 §2.1) carries `secret`. Both are hashed first, so the comparison
 * takes the same time whatever the header's length and content.
 */
export function createSecretCheck(secret: string): (authorization: string | undefined) => boolean {
  const expected = digest(secret);
  return (authorization) => {
    const presented = BEARER.exec(authorization ?? '')?.[1];
    return timingSafeEqual(digest(presented ?? ''), expected) && presented !== undefined;
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
