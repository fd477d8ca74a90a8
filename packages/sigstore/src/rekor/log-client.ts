import { hashLeaf } from '@colophon/merkle';
import { isJsonObject, type JsonObject, type JsonValue, type LogReference, parseStrictJson } from '@colophon/records';
import { TransparencyLogEntry } from '@sigstore/protobuf-specs';
import { askPeer, type PeerAnswer, type PeerOptions, peerReason, underBase, withoutSecrets } from '../peer/peer.ts';
import type { TrustedLog, TrustMaterial } from '../trusted-root/trust-material.ts';
import { assertIncluded } from '../verify/log-inclusion.ts';
import { bundleEntryOfV1 } from './log-entry-json.ts';
import { LogError } from './log-error.ts';
import { isPromised } from './log-promise.ts';

export type LogClientOptions = PeerOptions & {
  /** Of a Rekor v1. */
  readonly rekorUrl: string;
  /** Where the log's key is pinned. */
  readonly trust: TrustMaterial;
};

/** An entry whose inclusion proof, checkpoint and promise hold against the pinned key of its log. */
export type LoggedEntry = LogReference & {
  readonly uuid: string;
  readonly kind: string;
  readonly version: string;
  /** Leaves of the tree in which the entry was proven. */
  readonly treeSize: number;
  /** What was logged. The log vouches that it was handed in, not that it is true. */
  readonly body: JsonValue;
};

/** Reads a transparency log, and believes nothing that the log's pinned key does not vouch for. */
export class LogClient {
  readonly #options: LogClientOptions;

  constructor(options: LogClientOptions) {
    this.#options = options;
  }

  /**
   * Looks for entries about an artifact. The log's index is not proven: it may leave entries out, so each id must be
   * read with entryByUuid, and an empty answer says little.
   * @param sha256 hex, with or without `sha256:`.
   * @returns ids of entries.
   * @throws LogError `log.unavailable`, `log.refused`, `log.answer_invalid`
   * @throws TypeError for something that is no digest
   * @see contract §4.5
   */
  async searchByDigest(sha256: string): Promise<readonly string[]> {
    const hex = sha256.replace(/^sha256:/, '').toLowerCase();
    if (!/^[0-9a-f]{64}$/.test(hex)) throw new TypeError('a SHA-256 digest is 64 hex digits');
    const found = await this.#ask('/api/v1/index/retrieve', { hash: `sha256:${hex}` });
    if (!Array.isArray(found) || !found.every(isUuid)) throw invalid('no list of entry ids');
    return found as string[];
  }

  /**
   * @param logIndex the index that bundles and the command line show.
   * @throws LogError `log.not_found`, and all others of its codes
   * @throws TypeError for something that is no index
   */
  async entryByIndex(logIndex: number): Promise<LoggedEntry> {
    if (!Number.isSafeInteger(logIndex) || logIndex < 0) throw new TypeError('a log index is a whole number');
    const entry = this.#verified(await this.#ask(`/api/v1/log/entries?logIndex=${logIndex}`));
    if (entry.logIndex === logIndex) return entry;
    throw new LogError('log.entry_mismatch', `the log answered with entry ${entry.logIndex}, not ${logIndex}`);
  }

  /** @throws LogError `log.not_found`, and all others of its codes @throws TypeError for something that is no id */
  async entryByUuid(uuid: string): Promise<LoggedEntry> {
    if (!isUuid(uuid)) throw new TypeError('an entry id is 64 or 80 hex digits');
    const entry = this.#verified(await this.#ask(`/api/v1/log/entries/${uuid}`));
    // The id ends in the hash of the leaf; before it may stand the number of the tree.
    if (entry.uuid.slice(-64) === uuid.slice(-64)) return entry;
    throw new LogError('log.entry_mismatch', 'the log answered with another entry');
  }

  #verified(answer: JsonValue): LoggedEntry {
    const found = isJsonObject(answer) ? bundleEntryOfV1(answer) : undefined;
    if (found === undefined || !isUuid(found.uuid)) throw invalid('no log entry with promise and proof');
    const entry = TransparencyLogEntry.fromJSON(found.entry);
    if (Buffer.from(hashLeaf(entry.canonicalizedBody)).toString('hex') !== found.uuid.slice(-64)) {
      throw new LogError('log.entry_mismatch', "the entry's id is not the hash of its body");
    }
    const log = this.#logOf(entry);
    if (!isPromised(entry, log)) throw new LogError('log.promise_invalid', 'the promise is not signed by the log');
    try {
      assertIncluded(entry.canonicalizedBody, entry.inclusionProof as NonNullable<typeof entry.inclusionProof>, log);
    } catch (cause) {
      throw new LogError('log.proof_invalid', (cause as Error).message, { cause });
    }
    return {
      uuid: found.uuid,
      logIndex: Number(entry.logIndex),
      logId: Buffer.from(log.logId).toString('hex'),
      integratedAt: new Date(Number(entry.integratedTime) * 1000).toISOString(),
      kind: entry.kindVersion?.kind ?? '',
      version: entry.kindVersion?.version ?? '',
      treeSize: Number(entry.inclusionProof?.treeSize),
      body: JSON.parse(entry.canonicalizedBody.toString()) as JsonValue,
    };
  }

  #logOf(entry: TransparencyLogEntry): TrustedLog {
    const id = entry.logId?.keyId ?? Buffer.alloc(0);
    const log = this.#options.trust.logs.find(({ logId }) => Buffer.compare(logId, id) === 0);
    if (log !== undefined) return log;
    throw new LogError('log.untrusted', `the key of log ${id.toString('hex')} is not in the trusted root`);
  }

  async #ask(path: string, body?: JsonObject): Promise<JsonValue> {
    const url = underBase(this.#options.rekorUrl, path);
    let answer: PeerAnswer;
    try {
      answer = await askPeer(url, body, this.#options);
    } catch (error) {
      throw new LogError('log.unavailable', `the transparency log cannot be reached: ${(error as Error).message}`);
    }
    const { status } = answer;
    if (!answer.isOk) {
      const said = `${withoutSecrets(url)}, ${status}: ${peerReason(answer)}`;
      if (status === 404) throw new LogError('log.not_found', `the log has no such entry (${said})`, { status });
      const isDown = status >= 500 || status === 429 || status === 408;
      throw new LogError(isDown ? 'log.unavailable' : 'log.refused', `the log did not answer (${said})`, { status });
    }
    const parsed = parseStrictJson(answer.body, { maxBytes: answer.body.length, maxDepth: 32 });
    if (!parsed.ok) throw invalid('no JSON');
    return parsed.value;
  }
}

function isUuid(value: unknown): value is string {
  return typeof value === 'string' && /^([0-9a-f]{16})?[0-9a-f]{64}$/.test(value);
}

function invalid(reason: string): LogError {
  return new LogError('log.answer_invalid', `the log answered with something else: ${reason}`);
}
