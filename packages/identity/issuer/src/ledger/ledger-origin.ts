/** Name of the ledger in its checkpoints: the issuer's address without its scheme, and `/ledger`. */
export function ledgerOrigin(issuerUrl: string): string {
  const { host, pathname } = new URL(issuerUrl);
  return `${host}${pathname.replace(/\/$/, '')}/ledger`;
}

/** Name of a ledger that was begun after another was frozen: its key tells it from all others of this issuer. */
export function restoredLedgerOrigin(issuerUrl: string, keyId: string): string {
  return `${ledgerOrigin(issuerUrl)}/${keyId.slice(0, 16)}`;
}

/** Whether a name is that of a ledger of the issuer, the first one or one that was restored. */
export function isLedgerOrigin(issuerUrl: string, origin: string, keyId: string): boolean {
  return origin === ledgerOrigin(issuerUrl) || origin === restoredLedgerOrigin(issuerUrl, keyId);
}
