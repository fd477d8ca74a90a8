/** What a reader of addresses takes for the same. */
export type AddressFolding = {
  /** `same`: what follows the first `+` of the local part is a tag, and `alice+x@` is `alice@`. */
  readonly plusAddresses?: 'same';
};

/** After a domain, so that no URL parser takes a domain of numbers for an IPv4 address. */
const LAST_LABEL = '.invalid';

/**
 * One spelling for every spelling of an e-mail address: Unicode form NFC, lower case, the domain as A-labels and without a
 * dot at its end. It says who is meant where a doubt must count, as in a rejection: for an approval exact spelling stays.
 * Never throws. Folding twice is folding once. What has no `@`, or a domain that has no A-labels, stays as it is and equals
 * only itself.
 * @see RFC 5891 (A-label), UTS #46
 */
export function foldedAddress(address: string, { plusAddresses }: AddressFolding = {}): string {
  const at = address.lastIndexOf('@');
  const domain = foldedDomain(address.slice(at + 1));
  if (at < 1 || domain === undefined) return address;
  const local = foldedCase(address.slice(0, at));
  const plus = plusAddresses === 'same' ? local.indexOf('+') : -1;
  // A local part that is all tag names nobody without it.
  return `${plus > 0 ? local.slice(0, plus) : local}@${domain}`;
}

/**
 * The same of a domain alone.
 * @returns undefined for a text that is no domain
 */
export function foldedDomain(domain: string): string | undefined {
  // The dots at its end say that it begins at the root.
  const folded = aLabelsOf(foldedCase(domain))?.replace(/\.+$/, '');
  return folded === '' ? undefined : folded;
}

function aLabelsOf(domain: string): string | undefined {
  const address = `https://${domain}${LAST_LABEL}`;
  // What a URL has beside its host is no part of a domain.
  if (/[\s#%/:?@[\\\]]/.test(domain) || !URL.canParse(address)) return undefined;
  return new URL(address).hostname.slice(0, -LAST_LABEL.length);
}

/** Lower case can decompose what NFC composed. */
function foldedCase(text: string): string {
  return text.normalize('NFC').toLowerCase().normalize('NFC');
}
