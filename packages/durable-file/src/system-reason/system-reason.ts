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

/** Why the system does not read or write a file, in words where it is a common reason, else by its code. */
export function systemReason(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
  return REASONS[code] ?? code;
}
