import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from '../names.ts';
import { type LockedPackage, readLock } from './lock.ts';
import { readTar, type TarEntry } from './tar.ts';

/** A package that is what the lock says, unpacked. */
export type DebianPackage = {
  readonly locked: LockedPackage;
  /** Its control fields, as dpkg writes them. */
  readonly control: string;
  readonly entries: readonly TarEntry[];
};

const KEPT = join(ROOT, '.tools', 'debian');

/**
 * Brings a package from the archives that this machine uses, else from Debian's own, else from Debian's snapshots. It is
 * kept in .tools, where the next build finds it; nothing of it is opened before its digest is right.
 * @throws Error where no archive has it
 */
export async function bringPackage(locked: LockedPackage): Promise<DebianPackage> {
  const file = join(KEPT, basename(locked.path));
  if (!existsSync(file) || !isLocked(readFileSync(file), locked)) {
    const bytes = await fetchPackage(locked);
    mkdirSync(KEPT, { recursive: true });
    writeFileSync(`${file}.new`, bytes);
    renameSync(`${file}.new`, file);
  }
  const read = (option: string) => execFileSync('dpkg-deb', [option, file], { maxBuffer: 1 << 30 });
  return { locked, control: read('--field').toString('utf8'), entries: await readTar(read('--fsys-tarfile')) };
}

function isLocked(bytes: Uint8Array, { sha256, size }: LockedPackage): boolean {
  return bytes.length === size && createHash('sha256').update(bytes).digest('hex') === sha256;
}

async function fetchPackage(locked: LockedPackage): Promise<Uint8Array> {
  const { archive, path } = locked;
  const bases = [
    ...machineArchives().filter((base) => base.endsWith(`/${archive}/`)),
    `https://deb.debian.org/${archive}/`,
    `https://snapshot.debian.org/archive/${archive}/${readLock().snapshot}/`,
  ];
  const problems: string[] = [];
  for (const base of bases) {
    const url = new URL(path.split('/').map(encodeURIComponent).join('/'), base);
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(60_000) });
      if (!response.ok) throw new Error(`HTTP ${response.status}`);
      const bytes = new Uint8Array(await response.arrayBuffer());
      if (isLocked(bytes, locked)) return bytes;
      throw new Error('other bytes than lock.json names');
    } catch (error) {
      problems.push(`${url}: ${(error as Error).message}`);
    }
  }
  throw new Error(`${basename(path)} is not to be had; renew-lock.ts takes a newer one\n${problems.join('\n')}`);
}

/** The addresses that apt uses here; none on a machine without apt. */
function machineArchives(): string[] {
  try {
    const targets = ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages'];
    return [...new Set(execFileSync('apt-get', targets, { encoding: 'utf8' }).split('\n'))];
  } catch {
    return [];
  }
}
