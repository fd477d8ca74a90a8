import { findPemBlocks, formatPem } from '@colophon/encoding';
import { fetchTrusting } from '@colophon/peer';
import { TokenRefused } from '../token/token-refused.ts';
import { readBoundedFile } from './bounded-file.ts';

/**
 * A fetch for one question: where a file of a private authority is named, one that trusts what the file holds now.
 * @throws TokenRefused `issuer_unreachable` where the file cannot be read or holds no certificate
 */
export async function fetchFor(caFile: string | undefined, fetcher: typeof fetch): Promise<typeof fetch> {
  if (caFile === undefined) return fetcher;
  const text = new TextDecoder().decode(await readBoundedFile(caFile));
  const blocks = findPemBlocks(text, ['CERTIFICATE']) ?? [];
  if (blocks.length > 0) return fetchTrusting(blocks.map(({ label, der }) => formatPem(label, der)).join(''));
  throw new TokenRefused('issuer_unreachable', 'the file of the issuer’s private authority holds no certificate');
}
