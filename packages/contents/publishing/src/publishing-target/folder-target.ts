import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { createFileDurably, makeFolder, writeFileDurably } from '@colophon/durable-file';
import { isPointerFile, WELL_KNOWN_PATH } from '../publication-rules/publication-name.ts';
import { PublishingError } from '../publication-rules/publishing-error.ts';
import type { PublishingTarget, StoredFile } from './publishing-target.ts';

/** Held by the operating system, so it ends with its process, however that ends. */
const LOCK_FILE = '.lock';
const LOCK_WAIT_MS = 60_000;
const LOCK_PAUSE_MS = 50;
/** What SQLite says of a lock that somebody else holds. */
const SQLITE_BUSY = 5;
const DRAFT = /\.[0-9a-f-]{36}\.new$/;
/** A web server may read it; no version is written twice. */
const MODES = { folder: 0o755, version: 0o444, pointer: 0o644 };

/**
 * A folder on this machine. No link is followed below it: what is published lands in it, and nothing else is read.
 */
export function folderTarget(root: string, { lockWaitMs = LOCK_WAIT_MS } = {}): PublishingTarget {
  const base = isAbsolute(root) ? root : resolve(root);
  const folder = join(base, WELL_KNOWN_PATH);
  const path = (file: string) => join(folder, file);
  return {
    place: base,
    locksObjects: false,
    async read(file, maxBytes) {
      if (!hasFolder(base)) return undefined;
      return readWhole(path(file), maxBytes);
    },
    async create(file, bytes) {
      return writing(path(file), () => {
        makeFolders(base);
        return createFileDurably(path(file), bytes, MODES.version);
      });
    },
    // Who calls has the lock: nothing has changed since it was read.
    async replace(file, bytes) {
      return writing(path(file), () => {
        makeFolders(base);
        refuseLink(path(file), 'file');
        writeFileDurably(path(file), bytes, isPointerFile(file) ? MODES.pointer : MODES.version);
        return true;
      });
    },
    async remove(file) {
      writing(path(file), () => {
        if (hasFolder(base)) rmSync(path(file), { force: true });
      });
    },
    async exclusively(work) {
      const release = await lock(base, lockWaitMs);
      try {
        return await work();
      } finally {
        release();
      }
    },
    async clearDrafts() {
      writing(folder, () => {
        for (const name of readdirSync(folder)) if (DRAFT.test(name)) rmSync(path(name), { force: true });
      });
    },
    async weakness() {
      return undefined;
    },
  };
}

/** Whether the folder is there, each part of it a folder and no link. */
function hasFolder(base: string): boolean {
  let path = base;
  for (const part of ['', ...WELL_KNOWN_PATH.split('/')]) {
    path = join(path, part);
    // Where the folder itself leads is its owner's affair.
    if (part === '') continue;
    if (!refuseLink(path, 'folder')) return false;
  }
  return true;
}

function makeFolders(base: string): void {
  makeFolder(base, MODES.folder);
  let path = base;
  for (const part of WELL_KNOWN_PATH.split('/')) {
    path = join(path, part);
    if (refuseLink(path, 'folder')) continue;
    try {
      mkdirSync(path, { mode: MODES.folder });
    } catch (error) {
      // Somebody else was faster, with a folder as well.
      if (!refuseLink(path, 'folder')) throw error;
    }
  }
}

/** @returns whether there is something. @throws PublishingError `publishing.link_refused` where it is no such thing */
function refuseLink(path: string, kind: 'file' | 'folder'): boolean {
  const stats = reading(path, () => lstatSync(path, { throwIfNoEntry: false }));
  if (stats === undefined) return false;
  if (kind === 'folder' ? stats.isDirectory() : stats.isFile()) return true;
  throw notRegular(path, kind);
}

function readWhole(path: string, maxBytes: number): StoredFile | undefined {
  return reading(path, () => {
    let file: number;
    try {
      // Without O_NONBLOCK a pipe of that name would wait for ever.
      file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return undefined;
      if (code === 'ELOOP') throw notRegular(path, 'file');
      throw error;
    }
    try {
      const stats = fstatSync(file);
      if (!stats.isFile()) throw notRegular(path, 'file');
      if (stats.size > maxBytes) {
        throw new PublishingError('publishing.too_large', `${path} is too large to be read`, {
          expected: `at most ${maxBytes} bytes`,
          found: String(stats.size),
        });
      }
      return { bytes: readFileSync(file), modifiedAt: stats.mtime };
    } finally {
      closeSync(file);
    }
  });
}

async function lock(base: string, waitMs: number): Promise<() => void> {
  const path = join(base, WELL_KNOWN_PATH, LOCK_FILE);
  const end = performance.now() + waitMs;
  for (;;) {
    let database: DatabaseSync | undefined;
    try {
      writing(path, () => makeFolders(base));
      refuseLink(path, 'file');
      database = new DatabaseSync(path);
      database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
      const held = database;
      return () => held.close();
    } catch (error) {
      database?.close();
      if (error instanceof PublishingError) throw error;
      if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) {
        throw new PublishingError('publishing.target_unusable', `${path} cannot be written`, { cause: error });
      }
      if (performance.now() > end) {
        throw new PublishingError('publishing.target_busy', `another publisher is at work in ${base}`);
      }
    }
    await pause(LOCK_PAUSE_MS);
  }
}

function reading<T>(path: string, work: () => T): T {
  return naming(path, 'read', work);
}

function writing<T>(path: string, work: () => T): T {
  return naming(path, 'written', work);
}

function naming<T>(path: string, what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof PublishingError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new PublishingError('publishing.target_unusable', `${path} cannot be ${what}: ${code ?? 'unknown'}`, {
      cause: error,
    });
  }
}

function notRegular(path: string, kind: string): PublishingError {
  return new PublishingError('publishing.link_refused', `${path} is no regular ${kind}: links are not followed`);
}
