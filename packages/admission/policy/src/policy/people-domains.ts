import { foldedDomain, isPersonAddress } from '@colophon/records';

/** The domains of the people of a policy. */
export type PeopleDomains = {
  /** For a person: as the policy wrote them. */
  readonly description: string;
  /** The same as A-labels in lower case. */
  readonly folded: readonly string[];
  /** Whether an address is of one of them; never for what is no address of a person. */
  accepts(address: string): boolean;
};

const BELOW = '*.';

/**
 * Compiles domains as a policy writes them: `example.com` is that one exactly, `*.example.com` every one with one label more.
 * They are compared as A-labels in lower case.
 * @returns the place of the first text that is no domain
 */
export function compilePeopleDomains(written: readonly string[]): PeopleDomains | { readonly invalidAt: number } {
  const folded = written.map((text) => (text.startsWith(BELOW) ? below(text.slice(BELOW.length)) : plain(text)));
  const invalidAt = folded.indexOf(undefined);
  if (invalidAt >= 0) return { invalidAt };
  const accepted = new Set(folded);
  return {
    description: written.join(', '),
    folded: folded as string[],
    accepts: (address) => {
      if (!isPersonAddress(address)) return false;
      const domain = foldedDomain(address.slice(address.lastIndexOf('@') + 1)) ?? '';
      return accepted.has(domain) || accepted.has(domain.replace(/^[^.]+\./, BELOW));
    },
  };
}

function plain(text: string): string | undefined {
  const domain = /[*@]/.test(text) ? undefined : foldedDomain(text);
  return domain?.split('.').every((label) => label !== '') ? domain : undefined;
}

function below(text: string): string | undefined {
  const domain = plain(text);
  return domain === undefined ? undefined : BELOW + domain;
}
