import type { KeySource } from '../token/verify-token.ts';
import { readBoundedFile } from './bounded-file.ts';
import { type KeyDocument, type KeySet, readKeyFile } from './key-set.ts';

/**
 * Keys from a file, for one issuer only: a key set, PEM public keys (a cluster's `sa.pub`), or a SPIFFE bundle. The
 * file is read for each token, and taken apart where it has changed: a key that is taken out is refused from then on.
 */
export function createFileKeys({
  path,
  contents = 'key-set',
}: {
  readonly path: string;
  /** Default `key-set`, which PEM keys are, too. */
  readonly contents?: KeyDocument | undefined;
}): KeySource {
  let last: { readonly bytes: Uint8Array; readonly set: KeySet } | undefined;

  async function read(): Promise<KeySet> {
    const bytes = await readBoundedFile(path);
    if (last === undefined || !Buffer.from(last.bytes).equals(bytes))
      last = { bytes, set: readKeyFile(bytes, contents) };
    return last.set;
  }

  return {
    findKey: async (_issuer, kid) => (await read()).byId.get(kid),
    findOnlyKey: async () => (await read()).only,
  };
}
