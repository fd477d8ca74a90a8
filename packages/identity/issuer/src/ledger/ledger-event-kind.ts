/** What the ledger holds beside tokens. */
export const LEDGER_EVENTS = [
  'api-key.created',
  'api-key.revoked',
  'caller.revoked',
  'token.erased',
  'ledger.restored',
] as const;
