import { createHash, X509Certificate } from 'node:crypto';
import { isIssuedBy } from '../certificate/issued-by.ts';
import { recordedSigners } from './recorded-signers.ts';
import { nameSearchKeys } from './search-keys.ts';
import type { Verifier } from './verifier.ts';

/**
 * The certificate authorities that are trusted to certify names. Anybody can make a certificate with any name and log
 * what it signs; under that name it is not found.
 */
export class KnownAuthorities {
  /** Names this set: the same authorities, in any order, have the same id. */
  readonly id: string;
  readonly #certificates: readonly X509Certificate[];

  /** `certificates` are DER: roots, and intermediates that clients do not send along. */
  constructor(certificates: readonly Uint8Array[]) {
    this.#certificates = certificates.map((der) => new X509Certificate(der));
    const fingerprints = this.#certificates.map(({ fingerprint256 }) => fingerprint256).sort();
    this.id = createHash('sha256').update(fingerprints.join('\n')).digest('hex');
  }

  /**
   * The search keys of the names under which an entry is found: those that a known authority certified.
   * @throws AuthorityError `authority.entry_invalid` for a body that this log did not write
   */
  nameKeys(body: Uint8Array): string[] {
    return recordedSigners(body)
      .filter((signer) => this.#hasCertified(signer))
      .flatMap(({ subjects }) => nameSearchKeys(subjects));
  }

  #hasCertified({ chain }: Verifier): boolean {
    const issuers = chain.slice(1);
    const last = chain.at(-1);
    return (
      last !== undefined &&
      issuers.every((issuer, i) => isIssuedBy(chain[i]!, issuer)) &&
      this.#certificates.some((known) => last.raw.equals(known.raw) || isIssuedBy(last, known))
    );
  }
}
