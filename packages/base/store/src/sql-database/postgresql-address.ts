import { StoreError } from '../store-error/store-error.ts';

const SECRETS = ['password', 'sslpassword'];
/** What the address may say beside user, host and name; another word could change what the driver is told here. */
const PARAMETERS = new Set([
  ...['host', 'port', 'user', 'password', 'application_name', 'options'],
  ...['ssl', 'sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'sslnegotiation', 'uselibpqcompat'],
]);
/** The driver holds these for `verify-full`, and warns each time that it might once do less. */
const VERIFIED_ALL_THE_SAME = new Set(['prefer', 'require', 'verify-ca']);
/** The driver takes every other word for one of these. */
const MODES = new Set([...VERIFIED_ALL_THE_SAME, 'disable', 'verify-full', 'no-verify']);

/** True for what is the address of a PostgreSQL database, false for the name of a file. */
export function isPostgresqlAddress(address: string): boolean {
  return /^postgres(?:ql)?:/i.test(address);
}

/**
 * True where the address carries a password: it then belongs neither on a command line nor into a message.
 * @throws StoreError `store.address_invalid`
 */
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
  url.password = '';
  for (const name of SECRETS) url.searchParams.delete(name);
  return url.href;
}

/**
 * The address as the driver is to be told it: TLS that is asked for is verified, unless the address says `no-verify`.
 * @throws StoreError `store.address_invalid` also for a parameter that has no meaning here
 */
export function driverAddress(address: string): string {
  const url = parsedUrl(address);
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.has(name));
  if (unknown !== undefined) {
    throw new StoreError(
      'store.address_invalid',
      `the address of the database has a parameter that is not supported${/^[a-z_]{1,30}$/i.test(unknown) ? `: ${unknown}` : ''}`,
    );
  }
  const mode = url.searchParams.get('sslmode') ?? 'disable';
  if (!MODES.has(mode)) {
    throw new StoreError('store.address_invalid', `no such sslmode; there are ${[...MODES].join(', ')}`);
  }
  if (VERIFIED_ALL_THE_SAME.has(mode) && url.searchParams.get('uselibpqcompat') !== 'true') {
    url.searchParams.set('sslmode', 'verify-full');
  }
  return url.href;
}

/** The address with a password that was found elsewhere. */
export function withPassword(address: string, password: string): string {
  const url = parsedUrl(address);
  url.searchParams.set('password', password);
  return url.href;
}

function parsedUrl(address: string): URL {
  // The parser's own error would repeat the address, and the address may have a password.
  const url = /^postgres(?:ql)?:\/\//i.test(address) ? URL.parse(address) : null;
  // A password with # / or ? in it ends the part that is taken for its place, and the rest of it stands behind that.
  if (url !== null && url.hash === '' && !`${url.pathname}${url.search}`.includes('@')) return url;
  throw new StoreError(
    'store.address_invalid',
    'the address of the database is no postgres://user@host/name: in names and passwords @ : / # ? % are written %40 %3A %2F %23 %3F %25',
  );
}
