import { statSync } from 'node:fs';
import { objectOf, textOf } from '../scanner-output/members.ts';
import { utcTime } from '../scanner-output/utc-time.ts';

/** Every scanner that can be run, the one that is taken first before others. */
export const SCANNER_NAMES = ['osv-scanner', 'grype', 'trivy'] as const;
/** One of {@link SCANNER_NAMES}. */
export type ScannerName = (typeof SCANNER_NAMES)[number];

/** What a scanner is asked about itself. */
export type Question = {
  readonly args: readonly string[];
  read(answer: string): { readonly version?: unknown; readonly databaseBuiltAt?: unknown };
};

/** What is known of a run that ended well. */
export type EndedRun = { readonly stderr: string; readonly startedAt: string };

/** A program that looks up the components of an SBOM or an image. */
export type ScannerProgram = {
  /** How people get it. */
  readonly install: string;
  readonly questions: readonly Question[];
  /** @param file the SBOM, absolute and by a name of ours */
  sbomArgs(file: string, more: readonly string[]): readonly string[];
  imageArgs(reference: string, more: readonly string[]): readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** By exit code: what it means where it is not 0. Every other code is a failure. */
  readonly exits: ReadonlyMap<number, 'found' | 'nothing to scan'>;
  /** When the database is from, where only the run itself tells. */
  databaseBuiltAt?(run: EndedRun): string | undefined;
};

/**
 * How each is called: in an empty folder, because all three obey a configuration file or a list of exceptions that lies
 * where they are started, and with a plain `--` before what comes from outside. None is told to be quiet: grype and trivy
 * then say nothing of why they fail, either.
 */
export const SCANNERS: Readonly<Record<ScannerName, ScannerProgram>> = {
  'osv-scanner': {
    install: 'https://google.github.io/osv-scanner/installation/',
    questions: [{ args: ['--version'], read: (answer) => ({ version: /version:\s*(\S+)/.exec(answer)?.[1] }) }],
    sbomArgs: (file, more) => ['scan', 'source', '--format', 'json', ...more, '--lockfile', file],
    imageArgs: (reference, more) => ['scan', 'image', '--format', 'json', ...more, '--', reference],
    env: {},
    exits: new Map([
      [1, 'found'],
      [128, 'nothing to scan'],
    ]),
    databaseBuiltAt: ({ stderr, startedAt }) => {
      const files = [...stderr.matchAll(/^Loaded .+ local db from (.+)$/gm)].map(([, file]) => file as string);
      // Its service answers with what it knows at that moment.
      return files.length === 0 ? startedAt : oldestFile(files);
    },
  },
  grype: {
    install: 'https://github.com/anchore/grype#installation',
    questions: [
      { args: ['version', '-o', 'json'], read: (answer) => ({ version: members(answer)['version'] }) },
      { args: ['db', 'status', '-o', 'json'], read: (answer) => ({ databaseBuiltAt: members(answer)['built'] }) },
    ],
    sbomArgs: (file, more) => ['--output', 'json', ...more, '--', `sbom:${file}`],
    imageArgs: (reference, more) => ['--output', 'json', ...more, '--', reference],
    env: { GRYPE_CHECK_FOR_APP_UPDATE: 'false' },
    // What `--fail-on` ends with.
    exits: new Map([[2, 'found']]),
  },
  trivy: {
    install: 'https://trivy.dev/docs/latest/getting-started/installation/',
    questions: [
      {
        args: ['version', '--format', 'json'],
        read: (answer) => {
          const { Version: version, VulnerabilityDB: database } = members(answer);
          return { version, databaseBuiltAt: objectOf(database)['UpdatedAt'] };
        },
      },
    ],
    sbomArgs: (file, more) => ['sbom', '--format', 'json', ...more, '--', file],
    imageArgs: (reference, more) => ['image', '--format', 'json', ...SCANS, ...more, '--', reference],
    // By environment, because older versions end at a flag that they do not know.
    env: { TRIVY_NO_PROGRESS: 'true', TRIVY_SKIP_VERSION_CHECK: 'true', TRIVY_DISABLE_TELEMETRY: 'true' },
    exits: new Map(),
  },
};

/** Not for secrets, which it looks for in images by itself. */
const SCANS = ['--scanners', 'vuln'];

function members(answer: string): Readonly<Record<string, unknown>> {
  try {
    return objectOf(JSON.parse(answer));
  } catch {
    return {};
  }
}

/** When the oldest of the databases was written here: what is in it is not newer than that. */
function oldestFile(files: readonly string[]): string | undefined {
  try {
    const oldest = Math.min(...files.map((file) => statSync(file).mtimeMs));
    return textOf(utcTime(new Date(oldest).toISOString()));
  } catch {
    return undefined;
  }
}
