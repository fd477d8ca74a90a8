import { systemReason } from '@colophon/durable-file';
import { ServerError } from '../server-error/server-error.ts';

const FILE_SYSTEM_REFUSALS = [
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOSPC',
  'EDQUOT',
  'EIO',
  'ENOTDIR',
  'EISDIR',
  'ENAMETOOLONG',
];

/** What the file system refuses is a matter of the folder's owner, mode or disk, and not of this program. */
export function dataFolderError(dataDir: string, error: unknown): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (!FILE_SYSTEM_REFUSALS.includes(code)) return error;
  return new ServerError('server.data_folder_unusable', `${dataDir} cannot be used: ${systemReason(error)}`, {
    cause: error,
  });
}
