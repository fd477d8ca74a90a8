import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Issue, isJsonObject, parseStrictJson } from '@colophon/json';
import { digestOf } from '@colophon/records';
import type { ReportBasis, ReportDifference } from '@colophon/remediation-rules';
import { CHECKSUMS, CHECKSUMS_SIGNATURE, type Checksum, parseChecksums } from './checksums.ts';
import { ReportError } from './report-error.ts';

/** A file of a report, bytes. */
const MOST_BYTES = 384 * 1024 * 1024;
const MOST_LIST_BYTES = 64 * 1024 * 1024;

const NO_FILE = 'it is no file; links are not followed';

/** The folder of a report as an auditor got it: nothing of it is believed, and no name in it leads out of it. */
export type ReportFolder = {
  readonly path: string;
  readonly checksums: readonly Checksum[];
  /** Whether an error is about a file of this folder: what is wrong with a report, and not with who looks at it. */
  isOf(error: unknown): error is Error & { readonly code: string };
  has(name: string): boolean;
  /** The file with this content, by the list. */
  nameOf(digest: string): string | undefined;
  /** @throws ReportError `report.invalid` for what is no file of the folder; what the reader throws */
  bytes(name: string): Promise<Uint8Array>;
  /** A JSON document of the folder. @throws ReportError `report.invalid` */
  json<T>(name: string): Promise<T>;
  /** What says how to count again. @throws ReportError `report.invalid` */
  basis(): Promise<ReportBasis>;
  /** Every file that is missing, changed or not listed. */
  check(): Promise<ReportDifference[]>;
};

/** How the caller reads files, and says in its own words that something cannot be read. */
export type FolderReading = {
  /** The bytes of a file, at most so many. */
  readonly read: (path: string, mostBytes: number) => Promise<Uint8Array>;
  /** The error of a folder whose files cannot be listed. */
  readonly unlisted: (path: string, cause: unknown) => unknown;
};

/**
 * Opens the folder of a report.
 * @throws ReportError `report.invalid`; what the caller makes of what cannot be read
 */
export async function openReportFolder(path: string, { read, unlisted }: FolderReading): Promise<ReportFolder> {
  const unread = new WeakSet<object>();
  const readFile = (name: string, mostBytes: number) =>
    read(join(path, name), mostBytes).catch((error: unknown) => {
      if (error instanceof Error) unread.add(error);
      throw error;
    });
  const entries = entriesOf(path, unlisted);
  const names = new Set(entries.flatMap(({ name, isFile }) => (isFile ? [name] : [])));
  const others = new Set(entries.flatMap(({ name, isFile }) => (isFile ? [] : [name])));
  for (const name of [CHECKSUMS, CHECKSUMS_SIGNATURE]) {
    if (others.has(name)) throw invalid(join(path, name), NO_FILE, 'a file');
  }
  if (!names.has(CHECKSUMS)) {
    throw invalid(path, `there is no ${CHECKSUMS} in it`, 'a folder that colophon report quarterly made');
  }
  const text = Buffer.from(await readFile(CHECKSUMS, MOST_LIST_BYTES)).toString();
  const checksums = parseChecksums(text);
  if (checksums === undefined)
    throw invalid(join(path, CHECKSUMS), 'it cannot be read', 'lines as sha256sum writes them');
  const byDigest = new Map(checksums.map(({ name, digest }) => [digest, name] as const));

  const bytes = async (name: string): Promise<Uint8Array> => {
    if (names.has(name)) return readFile(name, MOST_BYTES);
    throw invalid(path, `${name} is no file in it`);
  };
  const json = async <T>(name: string): Promise<T> => {
    const parsed = parseStrictJson(await bytes(name), { maxBytes: MOST_LIST_BYTES });
    if (parsed.ok && isJsonObject(parsed.value)) return parsed.value as T;
    throw invalid(join(path, name), 'it is no JSON object', undefined, parsed.ok ? [] : parsed.issues);
  };
  return {
    path,
    checksums,
    isOf: (error): error is Error & { readonly code: string } =>
      error instanceof ReportError || (error instanceof Error && unread.has(error)),
    has: (name) => names.has(name),
    nameOf: (digest) => byDigest.get(digest),
    bytes,
    json,
    basis: async () => {
      const name = [...names].filter((one) => /^report-basis-[0-9A-Za-z-]+\.json$/.test(one));
      if (name.length !== 1) throw invalid(path, `there are ${name.length} files report-basis-….json in it`, 'one');
      const basis = await json<ReportBasis>(name[0]!);
      if (isBasis(basis)) return basis;
      throw invalid(join(path, name[0]!), 'it does not say how the report was counted', 'colophon-report-basis/v1');
    },
    check: async () => {
      const found: ReportDifference[] = [];
      for (const { name, digest } of checksums) {
        if (!names.has(name))
          found.push({
            code: 'report.file_missing',
            path: name,
            expected: digest,
            found: others.has(name) ? NO_FILE : 'no such file',
          });
        else {
          const actual = digestOf(await bytes(name));
          if (actual !== digest)
            found.push({ code: 'report.file_changed', path: name, expected: digest, found: actual });
        }
      }
      const listed = new Set([...checksums.map(({ name }) => name), CHECKSUMS, CHECKSUMS_SIGNATURE]);
      const strays = entries.map(({ name }) => name).filter((name) => !listed.has(name));
      const unlisted = strays.sort().map(
        (name): ReportDifference => ({
          code: 'report.file_unlisted',
          path: name,
          expected: `a line in ${CHECKSUMS}`,
          found: names.has(name) ? 'none' : 'none, and no file',
        }),
      );
      return [...found, ...unlisted];
    },
  };
}

function isBasis(value: ReportBasis): boolean {
  const { format, period, as_of, product, report, remediation_records } = value;
  const texts: readonly unknown[] = [period, as_of, report, remediation_records];
  return (
    format === 'colophon-report-basis/v1' &&
    texts.every((text) => typeof text === 'string') &&
    (product === null || typeof product === 'string')
  );
}

/** What is read are regular files alone: a link may lead anywhere, and a pipe never ends. */
function entriesOf(
  path: string,
  unlisted: FolderReading['unlisted'],
): { readonly name: string; readonly isFile: boolean }[] {
  try {
    return readdirSync(path).map((name) => ({ name, isFile: lstatSync(join(path, name)).isFile() }));
  } catch (cause) {
    throw unlisted(path, cause);
  }
}

function invalid(checked: string, why: string, expected?: string, issues: readonly Issue[] = []): ReportError {
  return new ReportError('report.invalid', `${checked}: ${why}`, {
    checked,
    ...(expected === undefined ? {} : { expected }),
    ...(issues.length === 0 ? {} : { issues }),
  });
}
