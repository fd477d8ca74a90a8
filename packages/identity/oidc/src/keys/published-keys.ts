import { TokenRefused } from '../token/token-refused.ts';
import type { KeySource } from '../token/verify-token.ts';
import { readBoundedFile } from './bounded-file.ts';
import { fetchMetadata } from './fetch-metadata.ts';
import { keepKeys, type OnKeysAsked } from './kept-keys.ts';
import { isKeyAddress } from './key-address.ts';
import { type KeyDocument, readerOf } from './key-set.ts';
import { fetchFor } from './private-authority.ts';

/** RFC 6750 §2.1 */
const BEARER_TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/** Where the keys of one issuer are published, and how they are asked for. */
export type PublishedKeysOptions = {
  /** May lie on another host than the issuer: it is configured, no document has named it. */
  readonly url: string;
  /** Default `key-set`. */
  readonly contents?: KeyDocument | undefined;
  /** PEM certificates of the private authority that the server's certificate is of; read at each question. */
  readonly caFile?: string | undefined;
  /** A token that the server asks for, as Kubernetes does; read at each question, and sent to `url` only. */
  readonly bearerTokenFile?: string | undefined;
  readonly fetch: typeof fetch;
  readonly clock: { now(): Date };
  readonly onAsked?: OnKeysAsked | undefined;
};

/**
 * Keys from one configured address, without discovery. For one issuer only: whoever is asked about, these are the keys.
 * @throws TypeError for an address that is neither https nor on this machine
 */
export function createPublishedKeys({
  url,
  contents = 'key-set',
  caFile,
  bearerTokenFile,
  fetch: fetcher,
  clock,
  onAsked,
}: PublishedKeysOptions): KeySource {
  if (!isKeyAddress(url)) throw new TypeError('keys are published over https, or by this machine');
  return keepKeys(
    async () => {
      const headers =
        bearerTokenFile === undefined ? {} : { authorization: `Bearer ${await readToken(bearerTokenFile)}` };
      return readerOf(contents)(await fetchMetadata(url, await fetchFor(caFile, fetcher), headers));
    },
    clock,
    onAsked,
  );
}

async function readToken(path: string): Promise<string> {
  const token = new TextDecoder().decode(await readBoundedFile(path)).trim();
  if (BEARER_TOKEN.test(token)) return token;
  throw new TokenRefused(
    'issuer_unreachable',
    'the file of the bearer token for the issuer’s keys holds no such token',
  );
}
