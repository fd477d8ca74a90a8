import { createPublicKey, type KeyObject } from 'node:crypto';
import { frozenCtPath } from '@colophon/authority';
import { ctLog, reconcile, rekorLog } from '@colophon/reconciliation';
import type { ReconciliationResult } from '@colophon/reconciliation/result';
import { readInstallation } from '@colophon/server/data-folder';
import { frozenFile, ledgerRestores, logsRestores, openFrozenLogs } from '@colophon/server/restore';
import { LogError, rootsOfIssuer } from '@colophon/sigstore';
import { type Database, LedgerStore, MerkleLogStore, openDatabase } from '@colophon/store';
import { type Command, InvalidArgumentError } from 'commander';
import { CliError, withFacts } from '../../cli-error/cli-error.ts';
import {
  type Column,
  columnTable,
  type TableView,
  type WideFlag,
  wideOption,
} from '../../column-table/column-table.ts';
import { requireDatabase } from '../../database/database.ts';
import { EXIT } from '../../exit-code/exit-code.ts';
import { dataFolder } from '../../home/home.ts';
import { ownNamespace } from '../../home/namespace.ts';
import { restartOf } from '../../home/own-server.ts';
import { upLine } from '../../home/up-line.ts';
import { example } from '../../program/example.ts';
import { dataFlag, outputOption, type Session } from '../../program/program.ts';
import { readPublicKey } from '../../public-key/public-key.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { parseServiceUrl } from '../../service-url/service-url.ts';
import { counted } from '../../terminal/terminal.ts';
import { type TrustFlags, trustMaterial, withTrust } from '../../trust/trust.ts';

type Flags = TrustFlags & {
  readonly ctLogUrl?: string | undefined;
  readonly ctLogKey?: string;
  readonly rekorUrl?: string;
  readonly start?: number;
  readonly startRoot?: Uint8Array;
  readonly output: OutputFormat;
} & WideFlag;

/** `colophon ledger reconcile`: certificates in logs, held against the ledger. Reads only. */
export function defineReconcile(command: Command, session: Session): void {
  withTrust(command)
    .addHelpText('after', example('colophon ledger reconcile', 'colophon ledger reconcile --start 2'))
    .option('--ct-log-url <url>', 'certificate log, RFC 6962 (default: of the data folder)', parseServiceUrl)
    .option('--ct-log-key <file>', 'public key of the certificate log (default: of the trusted root)')
    .option('--rekor-url <url>', 'transparency log, Rekor v1, to read instead or too', parseServiceUrl)
    .option('--start <index>', 'first entry to read: tree_size of the last reading (default: 0)', parseIndex)
    .option(
      '--start-root <hash>',
      'root_hash of the last reading: a log whose entries before --start differ is refused',
      parseRoot,
    )
    .addOption(outputOption())
    .addOption(wideOption())
    .action(async (flags: Flags, command: Command) => {
      const result = await run(flags, command, session);
      const view = { terminal: session.terminal, wide: flags.wide };
      printResult(session.terminal, flags.output, result, (found) => describe(found, view));
      if (!result.ok) session.setExitCode(EXIT.overThreshold);
    });
}

async function run(flags: Flags, command: Command, session: Session): Promise<ReconciliationResult> {
  requireOneStart(flags);
  const { env } = session;
  const data = dataFlag(command);
  const dataDir = dataFolder(env, data);
  const file = requireDatabase(dataDir, data);
  // That of the ledger, whatever issuer is asked for tokens.
  const issuer = readInstallation(dataDir)?.issuer_url;
  if (issuer === undefined) {
    throw new CliError('cli.no_issuer', 'the data folder does not say whose ledger it has', {
      checked: dataDir,
      next: upLine(data),
    });
  }
  const { claimArc } = ownNamespace(env, data);
  const ctLogUrl = flags.ctLogUrl ?? (flags.rekorUrl === undefined ? issuer : undefined);
  const opened: Database[] = [];
  const open = (path: string) => {
    const db = openDatabase(path, { readonly: true });
    opened.push(db);
    return db;
  };
  try {
    const db = open(file);
    const isWhole = flags.ctLogUrl === undefined && flags.rekorUrl === undefined && flags.start === undefined;
    const { readings: asked, trust, settle } = await readingsOf({ ...flags, ctLogUrl }, issuer, command, session);
    const readings = [...asked, ...(isWhole ? frozenReadings(db, dataDir, issuer, opened) : [])];
    // Tokens of before a restore have their rows in a ledger that was frozen.
    const frozen = ledgerRestores(db).map((restore) => frozenFile(dataDir, restore));
    const ledgers = [db, ...frozen.flatMap((path) => (path === undefined ? [] : [open(path)]))];
    const stores = ledgers.map((one) => new LedgerStore(one));
    const findRow = (jti: string) => stores.map((rows) => rows.findByJti(jti)).find((row) => row !== undefined);
    const book = { issuer, claimArc, findRow };
    const checked = readings.map(({ url }) => url).join(', ');
    return await withFacts({ checked, trust }, async () => {
      const result = await reconcile(book, readings).catch((error: unknown) => {
        const url = isSilent(error) ? (ctLogUrl ?? flags.rekorUrl) : undefined;
        if (url === undefined) throw error;
        return withFacts(restartOf(env, data, url), () => Promise.reject(error));
      });
      await settle();
      return result;
    });
  } finally {
    for (const db of opened) db.close();
  }
}

/** The certificate logs that a restore froze and of which something is left, as the server of the data folder shows them. */
function frozenReadings(db: Database, dataDir: string, issuer: string, opened: Database[]) {
  const { frozen } = openFrozenLogs(dataDir, logsRestores(db), { readonly: true, opened: (one) => opened.push(one) });
  return frozen.flatMap(({ db: old, ctKey }) => {
    if (new MerkleLogStore(old, 'ct').head() === undefined) return [];
    const key = createPublicKey({ key: Buffer.from(ctKey), format: 'der', type: 'spki' });
    return [ctLog({ url: issuer + frozenCtPath(ctKey), keys: [key] })];
  });
}

async function readingsOf(flags: Flags, issuer: string, command: Command, session: Session) {
  const { ctLogUrl, ctLogKey, rekorUrl, start, startRoot } = flags;
  // A key that is given needs no root beside it; the certificates in a transparency log do.
  const rooted =
    rekorUrl === undefined && ctLogKey !== undefined ? undefined : await trustMaterial(flags, command, session);
  // What the root of another issuer certifies is none of this ledger's, and its logs say nothing of it.
  const roots = rooted === undefined ? [] : rootsOfIssuer(issuer, rooted.trust.roots);
  const [own, ...others] = roots;
  if (rooted !== undefined && own === undefined) {
    throw new CliError('cli.no_trusted_root', `no trusted root is for the issuer ${issuer}`, {
      checked: rooted.file,
      expected: `trust: { roots: [{ file: …, issuers: [${issuer}] }] }`,
    });
  }
  const readings = [];
  if (ctLogUrl !== undefined) {
    const keys =
      ctLogKey === undefined
        ? pinnedKeys(
            roots.flatMap(({ library }) => library.ctlogs),
            ctLogUrl,
          )
        : [await readPublicKey(ctLogKey)];
    readings.push(ctLog({ url: ctLogUrl, keys, start, startRoot }));
  }
  if (rekorUrl !== undefined && rooted !== undefined && own !== undefined) {
    readings.push(rekorLog({ rekorUrl, trust: { ...rooted.trust, roots: [own, ...others] }, start }));
  }
  const trust = [ctLogKey, rooted?.file].filter((name) => name !== undefined).join(', ');
  return { readings, trust, settle: async () => rooted?.history.settle() };
}

/** Of several pinned logs those with this address; where none has it, any: the same log may be read from a copy. */
function pinnedKeys(
  logs: ReadonlyArray<{ readonly baseURL: string; readonly publicKey: unknown }>,
  url: string,
): readonly KeyObject[] {
  const bare = (address: string) => address.replace(/\/+$/, '');
  const named = logs.filter(({ baseURL }) => bare(baseURL) === bare(url));
  return (named.length > 0 ? named : logs).map(({ publicKey }) => publicKey as KeyObject);
}

function requireOneStart({ ctLogUrl, rekorUrl, start, startRoot }: Flags): void {
  if (start !== undefined && ctLogUrl !== undefined && rekorUrl !== undefined) {
    throw new CliError('cli.usage', '--start counts the entries of one log', {
      expected: '--ct-log-url or --rekor-url beside --start',
      found: 'both',
    });
  }
  if (startRoot === undefined || (start !== undefined && rekorUrl === undefined)) return;
  throw new CliError('cli.usage', '--start-root is of the entries of a certificate log before --start', {
    expected: '--start beside it, and no --rekor-url',
  });
}

function isSilent(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return code === 'reconciliation.log_unavailable' || (error instanceof LogError && code === 'log.unavailable');
}

/** @throws InvalidArgumentError */
function parseIndex(text: string): number {
  if (/^(?:0|[1-9]\d{0,14})$/.test(text)) return Number(text);
  throw new InvalidArgumentError('A whole number from 0 on is expected.');
}

/** @throws InvalidArgumentError */
function parseRoot(text: string): Uint8Array {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  throw new InvalidArgumentError('64 hex digits are expected.');
}

const COLUMNS: readonly Column[] = [
  { heading: 'SERIAL', rank: 1 },
  { heading: 'FINDING', rank: 1 },
  { heading: 'CLAIMS', rank: 1, shortest: 12, isList: true },
  { heading: 'LEDGER', rank: 2, shortest: 16 },
  { heading: 'CERTIFICATE', rank: 2, shortest: 16 },
  { heading: 'LOG', rank: 3 },
  { heading: 'INDEX', rank: 3 },
  { heading: 'FIELD', rank: 4 },
];

function describe(
  { logs, agreeing_count, unvouched_count, findings, erased }: ReconciliationResult,
  view: TableView,
): string {
  const rows = findings.flatMap((finding) => {
    const differences = finding.differences.length === 0 ? [undefined] : finding.differences;
    return differences.map((difference) => [
      finding.serial_number,
      finding.code,
      difference?.claims.join(', ') ?? '',
      difference?.expected ?? '',
      difference?.found ?? '',
      finding.log,
      String(finding.log_index),
      difference?.field ?? '',
    ]);
  });
  const read = logs.map(({ log, url, start, tree_size, root_hash }) => {
    const until = start === tree_size ? 'no new entry' : `entries ${start} to ${tree_size - 1}`;
    return `${log} log ${url}: ${until}, root ${root_hash}\n`;
  });
  const wrong = counted(findings.length, 'certificate');
  const lines = [
    ...read,
    `${counted(agreeing_count, 'certificate')} as the ledger has it, ${wrong} not\n`,
    ...(erased.length === 0
      ? []
      : [`${counted(erased.length, 'certificate')} of erased rows: only the time was compared\n`]),
    ...(unvouched_count === 0
      ? []
      : [`${counted(unvouched_count, 'certificate')} of no pinned authority: anybody may write those\n`]),
  ];
  return (rows.length === 0 ? '' : columnTable(COLUMNS, rows, view)) + lines.join('');
}
