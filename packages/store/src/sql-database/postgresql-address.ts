import { StoreError } from '../store-error/store-error.ts';

const SECRETS = ['password', 'sslpassword'];

/** True for what is the address of a PostgreSQL database, false for the name of a file. */
export function isPostgresqlAddress(address: string): boolean {
  return /^postgres(?:ql)?:/i.test(address);
}

/** True where the address carries a password: it then belongs neither on a command line nor into a message. */
export function hasPassword(address: string): boolean {
  const url = parsedUrl(address);
  return url.password !== '' || SECRETS.some((name) => url.searchParams.has(name));
}

/**
 * The address without its passwords, for messages.
 * @throws StoreError `store.address_invalid`, which does not repeat what it was given
 */
export function publicAddress(address: string): string {
  const url = parsedUrl(address);
  if (url.password !== '') url.password = '';
  for (const name of SECRETS) url.searchParams.delete(name);
  return url.href;
}

function parsedUrl(address: string): URL {
  // The parser's own error would repeat the address, and the address may have a password.
  const url = URL.parse(address);
  if (url !== null) return url;
  throw new StoreError(
    'store.address_invalid',
    'the address of the database is no URL: characters like @ : / # ? in a name or password are written %40 %3A %2F %23 %3F',
  );
}
