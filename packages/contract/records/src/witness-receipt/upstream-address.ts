/** Whether this is the address of a server of models: http or https, without credentials and query. */
export function isUpstreamAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password, search, hash } = new URL(address);
  return /^https?:$/.test(protocol) && username === '' && password === '' && search === '' && hash === '';
}

/** An address as receipts write it: as URL parsers do, and without a slash at its end. */
export function receiptAddress({ origin, pathname }: Pick<URL, 'origin' | 'pathname'>): string {
  return `${origin}${pathname}`.replace(/\/+$/, '');
}
