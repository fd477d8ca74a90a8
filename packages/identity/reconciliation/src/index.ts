export { ctLog } from './ct-log/ct-log.ts';
export { reconcile } from './reconcile/reconcile.ts';
export { rekorLog } from './rekor-log/rekor-log.ts';
