/** One hash of a Subresource Integrity text. */
export type IntegrityHash = {
  /** Lower case: `sha512`. */
  readonly algorithm: string;
  /** As it is written: base64, or anything else that its writer took for it. */
  readonly value: string;
};

/**
 * Reads `sha512-<base64>?<options>`, several with white space between, as npm writes it in lockfiles and registries. What
 * has not this form is passed over.
 * @see https://www.w3.org/TR/SRI/#the-integrity-attribute
 */
export function parseIntegrity(text: string): IntegrityHash[] {
  return text.split(/\s+/).flatMap((part) => {
    const [, algorithm, value] = /^([a-z0-9]+)-([^?]+)/.exec(part) ?? [];
    return algorithm === undefined || value === undefined ? [] : [{ algorithm, value }];
  });
}
