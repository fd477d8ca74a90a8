import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isLoopback, shownAddress } from '@colophon/peer';
import { CatalogError } from '../catalog-error/catalog-error.ts';

/** Where a catalog comes from; `name` may be shown and kept: it holds no login and no query. */
export type FeedAddress = { readonly name: string } & (
  | { readonly url: URL; readonly file?: never }
  | { readonly file: string; readonly url?: never }
);

/** An address of the web is one without its slashes too: as the name of a file its login would be shown and kept. */
const SCHEME = /^(https?(?=:)|[a-z][a-z0-9+.-]*(?=:\/\/))/i;

/**
 * The address, or the file, that a text means: whatever begins with `scheme://` is an address.
 * @param allowHttp take plain http from another machine too
 * @throws CatalogError `feeds.catalog_address_refused`
 */
export function parseFeedAddress(feed: string, allowHttp = false): FeedAddress {
  const scheme = SCHEME.exec(feed)?.[1]?.toLowerCase();
  if (scheme === undefined) return { file: feed, name: resolve(feed) };
  if (!URL.canParse(feed)) throw refused('the text is no address');
  const url = new URL(feed);
  if (scheme === 'file') return fileAddress(url);
  if (scheme !== 'https' && scheme !== 'http') throw refused(`a feed is not read over ${scheme}`);
  if (url.username !== '' || url.password !== '') throw refused('the address contains a login');
  if (scheme === 'http' && !isLoopback(url) && !allowHttp) {
    throw new CatalogError(
      'feeds.catalog_address_refused',
      'over plain http anybody on the network path can change the catalog',
      {
        checked: shownAddress(url),
        expected: 'https://, this machine, or --allow-http',
      },
    );
  }
  url.hash = '';
  return { url, name: shownAddress(url) };
}

function fileAddress(url: URL): FeedAddress {
  try {
    const file = fileURLToPath(url);
    return { file, name: file };
  } catch {
    throw refused('the address is no file of this machine');
  }
}

function refused(why: string): CatalogError {
  return new CatalogError('feeds.catalog_address_refused', `the feed cannot be used: ${why}`, {
    expected: 'https://HOST/PATH, or the name of a file',
  });
}
