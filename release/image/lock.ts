import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Debian's names of the processors that the image is made for. */
export const ARCHITECTURES = ['amd64', 'arm64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

/** Debian's archives, as their mirrors name them. */
export const ARCHIVES = ['debian', 'debian-security'] as const;

/** One Debian package, so that nothing else can be in its place. */
export type LockedPackage = {
  readonly name: string;
  readonly version: string;
  readonly architecture: Architecture | 'all';
  readonly archive: (typeof ARCHIVES)[number];
  /** Below the archive's address. */
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
};

/** As scanners name the release that the lock is of. */
export const DISTRIBUTION = 'debian-12';

type Lock = {
  readonly release: string;
  /** When it was made, as snapshot.debian.org writes times: what the archive does not keep is there. */
  readonly snapshot: string;
  readonly packages: readonly LockedPackage[];
};

export const LOCK_FILE: string = join(import.meta.dirname, 'lock.json');

export function readLock(): Lock {
  return JSON.parse(readFileSync(LOCK_FILE, 'utf8'));
}

/** The packages of an image for one architecture, in the lock's order. */
export function packagesFor(architecture: Architecture, { packages }: Lock): LockedPackage[] {
  return packages.filter((one) => one.architecture === architecture || one.architecture === 'all');
}
