import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { systemReason, writeFileDurably } from '@colophon/durable-file';
import { ServerError } from '../server-error/server-error.ts';

// 256 random bits in base64url.
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/**
 * The secret that local reviewers show, made at the first start. It keeps an agent that can only reach the socket from
 * reviewing itself; it is no defence against a program that runs as the same Unix user, and so what it vouches for is
 * only ever `declared`.
 * @throws ServerError `server.data_folder_unusable` where others may read it, or it cannot be made or read;
 * `server.data_folder_damaged` where it is not one of ours
 */
export function openReviewerSecret(file: string): string {
  const secret = readOrMake(file);
  if (SECRET.test(secret)) return secret;
  throw new ServerError(
    'server.data_folder_damaged',
    `${file} holds no reviewers' secret: remove it, a new one is made`,
  );
}

function readOrMake(file: string): string {
  try {
    if (!existsSync(file)) writeFileDurably(file, `${randomBytes(32).toString('base64url')}\n`, 0o600);
    return readOwnFile(file);
  } catch (cause) {
    if (cause instanceof ServerError) throw cause;
    throw new ServerError('server.data_folder_unusable', `${file} cannot be made or read: ${systemReason(cause)}`, {
      cause,
    });
  }
}

function readOwnFile(file: string): string {
  const handle = openSync(file, 'r');
  try {
    // The mode of the very file that is read, not of whatever has that name a moment later.
    if (fstatSync(handle).mode & 0o077) {
      throw new ServerError(
        'server.data_folder_unusable',
        `${file} may be read by others: remove it, a new one is made`,
      );
    }
    return readFileSync(handle, 'utf8').trim();
  } finally {
    closeSync(handle);
  }
}
