const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a file is in the way where a folder should be',
  ENAMETOOLONG: 'a name in it is too long',
  EACCES: 'you have no permission (EACCES)',
  EPERM: 'you have no permission (EPERM)',
  EROFS: 'the disk is read-only (EROFS)',
  ENOSPC: 'the disk is full (ENOSPC)',
};

/**
 * Why a file is not read or written, in words where the system has a common reason, else by its code; the words of
 * readRegularFile for what is no file to be read at once.
 */
export function systemReason(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return error instanceof RangeError ? error.message : 'unknown';
  return REASONS[code] ?? code;
}
