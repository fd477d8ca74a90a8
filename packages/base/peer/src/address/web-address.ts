/** Whether an address is this machine, by a name that cannot mean another one. */
export function isLoopback(address: string | URL): boolean {
  const { hostname } = new URL(address);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** An address as it may be shown: without login, query and fragment. */
export function shownAddress(address: string | URL): string {
  if (!URL.canParse(address)) return 'a URL that cannot be read';
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`;
}

/** The address of an API path under a base that may have a path of its own. */
export function underBase(base: string, path: string): string {
  return `${base.replace(/\/+$/, '')}${path}`;
}
