/** Name of the ledger in its checkpoints: the issuer's address without its scheme, and `/ledger`. */
export function ledgerOrigin(issuerUrl: string): string {
  const { host, pathname } = new URL(issuerUrl);
  return `${host}${pathname.replace(/\/$/, '')}/ledger`;
}
