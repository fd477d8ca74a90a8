/**
 * What the ledger of an issuer says of a token that carries the issuer's name: the payload is the one that was issued under its
 * `jti`, another one was, one was that is erased now, or none ever was.
 */
export type TokenStanding = 'issued' | 'altered' | 'erased' | 'unissued';

/** The ledger of the issuer that an authority belongs to, wherever it is kept. */
export interface TokenLedger {
  /**
   * How a payload stands under this `jti`. Bytes are compared, by their hash, so that an issuer in another process
   * needs to see neither token nor claims. An answer that is no promise is one of the authority's own database: it is asked for
   * again in the transaction that logs the certificate. Throws or rejects where the ledger cannot be asked: then nothing is
   * certified.
   * @param payloadHash SHA-256 of the payload segment before base64url
   */
  standingOf(jti: string, payloadHash: Uint8Array): TokenStanding | Promise<TokenStanding>;
}
