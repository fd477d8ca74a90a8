import { isJsonObject, type JsonObject } from '@colophon/json';
import { parseLogEntryId } from '@colophon/notation';
import { eachAtOnce } from '@colophon/peer';
import { DEFAULT_SEARCH_LIMIT, LogClient, LogError, type LoggedEntry, SEARCHED_DIGESTS } from '@colophon/sigstore';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { artifactDigest, digestFlag } from '../../artifact-digest/artifact-digest.ts';
import { CliError, withFacts } from '../../cli-error/cli-error.ts';
import {
  type Column,
  columnTable,
  type TableView,
  type WideFlag,
  wideOption,
} from '../../column-table/column-table.ts';
import { knownIssuerUrl } from '../../home/issuer-url.ts';
import { restartOf } from '../../home/own-server.ts';
import { upLine } from '../../home/up-line.ts';
import { example } from '../../program/example.ts';
import { withNeeds } from '../../program/needs.ts';
import { dataFlag, outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { parseServiceUrl } from '../../service-url/service-url.ts';
import { withRoot } from '../../signer-words/signer-words.ts';
import { formatTable, manyLines, shortId } from '../../terminal/terminal.ts';
import { type TrustFlags, trustMaterial, withTrust } from '../../trust/trust.ts';
import type { LogGetResult, LogSearchResult } from './log-result.ts';

type LogFlags = TrustFlags & { readonly rekorUrl?: string; readonly output: OutputFormat };
type SearchFlags = LogFlags & { readonly sha?: string; readonly artifact?: string; readonly limit: number } & WideFlag;
type GetFlags = LogFlags & { readonly logIndex?: string; readonly uuid?: string };

function withLog(command: Command): Command {
  return withTrust(command)
    .option('--rekor-url <url>', 'transparency log (default: of the data folder)', parseServiceUrl)
    .addOption(
      new Option('--rekor_server <url>', 'the same, under its rekor-cli name')
        .argParser(parseServiceUrl)
        // Two names for one thing are one flag given twice.
        .conflicts('rekorUrl'),
    )
    .addOption(outputOption());
}

/** `colophon log search`: entries by digest, each proven against the pinned key of the log. */
export function defineSearch(command: Command, session: Session): void {
  command.addHelpText('after', example('colophon log search --artifact change.patch'));
  withNeeds(withLog(command), { what: 'the artifact that entries are about', oneOf: ['--sha', '--artifact'] })
    .option('--sha <digest>', 'digest of the artifact: hex, base64, sha256:HEX, sha256-BASE64 or IMAGE@sha256:HEX')
    .option('--artifact <file-or-digest>', 'the artifact itself, or its digest')
    .option('--limit <count>', 'entries that are read at most, the oldest ones', parseLimit, DEFAULT_SEARCH_LIMIT)
    .addOption(wideOption())
    .action(async (flags: SearchFlags, command: Command) => {
      const digest = await digestOf(flags);
      const record = await read(flags, command, session, digest, async (client): Promise<LogSearchResult> => {
        const { uuids, more } = await client.searchByDigest(digest, { limit: flags.limit });
        const entries = await eachAtOnce(uuids, (uuid) => client.entryByUuid(uuid, { about: digest }));
        return { ok: true, entries: entries.sort((a, b) => a.log_index - b.log_index), more };
      });
      if (record.entries.length === 0) {
        throw new CliError('cli.entry_not_found', 'the log knows no entry about this artifact', {
          checked: digest,
        });
      }
      const view = { terminal: session.terminal, wide: flags.wide };
      printResult(session.terminal, flags.output, record, (found) => describeSearch(found, view));
    });
}

/** `colophon log get`: an entry by its index or id, proven against the pinned key of the log. */
export function defineGet(command: Command, session: Session): void {
  command.addHelpText('after', example('colophon log get --log-index 0'));
  withNeeds(withLog(command), { what: 'the entry', oneOf: ['--log-index', '--uuid'] })
    .option('--log-index <index>', 'index, as bundles show it')
    .option('--uuid <id>', 'id, as the JSON of the search has it')
    .action(async (flags: GetFlags, command: Command) => {
      const { logIndex } = flags;
      const uuid = flags.uuid?.toLowerCase();
      const isIndex = uuid === undefined && /^\d{1,15}$/.test(logIndex ?? '');
      const isUuid = logIndex === undefined && parseLogEntryId(uuid ?? '') !== undefined;
      if (!isIndex && !isUuid) throw noEntry(flags);
      const checked = uuid ?? `index ${logIndex}`;
      const entry = await read(flags, command, session, checked, async (client): Promise<LogGetResult> => {
        const found = await (uuid === undefined ? client.entryByIndex(Number(logIndex)) : client.entryByUuid(uuid));
        const statement = found.kind === 'intoto' ? await client.statementByUuid(found.uuid) : undefined;
        return {
          ok: true,
          ...found,
          ...(isJsonObject(statement ?? null) ? { attestation: statement as JsonObject } : {}),
        };
      });
      printResult(
        session.terminal,
        flags.output,
        entry,
        (found) => `${describeEntry(found)}\n${documentsOf(found).join('\n')}\n`,
      );
    });
}

/** The body, and the statement that the log keeps beside it. */
function documentsOf({ body, attestation }: LogGetResult): readonly string[] {
  return [body, ...(attestation === undefined ? [] : [attestation])].map((one) =>
    manyLines(JSON.stringify(one, null, 2)),
  );
}

function noEntry({ logIndex, uuid }: GetFlags): CliError {
  const isBoth = logIndex !== undefined && uuid !== undefined;
  const flag = logIndex === undefined ? '--uuid' : '--log-index';
  return new CliError(
    'cli.usage',
    isBoth ? 'an entry has one name' : `${flag} is no ${logIndex === undefined ? 'id' : 'index'} of an entry`,
    {
      ...(isBoth ? {} : { checked: flag }),
      expected: '--log-index NUMBER, or --uuid with 64 or 80 hex digits',
      found: isBoth ? 'both' : (logIndex ?? uuid ?? ''),
    },
  );
}

async function read<T>(
  flags: LogFlags & { rekor_server?: string },
  command: Command,
  session: Session,
  checked: string,
  work: (client: LogClient) => Promise<T>,
): Promise<T> {
  const rekorUrl = flags.rekorUrl ?? flags.rekor_server ?? knownIssuerUrl(session.env, dataFlag(command));
  if (rekorUrl === undefined) {
    throw new CliError('cli.no_signing_services', 'no log is known', {
      expected: '--rekor-url URL',
      next: upLine(dataFlag(command)),
    });
  }
  const { trust, file, history } = await trustMaterial(flags, command, session);
  return withFacts({ checked: `${checked} in ${rekorUrl}`, trust: file }, async () => {
    const found = await work(new LogClient({ rekorUrl, trust })).catch((error: unknown) => {
      const isSilent = error instanceof LogError && error.code === 'log.unavailable' && error.status === undefined;
      if (!isSilent) throw error;
      return withFacts(restartOf(session.env, dataFlag(command), rekorUrl), () => Promise.reject(error));
    });
    await history.settle();
    return found;
  });
}

async function digestOf({ sha, artifact }: SearchFlags): Promise<string> {
  if (artifact !== undefined && sha !== undefined) {
    throw new CliError('cli.usage', 'a search is for one artifact: give one of --sha and --artifact', {
      expected: '--sha DIGEST, or --artifact with a file or a digest',
      found: 'both',
    });
  }
  return artifact === undefined
    ? digestFlag('--sha', sha ?? '', SEARCHED_DIGESTS)
    : artifactDigest('--artifact', artifact, SEARCHED_DIGESTS);
}

/** @throws InvalidArgumentError */
function parseLimit(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('A whole number from 1 to 9999999 is expected.');
}

function describeSearch({ entries, more }: LogSearchResult, view: TableView): string {
  const rest = more ? `more entries than these ${entries.length}, all of them later: --limit reads them too\n` : '';
  return describeEntries(entries, view) + rest;
}

type ShownEntry = Omit<LoggedEntry, 'body'>;

const COLUMNS: readonly Column[] = [
  { heading: 'INDEX', rank: 1 },
  { heading: 'TIME', rank: 3 },
  { heading: 'KIND', rank: 2 },
  { heading: 'SIGNER', rank: 1, shortest: 24 },
  { heading: 'UUID', rank: 4 },
];

function describeEntries(entries: readonly ShownEntry[], view: TableView): string {
  const rows = entries.map((entry) => [
    String(entry.log_index),
    timeOf(entry),
    entry.kind,
    signersOf(entry),
    entry.uuid,
  ]);
  return columnTable(COLUMNS, rows, view) + claimNote(entries);
}

function describeEntry(entry: ShownEntry): string {
  const { log_index: logIndex, kind, version, tree_size: treeSize } = entry;
  const table = formatTable([
    ['index', String(logIndex)],
    ['uuid', entry.uuid],
    ['time', timeOf(entry)],
    ['kind', `${kind} ${version}`],
    ['signer', signersOf(entry)],
    ['proven', `in a tree of ${treeSize}`],
  ]);
  return table + claimNote([entry]);
}

function timeOf({ integrated_at: integratedAt }: ShownEntry): string {
  return integratedAt.replace('.000Z', 'Z');
}

function signersOf({ signers }: ShownEntry): string {
  return signers.length === 0 ? 'unknown' : signers.map(signerWords).join(', ');
}

function signerWords({ subject, trusted, root, key_digest: keyDigest }: LoggedEntry['signers'][number]): string {
  if (subject === undefined) return `key ${shortId(keyDigest ?? '')}`;
  return trusted ? withRoot(subject, root) : `claimed: ${subject}`;
}

function claimNote(entries: readonly ShownEntry[]): string {
  const isClaimed = entries.some(({ signers }) => signers.some(({ subject, trusted }) => subject && !trusted));
  return isClaimed ? 'claimed: the certificate is not from an authority in the trusted root\n' : '';
}
