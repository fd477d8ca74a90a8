import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { decodeIndex, encodeIndex, type IndexedFile, MOST_INDEXED_FILES } from '@colophon/similarity';
import { CliError } from '../cli-error/cli-error.ts';
import { readBounded } from '../input/bounded-input.ts';
import { writeOutput } from '../input/input.ts';

/** What an index file begins with; what follows is gzip. */
const MAGIC = Buffer.from('colophon-similarity-index\n');
/** An index file may be so large, and as much may be in it. */
const MOST_FILE_BYTES = 256 * 2 ** 20;
const MOST_BYTES = 512 * 2 ** 20;

/**
 * Writes an index file; the same files give the same bytes.
 * @returns how many bytes it has
 * @throws CliError `cli.file_unwritable`, `cli.file_too_large` for what could not be read again
 */
export async function writeIndexFile(path: string, files: readonly IndexedFile[]): Promise<number> {
  if (files.length > MOST_INDEXED_FILES) {
    throw new CliError('cli.file_too_large', `the index would have more files than are read again`, {
      checked: path,
      expected: `at most ${MOST_INDEXED_FILES} files`,
      found: `${files.length}`,
    });
  }
  const encoded = encodeIndex(files);
  const bytes = Buffer.concat([MAGIC, await promisify(gzip)(encoded)]);
  if (encoded.length > MOST_BYTES || bytes.length > MOST_FILE_BYTES) {
    throw new CliError('cli.file_too_large', `the index would be larger than is read again`, {
      checked: path,
      expected: `at most ${MOST_BYTES} bytes before compression`,
      found: `${encoded.length} bytes`,
    });
  }
  writeOutput(path, bytes);
  return bytes.length;
}

/**
 * Reads an index file.
 * @throws CliError `cli.index_invalid`, `cli.file_unreadable`, `cli.file_too_large`
 */
export async function readIndexFile(path: string): Promise<readonly IndexedFile[]> {
  const bytes = await readBounded(path, MOST_FILE_BYTES);
  if (!MAGIC.equals(bytes.subarray(0, MAGIC.length))) throw invalid(path, 'it does not begin as one');
  const encoded = await promisify(gunzip)(bytes.subarray(MAGIC.length), { maxOutputLength: MOST_BYTES }).catch(
    (cause: NodeJS.ErrnoException) => {
      const isLarge = cause.code === 'ERR_BUFFER_TOO_LARGE';
      throw invalid(path, isLarge ? `more than ${MOST_BYTES} bytes are in it` : 'it is cut off or damaged', cause);
    },
  );
  const reading = decodeIndex(encoded);
  if (!reading.ok) throw invalid(path, reading.reason);
  return reading.files;
}

function invalid(path: string, why: string, cause?: unknown): CliError {
  return new CliError('cli.index_invalid', `${path} is no index of packages: ${why}`, {
    checked: path,
    expected: 'a file that colophon sbom similarity index wrote',
    cause,
  });
}
