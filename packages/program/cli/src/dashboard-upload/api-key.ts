import { readFileSync, statSync } from 'node:fs';
import { CliError } from '../cli-error/cli-error.ts';
import { unreadableSecret } from '../input/input.ts';
import { lacking } from '../program/needs.ts';
import { oneLine, type Terminal } from '../terminal/terminal.ts';

/** Variables that may hold the key, ours first, then the one that other tools for Dependency-Track read. */
const VARIABLES = ['COLOPHON_DASHBOARD_API_KEY', 'DTRACK_API_KEY'] as const;
const MAX_KEY_BYTES = 4096;
/** One word that can be a header, and long enough that it stands in no other text by chance. */
const KEY = /^[\x21-\x7e]{8,512}$/;
const OTHERS_MAY_READ = 0o044;

/**
 * The key of the dashboard, from a file or the environment; never from the command line, which everybody can read. No
 * error holds any of it.
 * @throws CliError `cli.no_api_key`, `cli.api_key_invalid`, `cli.file_unreadable`
 */
export function readApiKey(file: string | undefined, terminal: Terminal): string {
  const variable = VARIABLES.find((name) => terminal.env[name]);
  if (file === undefined && variable === undefined) {
    throw lacking(
      new CliError('cli.no_api_key', 'no key for the dashboard', {
        expected: `${VARIABLES[0]} in the environment, or --api-key-file FILE`,
      }),
    );
  }
  const text = file === undefined ? (terminal.env[variable as string] as string) : readKeyFile(file, terminal);
  const key = text.trim();
  if (KEY.test(key)) return key;
  throw new CliError('cli.api_key_invalid', 'the key of the dashboard is not valid', {
    checked: file ?? (variable as string),
    expected: '8 to 512 printable ASCII characters without spaces',
    found: `${key.length} characters`,
  });
}

function readKeyFile(file: string, terminal: Terminal): string {
  try {
    const stats = statSync(file);
    if (stats.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    if (stats.isFile() && (stats.mode & OTHERS_MAY_READ) !== 0) {
      terminal.stderr.write(`warning: others can read ${oneLine(file)} (chmod 600)\n`);
    }
    // A pipe (<(secret-tool …)) has no size.
    return readFileSync(file).subarray(0, MAX_KEY_BYTES).toString('utf8');
  } catch (cause) {
    // Without its cause: it may hold what was read.
    throw unreadableSecret('--api-key-file', file, cause);
  }
}
