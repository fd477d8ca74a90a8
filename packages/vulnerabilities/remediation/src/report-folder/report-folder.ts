import { randomUUID } from 'node:crypto';
import { readdirSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { makeFolder, writeFileDurably } from '@colophon/durable-file';
import { digestOf } from '@colophon/records';
import { CHECKSUMS, CHECKSUMS_SIGNATURE, type Checksum, formatChecksums } from './checksums.ts';
import { ReportError } from './report-error.ts';

/** A folder that is being filled; nobody sees it under its name before all of it is on disk. */
export type FolderDraft = {
  /** Writes one file and answers with its digest. */
  put(name: string, content: string | Uint8Array): string;
  /** Every file so far. */
  readonly checksums: readonly Checksum[];
};

/** How the caller says in its own words that the folder cannot be looked at or written. */
export type Unwritable = (path: string, cause: unknown) => unknown;

/** What marks a folder as one that this program made, and may replace. */
const REPORT_FILE = /^quarterly-report-\d{4}-Q[1-4]\.json$/;

/**
 * Says now, and not after a signature was logged, that a folder may not be made there.
 * @throws ReportError `report.folder_taken`; what `unwritable` makes of the system's own error
 */
export function assertFreeFolder(path: string, mayReplace: boolean, unwritable: Unwritable): void {
  const found = asWritten(path, unwritable, () => entriesOf(path));
  if (found === undefined || found.length === 0) return;
  const isReport = found.includes(CHECKSUMS) && found.some((name) => REPORT_FILE.test(name));
  if (isReport && mayReplace) return;
  throw new ReportError('report.folder_taken', `${path} holds ${isReport ? 'a report' : 'other files'} already`, {
    checked: path,
    expected: 'a folder that is not there, or is empty',
    next: isReport ? 'the same with --force replaces the report in it' : 'another --out',
  });
}

/**
 * Makes a folder with what `fill` puts into it and a list of its checksums, or leaves what was there. `seal` sees that
 * list before anybody else does, and gives the signature over it.
 * @throws ReportError `report.folder_taken`; what `unwritable` makes of the system's own error
 */
export async function writeReportFolder(
  path: string,
  {
    mayReplace,
    fill,
    seal,
    unwritable,
  }: {
    readonly mayReplace: boolean;
    readonly fill: (draft: FolderDraft) => Promise<void>;
    readonly seal: (checksums: Uint8Array) => Promise<Uint8Array | undefined>;
    readonly unwritable: Unwritable;
  },
): Promise<readonly Checksum[]> {
  assertFreeFolder(path, mayReplace, unwritable);
  const target = resolve(path);
  const draftFolder = join(dirname(target), `.${basename(target)}.${randomUUID()}.new`);
  const checksums: Checksum[] = [];
  const put = (name: string, content: string | Uint8Array): string => {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    asWritten(path, unwritable, () => writeFileDurably(join(draftFolder, name), bytes, 0o644));
    const digest = digestOf(bytes);
    checksums.push({ name, digest });
    return digest;
  };
  try {
    asWritten(path, unwritable, () => makeFolder(draftFolder, 0o755));
    await fill({ put, checksums });
    const listed = checksums.slice();
    const list = Buffer.from(formatChecksums(listed));
    const signature = await seal(list);
    put(CHECKSUMS, list);
    if (signature !== undefined) put(CHECKSUMS_SIGNATURE, signature);
    asWritten(path, unwritable, () => moveInto(draftFolder, target));
    return listed;
  } finally {
    rmSync(draftFolder, { recursive: true, force: true });
  }
}

/** What was there is put aside until the new folder has its name. */
function moveInto(draft: string, target: string): void {
  const found = entriesOf(target);
  if (found === undefined || found.length === 0) {
    if (found !== undefined) rmdirSync(target);
    renameSync(draft, target);
    return;
  }
  const aside = `${draft}.old`;
  renameSync(target, aside);
  try {
    renameSync(draft, target);
  } catch (error) {
    renameSync(aside, target);
    throw error;
  }
  rmSync(aside, { recursive: true, force: true });
}

/** The names in a folder; undefined where nothing is there. */
function entriesOf(path: string): readonly string[] | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (stats.isDirectory()) return readdirSync(path);
  throw new ReportError('report.folder_taken', `${path} is a file`, { checked: path, expected: 'another --out' });
}

function asWritten<T>(path: string, unwritable: Unwritable, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw cause instanceof ReportError ? cause : unwritable(path, cause);
  }
}
