import { randomUUID } from 'node:crypto';
import { readdirSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { makeFolder, writeFileDurably } from '@colophon/durable-file';
import { digestOfBytes } from '../byte-digest/byte-digest.ts';
import { CliError } from '../cli-error/cli-error.ts';
import { reasonOf } from '../input/input.ts';
import { CHECKSUMS, CHECKSUMS_SIGNATURE, type Checksum, formatChecksums } from './checksums.ts';

/** A folder that is being filled; nobody sees it under its name before all of it is on disk. */
export type FolderDraft = {
  /** Writes one file and answers with its digest. */
  put(name: string, content: string | Uint8Array): string;
  /** Every file so far. */
  readonly checksums: readonly Checksum[];
};

/** What marks a folder as one that this program made, and may replace. */
const REPORT_FILE = /^quarterly-report-\d{4}-Q[1-4]\.json$/;

/**
 * Says now, and not after a signature was logged, that a folder may not be made there.
 * @throws CliError `cli.folder_taken`, `cli.file_unwritable`
 */
export function assertFreeFolder(path: string, mayReplace: boolean): void {
  const found = entriesOf(path);
  if (found === undefined || found.length === 0) return;
  const isReport = found.includes(CHECKSUMS) && found.some((name) => REPORT_FILE.test(name));
  if (isReport && mayReplace) return;
  throw new CliError('cli.folder_taken', `${path} holds ${isReport ? 'a report' : 'other files'} already`, {
    checked: path,
    expected: 'a folder that is not there, or is empty',
    next: isReport ? 'the same with --force replaces the report in it' : 'another --out',
  });
}

/**
 * Makes a folder with what `fill` puts into it and a list of its checksums, or leaves what was there. `seal` sees that
 * list before anybody else does, and gives the signature over it.
 * @throws CliError `cli.folder_taken`, `cli.file_unwritable`
 */
export async function writeReportFolder(
  path: string,
  {
    mayReplace,
    fill,
    seal,
  }: {
    readonly mayReplace: boolean;
    readonly fill: (draft: FolderDraft) => Promise<void>;
    readonly seal: (checksums: Uint8Array) => Promise<Uint8Array | undefined>;
  },
): Promise<readonly Checksum[]> {
  assertFreeFolder(path, mayReplace);
  const target = resolve(path);
  const draftFolder = join(dirname(target), `.${basename(target)}.${randomUUID()}.new`);
  const checksums: Checksum[] = [];
  const put = (name: string, content: string | Uint8Array): string => {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    asWritten(path, () => writeFileDurably(join(draftFolder, name), bytes, 0o644));
    const digest = digestOfBytes(bytes);
    checksums.push({ name, digest });
    return digest;
  };
  try {
    asWritten(path, () => makeFolder(draftFolder, 0o755));
    await fill({ put, checksums });
    const listed = checksums.slice();
    const list = Buffer.from(formatChecksums(listed));
    const signature = await seal(list);
    put(CHECKSUMS, list);
    if (signature !== undefined) put(CHECKSUMS_SIGNATURE, signature);
    asWritten(path, () => moveInto(draftFolder, target));
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
  return asWritten(path, () => {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    if (stats.isDirectory()) return readdirSync(path);
    throw new CliError('cli.folder_taken', `${path} is a file`, { checked: path, next: 'another --out' });
  });
}

function asWritten<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError('cli.file_unwritable', `${path}: ${reasonOf(cause)}`, { checked: path, cause });
  }
}
