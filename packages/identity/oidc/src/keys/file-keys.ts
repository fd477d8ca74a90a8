import type { KeySource } from '../token/verify-token.ts';
import { readBoundedFile } from './bounded-file.ts';
import { type KeyDocument, type KeySet, readKeyFile } from './key-set.ts';

/**
 * Keys from a file, for one issuer only: a key set, PEM public keys (a cluster's `sa.pub`), or a SPIFFE bundle. The
 * file is read after each token came, once for all that came meanwhile, and taken apart where it has changed: a key that
 * is taken out is refused from then on.
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

  /** Under way: it may have seen the file before a token came that asks now. */
  let running: Promise<unknown> | undefined;
  let next: Promise<KeySet> | undefined;

  function read(): Promise<KeySet> {
    next ??= readAfter(running);
    return next;
  }

  async function readAfter(earlier: Promise<unknown> | undefined): Promise<KeySet> {
    await earlier?.catch(() => {});
    running = next;
    next = undefined;
    return readNow();
  }

  async function readNow(): Promise<KeySet> {
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
