import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { writeFileDurably } from '../data-folder/data-folder.ts';
import { ServerError } from '../server-error/server-error.ts';

/**
 * The secret that local reviewers show, made at the first start. It keeps an agent that can only reach the socket from
 * reviewing itself; it is no defence against a program that runs as the same Unix user, and so what it vouches for is
 * only ever `declared`.
 */
export function openReviewerSecret(file: string): string {
  if (!existsSync(file)) writeFileDurably(file, `${randomBytes(32).toString('base64url')}\n`, 0o600);
  if (statSync(file).mode & 0o077) {
    throw new ServerError('server.data_folder_unusable', `${file} may be read by others: remove it, a new one is made`);
  }
  return readFileSync(file, 'utf8').trim();
}
