import type { KeyObject } from 'node:crypto';
import {
  certificateExtension,
  derNull,
  derOctetString,
  encodeCertificate,
  encodeTbs,
  formatPem,
} from '@colophon/encoding';
import { CLOCK_SKEW_SECONDS } from '@colophon/oidc';
import { keyThumbprint } from '@colophon/records';
import type { UsedTokenStore } from '@colophon/store';
import { AuthorityError } from '../authority-error/authority-error.ts';
import type { CertificateLog } from '../ct-log/certificate-log.ts';
import { encodeTimestampList } from '../ct-log/timestamp.ts';
import { type TokenTrust, type VerifiedToken, verifyIdentityToken } from '../identity-token/token-verification.ts';
import { verifyProofOfPossession } from '../proof-of-possession/proof-of-possession.ts';
import { verifySigningRequest } from '../proof-of-possession/signing-request.ts';
import { assertIssued } from '../token-ledger/assert-issued.ts';
import type { TokenLedger, TokenStanding } from '../token-ledger/token-ledger.ts';
import { type CaCertificates, randomSerial } from './ca-certificates.ts';
import {
  alternativeName,
  authorityKeyIdentifier,
  CODE_SIGNING,
  CT_POISON,
  CT_TIMESTAMPS,
  EMPTY_NAME,
  SIGNING_KEY_USAGE,
  subjectKeyIdentifier,
} from './certificate-parts.ts';
import { claimExtensions, foreignExtensions } from './claim-extensions.ts';

/** Seconds that a signing certificate is valid (contract §8). */
export const CERTIFICATE_LIFETIME_SECONDS = 600;

/** How the caller shows that the key is theirs. */
export type KeyProof =
  /** Public key, PEM or DER, and its signature over the token's subject. */
  | { readonly publicKey: Uint8Array; readonly proofOfPossession: Uint8Array }
  /** PKCS #10, PEM. */
  | { readonly signingRequest: Uint8Array };

export type IssuedCertificate = {
  readonly der: Uint8Array;
  /** The signing certificate, the intermediate, the root; PEM with a newline at the end. */
  readonly chainPem: readonly string[];
};

/** Exchanges an identity token and a proof of possession for a short-lived signing certificate (contract §1, §5.1). */
export class CertificateAuthority {
  readonly certificates: CaCertificates;
  readonly #log: CertificateLog;
  readonly #trust: TokenTrust;
  readonly #ledger: TokenLedger;
  readonly #clock: { now(): Date };
  readonly #usedTokens: UsedTokenStore | undefined;
  readonly #claimArc: string | undefined;

  /** With `usedTokens` every token is exchanged once; without, as often as it is valid, as Fulcio does it. */
  constructor(options: {
    readonly certificates: CaCertificates;
    readonly log: CertificateLog;
    readonly trust: TokenTrust;
    /** Of the issuer whose tokens name agents: what is not in it buys nothing, whoever holds the issuer's key. */
    readonly ledger: TokenLedger;
    readonly clock: { now(): Date };
    readonly usedTokens?: UsedTokenStore | undefined;
    /** Of the claims in certificates. */
    readonly claimArc?: string | undefined;
  }) {
    this.certificates = options.certificates;
    this.#log = options.log;
    this.#trust = options.trust;
    this.#ledger = options.ledger;
    this.#clock = options.clock;
    this.#usedTokens = options.usedTokens;
    this.#claimArc = options.claimArc;
  }

  /**
   * Verifies token and proof, sees to it that a token of the authority's own issuer is in that issuer's ledger, and issues
   * the certificate. Before it is returned its precertificate is in the certificate log, on disk, and under single use the
   * token is spent, in the same transaction.
   *
   * @throws AuthorityError `authority.token_…`, `authority.issuer_…`, `authority.ledger_unavailable`, `authority.public_key_…`,
   *   `authority.proof_invalid`, `authority.signing_request_invalid`, `authority.key_mismatch`
   */
  async issueCertificate(token: unknown, proof: KeyProof): Promise<IssuedCertificate> {
    const now = Math.floor(this.#clock.now().getTime() / 1000);
    const verified = await verifyIdentityToken(token, this.#trust, now);
    const key =
      'signingRequest' in proof
        ? verifySigningRequest(proof.signingRequest)
        : verifyProofOfPossession({
            content: proof.publicKey,
            proof: proof.proofOfPossession,
            subject: verified.subject,
          });
    assertBoundKey(verified, key);
    const askAgain = await this.#requireIssued(verified);
    return this.#certify(verified, key, now, askAgain);
  }

  /**
   * Answers with what asks once more, where that can be done in a transaction: a row may be erased while the certificate
   * is signed.
   */
  async #requireIssued(token: VerifiedToken): Promise<() => void> {
    let standing: TokenStanding | Promise<TokenStanding>;
    try {
      standing = this.#standingOf(token);
      assertIssued(await standing);
    } catch (cause) {
      if (cause instanceof AuthorityError) throw cause;
      throw new AuthorityError('authority.ledger_unavailable', 'the issuer’s ledger cannot be asked', { cause });
    }
    return standing instanceof Promise ? () => {} : () => assertIssued(this.#standingOf(token) as TokenStanding);
  }

  /** No other issuer has a ledger here. A token without `jti` is in none. */
  #standingOf({ issuer, claims: { jti }, payloadHash }: VerifiedToken): TokenStanding | Promise<TokenStanding> {
    if (issuer !== this.#trust.ownIssuer) return 'issued';
    return jti === undefined ? 'unissued' : this.#ledger.standingOf(jti, payloadHash);
  }

  async #certify(
    token: VerifiedToken,
    key: KeyObject,
    now: number,
    requireIssued: () => void,
  ): Promise<IssuedCertificate> {
    const { intermediate, intermediateKey, root, chainPem } = this.certificates;
    const spki = new Uint8Array(key.export({ type: 'spki', format: 'der' }));
    const fields = {
      serial: randomSerial(),
      issuer: intermediate.subject,
      subject: EMPTY_NAME,
      notBefore: new Date(now * 1000),
      notAfter: new Date((now + CERTIFICATE_LIFETIME_SECONDS) * 1000),
      spki,
    };
    const extensions = [
      SIGNING_KEY_USAGE,
      CODE_SIGNING,
      subjectKeyIdentifier(spki),
      authorityKeyIdentifier(intermediate.spki),
      alternativeName(token.nameKind, token.subject),
      ...(token.issuer === this.#trust.ownIssuer ? claimExtensions(token, this.#claimArc) : foreignExtensions(token)),
    ];
    const poison = certificateExtension(CT_POISON, derNull(), { critical: true });
    const precertTbs = encodeTbs({ ...fields, extensions: [...extensions, poison] });
    const entry = this.#log.prepare({
      kind: 'precert',
      issuerSpki: intermediate.spki,
      tbs: encodeTbs({ ...fields, extensions }),
      submitted: encodeCertificate(precertTbs, intermediateKey.signDer(precertTbs)),
      chain: [intermediate.der, root.der],
    });
    const timestamp = await this.#log.append(entry, () => {
      requireIssued();
      this.#spend(token, now);
    });
    const timestamps = certificateExtension(CT_TIMESTAMPS, derOctetString(encodeTimestampList([timestamp])));
    const tbs = encodeTbs({ ...fields, extensions: [...extensions, timestamps] });
    const der = encodeCertificate(tbs, intermediateKey.signDer(tbs));
    return { der, chainPem: [formatPem('CERTIFICATE', der), ...chainPem] };
  }

  #spend(token: VerifiedToken, now: number): void {
    // Remembered a little longer than the token could be accepted by any clock.
    const forgetAt = token.expiresAt + CLOCK_SKEW_SECONDS + 5;
    if (this.#usedTokens?.use(token.useKey, { now, forgetAt }) === false) {
      throw new AuthorityError(
        'authority.token_reused',
        'the token was exchanged before: mint a new one for each signature',
      );
    }
  }
}

/** A token that was bound to a key is worth nothing to whoever holds another one (RFC 7800 §3.1). */
function assertBoundKey({ claims: { key_thumbprint: bound } }: VerifiedToken, key: KeyObject): void {
  if (bound === undefined || bound === keyThumbprint({ ...key.export({ format: 'jwk' }) })) return;
  throw new AuthorityError('authority.key_mismatch', 'the token is bound to another key than this one');
}
