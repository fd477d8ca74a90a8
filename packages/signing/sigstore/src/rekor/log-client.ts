import { isJsonObject, type JsonObject, type JsonValue, parseStrictJson } from '@colophon/json';
import { hashLeaf } from '@colophon/merkle';
import { type DigestAlgorithm, parseHexDigest, parseLogEntryId } from '@colophon/notation';
import { type PeerAnswer, peerReason, shownAddress, underBase } from '@colophon/peer';
import { TransparencyLogEntry } from '@sigstore/protobuf-specs';
import { askService, type ServiceOptions, silenceOf } from '../service/ask-service.ts';
import type { TrustedLog, TrustMaterial } from '../trusted-root/trust-material.ts';
import { assertIncluded, verifyCheckpoint } from '../verify/log-inclusion.ts';
import { assertAbout } from './assert-about.ts';
import { attestationOf } from './log-attestation.ts';
import { bundleEntryOfV1 } from './log-entry-json.ts';
import { LogError } from './log-error.ts';
import { isPromised } from './log-promise.ts';
import type { LoggedEntry } from './log-result.ts';
import { certificatesOf, type LoggedCertificate, signersOf } from './log-signers.ts';

export type LogClientOptions = ServiceOptions & {
  /** Of a Rekor v1. */
  readonly rekorUrl: string;
  /** Where the log's key is pinned. */
  readonly trust: TrustMaterial;
};

/** What a search found, the oldest entries first; `more` where the log has more than were asked for. */
export type FoundEntries = { readonly uuids: readonly string[]; readonly more: boolean };

/** One tree of a log, under a checkpoint that the log's pinned key signed. */
export type LogTree = { readonly size: number; readonly root: Uint8Array; readonly logId: Uint8Array };

/** Ids that a search asks for where nothing else is said. */
export const DEFAULT_SEARCH_LIMIT = 10_000;

/** The digests that Rekor's index takes. */
export const SEARCHED_DIGESTS: readonly DigestAlgorithm[] = ['sha256', 'sha512', 'sha1'];

/** Trees that a log had before: Rekor's public log has two. */
const MOST_SHARDS = 100;

const INDEX = '/api/v1/index/retrieve';

/** Reads a transparency log, and believes nothing that the log's pinned key does not vouch for. */
export class LogClient {
  readonly #options: LogClientOptions;

  constructor(options: LogClientOptions) {
    this.#options = options;
  }

  /**
   * Looks for entries about an artifact. The log's index is not proven: it may leave entries out, so each id must be
   * read with entryByUuid, and an empty answer says little.
   * A log of ours answers in pages, which are all read up to `limit` ids; Rekor's own answer is the whole list.
   * @param digest `sha256:`, `sha512:` or `sha1:` and hex digits, or the hex digits of a SHA-256.
   * @throws LogError `log.unavailable`, `log.refused`, `log.answer_invalid`
   * @throws TypeError for something that is no digest
   * @see contract §4.5
   */
  async searchByDigest(
    digest: string,
    { limit = DEFAULT_SEARCH_LIMIT }: { readonly limit?: number } = {},
  ): Promise<FoundEntries> {
    const hash = (digest.includes(':') ? digest : `sha256:${digest}`).toLowerCase();
    const { algorithm } = parseHexDigest(hash) ?? {};
    if (algorithm === undefined || !SEARCHED_DIGESTS.includes(algorithm))
      throw new TypeError('a log is searched by SHA-256, SHA-512 or SHA-1');
    const uuids: string[] = [];
    for (let after: number | undefined; ; ) {
      const path: string = after === undefined ? INDEX : `${INDEX}?after=${after}`;
      const { value: page, link } = await this.#ask(path, { hash });
      if (!Array.isArray(page) || !page.every(isUuid)) throw invalid('no list of entry ids');
      uuids.push(...(page as string[]));
      const next = nextPage(link);
      if (next === undefined || uuids.length >= limit) {
        return { uuids: uuids.slice(0, limit), more: next !== undefined || uuids.length > limit };
      }
      // Pages go forward, or a log could keep its reader for ever.
      if (page.length === 0 || next <= (after ?? -1)) throw invalid('a page that leads nowhere');
      after = next;
    }
  }

  /**
   * @param logIndex the index that bundles and the command line show.
   * @throws LogError `log.not_found`, and all others of its codes
   * @throws TypeError for something that is no index
   */
  async entryByIndex(logIndex: number): Promise<LoggedEntry> {
    requireIndex(logIndex);
    const entry = this.#verified((await this.#ask(`/api/v1/log/entries?logIndex=${logIndex}`)).value);
    if (entry.log_index === logIndex) return entry;
    throw new LogError('log.entry_mismatch', `the log answered with entry ${entry.log_index}, not ${logIndex}`);
  }

  /**
   * The trees that the log is made of now, the oldest first: its indexes run through all of them. An older head than
   * the newest one is signed too, and not told apart from it.
   * @throws LogError `log.unavailable`, `log.refused`, `log.answer_invalid`, `log.untrusted`
   */
  async trees(): Promise<readonly LogTree[]> {
    const { value } = await this.#ask('/api/v1/log');
    const { inactiveShards: listed, ...active } = isJsonObject(value) ? value : {};
    // Rekor's own server says null where it has no other tree.
    const inactiveShards = listed ?? [];
    if (!Array.isArray(inactiveShards) || inactiveShards.length > MOST_SHARDS) throw invalid('no list of shards');
    return [...inactiveShards, active].map((tree: JsonValue) => this.#tree(tree));
  }

  /**
   * Every certificate that an entry names as its signer's, read in the place that the index demands: a log that leaves an
   * entry out cannot answer with another.
   * @param leafIndex the leaf that the entry is in its tree
   * @throws LogError and TypeError as {@link entryByIndex}
   */
  async certificatesByIndex(logIndex: number, leafIndex: number): Promise<readonly LoggedCertificate[]> {
    requireIndex(logIndex);
    const { entry, body } = this.#proven((await this.#ask(`/api/v1/log/entries?logIndex=${logIndex}`)).value);
    if (Number(entry.logIndex) !== logIndex || Number(entry.inclusionProof?.logIndex) !== leafIndex) {
      throw new LogError('log.entry_mismatch', `the log answered with another entry than ${logIndex}`);
    }
    return certificatesOf(body, this.#options.trust);
  }

  /**
   * @param about the digest from which a search led to the entry: what the entry has a digest of must have this one
   * @throws LogError `log.not_found`, and all others of its codes
   * @throws TypeError for something that is no id
   */
  async entryByUuid(uuid: string, { about }: { readonly about?: string } = {}): Promise<LoggedEntry> {
    const id = parseLogEntryId(uuid);
    if (id === undefined) throw new TypeError('an entry id is 64 or 80 hex digits');
    const entry = this.#verified((await this.#ask(`/api/v1/log/entries/${uuid}`)).value);
    if (parseLogEntryId(entry.uuid)?.leafHash !== id.leafHash) {
      throw new LogError('log.entry_mismatch', 'the log answered with another entry');
    }
    if (about !== undefined) assertAbout(entry, about);
    return entry;
  }

  /**
   * The statement that the log keeps beside an `intoto` entry, held against its hash in the entry; undefined where it keeps none.
   * @throws LogError and TypeError as {@link entryByUuid}
   */
  async statementByUuid(uuid: string): Promise<JsonValue | undefined> {
    const id = parseLogEntryId(uuid);
    if (id === undefined) throw new TypeError('an entry id is 64 or 80 hex digits');
    const { value } = await this.#ask(`/api/v1/log/entries/${uuid}`);
    const { uuid: found, body } = this.#proven(value);
    if (parseLogEntryId(found)?.leafHash === id.leafHash) return attestationOf(value, body);
    throw new LogError('log.entry_mismatch', 'the log answered with another entry');
  }

  #tree(value: JsonValue): LogTree {
    const { treeSize, signedTreeHead } = isJsonObject(value) ? value : {};
    if (typeof signedTreeHead !== 'string') throw invalid('no signed tree head');
    for (const log of this.#options.trust.logs) {
      const { size, root } = orUndefined(() => verifyCheckpoint(signedTreeHead, log)) ?? {};
      if (size === undefined || root === undefined) continue;
      if (size === treeSize) return { size, root, logId: log.logId };
      throw invalid('a tree of another size than its signed head');
    }
    throw new LogError('log.untrusted', "the log's signed tree head is by no key in the trusted root");
  }

  #verified(answer: JsonValue): LoggedEntry {
    const { uuid, entry, log, body } = this.#proven(answer);
    return {
      uuid,
      log_index: Number(entry.logIndex),
      log_id: Buffer.from(log.logId).toString('hex'),
      integrated_at: new Date(Number(entry.integratedTime) * 1000).toISOString(),
      kind: entry.kindVersion?.kind ?? '',
      version: entry.kindVersion?.version ?? '',
      tree_size: Number(entry.inclusionProof?.treeSize),
      signers: signersOf(entry, body, this.#options.trust),
      body,
    };
  }

  #proven(answer: JsonValue): { uuid: string; entry: TransparencyLogEntry; log: TrustedLog; body: JsonValue } {
    const found = isJsonObject(answer) ? bundleEntryOfV1(answer) : undefined;
    const id = found && parseLogEntryId(found.uuid);
    if (found === undefined || id === undefined) throw invalid('no log entry with promise and proof');
    const entry = TransparencyLogEntry.fromJSON(found.entry);
    if (Buffer.from(hashLeaf(entry.canonicalizedBody)).toString('hex') !== id.leafHash) {
      throw new LogError('log.entry_mismatch', "the entry's id is not the hash of its body");
    }
    const log = this.#logOf(entry);
    if (!isPromised(entry, log)) throw new LogError('log.promise_invalid', 'the promise is not signed by the log');
    try {
      assertIncluded(entry.canonicalizedBody, entry.inclusionProof as NonNullable<typeof entry.inclusionProof>, log);
    } catch (cause) {
      throw new LogError('log.proof_invalid', (cause as Error).message, { cause });
    }
    const body = JSON.parse(entry.canonicalizedBody.toString()) as JsonValue;
    return { uuid: found.uuid, entry, log, body };
  }

  #logOf(entry: TransparencyLogEntry): TrustedLog {
    const id = entry.logId?.keyId ?? Buffer.alloc(0);
    const log = this.#options.trust.logs.find(({ logId }) => Buffer.compare(logId, id) === 0);
    if (log !== undefined) return log;
    throw new LogError('log.untrusted', `the key of log ${id.toString('hex')} is not in the trusted root`);
  }

  async #ask(path: string, body?: JsonObject): Promise<{ value: JsonValue; link: string | null }> {
    const url = underBase(this.#options.rekorUrl, path);
    let answer: PeerAnswer;
    try {
      answer = await askService(url, body, this.#options);
    } catch (error) {
      throw new LogError('log.unavailable', `the transparency log cannot be reached: ${silenceOf(url, error)}`);
    }
    const { status } = answer;
    if (!answer.isOk) {
      const said = `${shownAddress(url)}, ${status}: ${peerReason(answer.body)}`;
      if (status === 404) throw new LogError('log.not_found', `the log has no such entry (${said})`, { status });
      const isDown = status >= 500 || status === 429 || status === 408;
      throw new LogError(isDown ? 'log.unavailable' : 'log.refused', `the log did not answer (${said})`, { status });
    }
    const parsed = parseStrictJson(answer.body, { maxBytes: answer.body.length, maxDepth: 32 });
    if (!parsed.ok) throw invalid('no JSON');
    return { value: parsed.value, link: answer.headers.get('link') };
  }
}

/** @throws TypeError */
function requireIndex(logIndex: number): void {
  if (!Number.isSafeInteger(logIndex) || logIndex < 0) throw new TypeError('a log index is a whole number');
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** The log index that the next page comes after. Of the address in the header nothing else is used. */
function nextPage(link: string | null): number | undefined {
  const after = /[?&]after=(\d{1,15})(?:&[^>]*)?>\s*;\s*rel="?next"?/i.exec(link ?? '')?.[1];
  return after === undefined ? undefined : Number(after);
}

function isUuid(value: unknown): value is string {
  return typeof value === 'string' && parseLogEntryId(value) !== undefined;
}

function invalid(reason: string): LogError {
  return new LogError('log.answer_invalid', `the log answered with something else: ${reason}`);
}
