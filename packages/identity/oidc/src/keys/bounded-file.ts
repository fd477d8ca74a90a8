import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { TokenRefused } from '../token/token-refused.ts';
import { MAX_METADATA_BYTES } from './fetch-metadata.ts';

/**
 * Reads a small file as it is now.
 * @throws TokenRefused `issuer_unreachable` for one that cannot be read, is no file or is too large
 */
export async function readBoundedFile(path: string): Promise<Uint8Array> {
  let file: FileHandle | undefined;
  try {
    // A pipe that nobody writes to must not be waited for.
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const bytes = new Uint8Array(MAX_METADATA_BYTES + 1);
    const isFile = (await file.stat()).isFile();
    let length = 0;
    for (let read = -1; isFile && read !== 0 && length < bytes.length; length += read) {
      read = (await file.read(bytes, length, bytes.length - length)).bytesRead;
    }
    if (isFile && length <= MAX_METADATA_BYTES) return bytes.subarray(0, length);
  } catch (cause) {
    throw new TokenRefused('issuer_unreachable', 'a file for the issuer’s keys cannot be read', { cause });
  } finally {
    await file?.close();
  }
  throw new TokenRefused('issuer_unreachable', 'a file for the issuer’s keys is no small file');
}
