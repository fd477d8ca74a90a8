import { decodeBase64 } from '@colophon/encoding';
import { isJsonObject, type JsonValue, parseStrictJson } from '@colophon/json';
import { askPeer, isPassing, NoAnswer, peerReason, shownAddress, underBase } from '@colophon/peer';
import { ReconciliationError } from '../reconciliation-error/reconciliation-error.ts';
import { parseTreeHead, type TreeHead } from './tree-head.ts';

/** How a log is asked. */
export type CtClientOptions = {
  /** `/ct/v1/…` comes behind it. */
  readonly url: string;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Of one request; 20,000. */
  readonly timeoutMs?: number | undefined;
  /** How often a request is repeated when nobody answered; 2. */
  readonly retries?: number | undefined;
};

/** Entries that are asked for at once; a log may answer with fewer. */
const MOST_ENTRIES = 256;
/** 256 entries with chains of five certificates. */
const MOST_ANSWER_BYTES = 32 * 1024 * 1024;
const DEFAULT_TIMEOUT_MS = 20_000;
const DEFAULT_RETRIES = 2;
const FIRST_PAUSE_MS = 200;

/** Asks a certificate log by RFC 6962 §4. What it answers is read and not verified. */
export class CtClient {
  readonly #options: CtClientOptions;

  constructor(options: CtClientOptions) {
    this.#options = options;
  }

  /** @throws ReconciliationError `reconciliation.log_unavailable`, `reconciliation.answer_invalid` */
  async treeHead(): Promise<TreeHead> {
    const head = parseTreeHead(await this.#ask('get-sth'));
    if (head === undefined) throw invalid('no signed tree head');
    return head;
  }

  /** Leaves from `start` on, one or more, below `end`. @throws ReconciliationError as {@link treeHead} */
  async leaves(start: number, end: number): Promise<readonly Uint8Array[]> {
    const last = Math.min(end, start + MOST_ENTRIES) - 1;
    const answer = await this.#ask(`get-entries?start=${start}&end=${last}`);
    const { entries } = isJsonObject(answer) ? answer : {};
    if (!Array.isArray(entries) || entries.length === 0 || entries.length > last - start + 1) {
      throw invalid(`no list of entries from ${start} to ${last}`);
    }
    return entries.map((entry: JsonValue) => leafIn(entry));
  }

  /** The last leaf of the tree of `size` leaves, and its audit path in it. @throws ReconciliationError as {@link treeHead} */
  async lastLeaf(size: number): Promise<{ readonly leaf: Uint8Array; readonly path: readonly Uint8Array[] }> {
    const answer = await this.#ask(`get-entry-and-proof?leaf_index=${size - 1}&tree_size=${size}`);
    const { audit_path: path } = isJsonObject(answer) ? answer : {};
    const hashes = Array.isArray(path) ? path.map((hash: JsonValue) => bytesIn(hash)) : [undefined];
    if (hashes.includes(undefined)) throw invalid('no proof of an entry');
    return { leaf: leafIn(answer), path: hashes as Uint8Array[] };
  }

  async #ask(path: string): Promise<JsonValue> {
    const { url, fetch, timeoutMs = DEFAULT_TIMEOUT_MS, retries = DEFAULT_RETRIES } = this.#options;
    const address = underBase(url, `/ct/v1/${path}`);
    const retry = { times: retries, firstPauseMs: FIRST_PAUSE_MS, isPassing };
    const limits = { fetch, timeoutMs, mostBytes: MOST_ANSWER_BYTES, retry };
    const answer = await askPeer(address, { headers: { accept: 'application/json' } }, limits).catch(silent);
    if (!answer.isOk) {
      throw unavailable(`${shownAddress(address)}, ${answer.status}: ${peerReason(answer.body)}`);
    }
    const parsed = parseStrictJson(answer.body, { maxBytes: answer.body.length, maxDepth: 8 });
    if (!parsed.ok) throw invalid('no JSON');
    return parsed.value;
  }
}

function silent(error: unknown): never {
  if (!(error instanceof NoAnswer)) throw error;
  throw unavailable(`it did not answer: ${error.message}`);
}

function unavailable(reason: string) {
  return new ReconciliationError('reconciliation.log_unavailable', `the certificate log cannot be read: ${reason}`);
}

function invalid(reason: string) {
  return new ReconciliationError(
    'reconciliation.answer_invalid',
    `the certificate log answered with something else: ${reason}`,
  );
}

function leafIn(entry: JsonValue): Uint8Array {
  const leaf = isJsonObject(entry) ? bytesIn(entry['leaf_input']) : undefined;
  if (leaf === undefined) throw invalid('an entry without leaf');
  return leaf;
}

function bytesIn(value: JsonValue | undefined): Uint8Array | undefined {
  return typeof value === 'string' ? decodeBase64(value) : undefined;
}
