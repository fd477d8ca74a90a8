import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** Scheme of the Authorization header by which a local reviewer shows that they know the reviewers' secret. */
export const REVIEWER_PROOF_SCHEME = 'Colophon-Reviewer';

/** What a proof is about: this request, to this issuer, at this time, once. */
export type ReviewerProofInput = {
  readonly secret: string;
  /** `iss`, byte for byte. */
  readonly issuer: string;
  /** The token request as it is sent. */
  readonly body: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly issuedAt: number;
  /** 32 hex digits that nobody can foresee. */
  readonly nonce: string;
};

/** A proof as it came in; `mac` is not yet verified. */
export type ReviewerProof = Pick<ReviewerProofInput, 'issuedAt' | 'nonce'> & { readonly mac: string };

const PROOF = new RegExp(`^${REVIEWER_PROOF_SCHEME} t=(\\d{1,15}),n=([0-9a-f]{32}),m=([0-9a-f]{64})$`);

/**
 * HMAC-SHA256 of issuer, time, nonce and the hash of the body, in hex. The secret itself is never sent: whoever listens
 * on the issuer's port learns nothing that buys another token.
 */
export function reviewerMac({ secret, issuer, body, issuedAt, nonce }: ReviewerProofInput): string {
  const text = [REVIEWER_PROOF_SCHEME, issuer, issuedAt, nonce, bytesToHex(sha256(body))].join('\n');
  return bytesToHex(hmac(sha256, utf8ToBytes(secret), utf8ToBytes(text)));
}

/** The value of the Authorization header. */
export function formatReviewerProof(input: ReviewerProofInput): string {
  return `${REVIEWER_PROOF_SCHEME} t=${input.issuedAt},n=${input.nonce},m=${reviewerMac(input)}`;
}

/** Reads the header's value; undefined where it is no such proof. */
export function parseReviewerProof(header: string): ReviewerProof | undefined {
  const [, issuedAt, nonce, mac] = PROOF.exec(header) ?? [];
  if (issuedAt === undefined || nonce === undefined || mac === undefined) return undefined;
  return { issuedAt: Number(issuedAt), nonce, mac };
}
