import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parsePolicy } from '@colophon/admission';
import { systemReason } from '@colophon/durable-file';
import { kindOf } from '@colophon/fault';
import { MAX_CASE_LENGTH } from '@colophon/gate';
import { compareTexts } from '@colophon/notation';
import { CliError } from '../cli-error/cli-error.ts';
import { readBounded } from '../input/bounded-input.ts';
import { unreadable } from '../input/input.ts';

/** A file that holds a case, or why it cannot be read. */
export type FoundCase = {
  /** Below the folder, without `.yaml`; of a folder with `case.yaml`, its own path. */
  readonly name: string;
  readonly file: string;
} & ({ readonly text: string } | { readonly error: unknown });

const CASE_OF_FOLDER = 'case.yaml';
const YAML = /\.ya?ml$/;
/** Bytes of a character in UTF-8, at most. */
const LONGEST_CHARACTER = 4;

/**
 * The cases of a folder and the folders in it, in the order of their names. A folder with `case.yaml` is one case; in every
 * other each YAML file is one, but for policies. Names that begin with a dot are left out, and links to folders are not followed.
 * @throws CliError `cli.file_unreadable`; `cli.no_cases` where there is none
 */
export async function findCases(folder: string): Promise<readonly FoundCase[]> {
  const found: FoundCase[] = [];
  for (const [name, file] of caseFiles(folder, '')) {
    const read = await readCase(file);
    const isPolicy = 'text' in read && parsePolicy(read.text).ok;
    if (!isPolicy) found.push({ name, file, ...read });
  }
  if (found.length > 0) return found;
  throw new CliError('cli.no_cases', `${folder} has no case`, {
    checked: folder,
    expected: 'NAME.yaml, or NAME/case.yaml: docs/admission.md',
  });
}

function* caseFiles(folder: string, below: string): Generator<readonly [name: string, file: string]> {
  const entries = entriesOf(folder).sort((one, other) => compareTexts(one.name, other.name));
  if (entries.some(({ name }) => name === CASE_OF_FOLDER)) {
    yield [below === '' ? '.' : below.slice(0, -1), join(folder, CASE_OF_FOLDER)];
    return;
  }
  for (const entry of entries) {
    const { name } = entry;
    if (name.startsWith('.')) continue;
    if (entry.isDirectory()) yield* caseFiles(join(folder, name), `${below}${name}/`);
    else if (YAML.test(name)) yield [`${below}${name.replace(YAML, '')}`, join(folder, name)];
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (cause) {
    throw unreadable(folder, systemReason(cause), cause);
  }
}

async function readCase(file: string): Promise<{ readonly text: string } | { readonly error: unknown }> {
  try {
    return { text: Buffer.from(await readBounded(file, MAX_CASE_LENGTH * LONGEST_CHARACTER)).toString() };
  } catch (error) {
    if (kindOf(error) === undefined) throw error;
    return { error };
  }
}
