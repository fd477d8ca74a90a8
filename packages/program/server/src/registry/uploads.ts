import type { BlobDraft, BlobFiles } from './blob-files.ts';
import { OciError } from './oci-error.ts';

/** An upload that nobody touched for so long is given up. */
export const UPLOAD_IDLE_MS = 60 * 60 * 1000;
/** One that holds nothing yet is given up sooner: beginning it anew loses nothing. */
export const EMPTY_UPLOAD_IDLE_MS = 5 * 60 * 1000;
/** More are never open at once, so that forgotten uploads cannot fill the disk with drafts. */
export const MAX_OPEN_UPLOADS = 256;
/** Bytes must have been arriving for so long before they can be called slow. */
export const SLOW_AFTER_MS = 5_000;

/** A body on its way into an upload. */
type Arrival = { readonly since: number; readonly sizeBefore: number; readonly stop: () => void };

type Upload = {
  readonly repository: string;
  readonly draft: BlobDraft;
  /** Whatever stands for the connection that began it. */
  readonly connection: object;
  isBusy: boolean;
  arrival?: Arrival | undefined;
  touchedAt: number;
};

/**
 * The uploads that are open, each bound to its repository. They live as long as the process. Anybody may begin one, so
 * the places are taken back from whoever makes the least of them.
 */
export class Uploads {
  readonly #files: BlobFiles;
  readonly #maxBlobBytes: number;
  readonly #now: () => number;
  readonly #open = new Map<string, Upload>();
  /** Places that are taken by uploads whose draft is being made. */
  #beginning = 0;

  constructor({ files, maxBlobBytes, now }: { files: BlobFiles; maxBlobBytes: number; now: () => number }) {
    this.#files = files;
    this.#maxBlobBytes = maxBlobBytes;
    this.#now = now;
  }

  /**
   * Begins an upload. Where all places are taken, one gives way: of the connection that has the most idle uploads the
   * one that was touched longest ago; where none is idle, the slowest of those that have been sending for a while.
   * @throws OciError TOOMANYREQUESTS where none can give way
   */
  async begin(repository: string, connection: object): Promise<BlobDraft> {
    await this.#dropExpired();
    // The place is taken in the same turn in which it becomes free, whoever else begins meanwhile.
    const given = this.#open.size + this.#beginning < MAX_OPEN_UPLOADS ? undefined : this.#takePlace();
    this.#beginning += 1;
    try {
      await given?.discard();
      const draft = await this.#files.createDraft(this.#maxBlobBytes);
      this.#open.set(draft.id, { repository, draft, connection, isBusy: false, touchedAt: this.#now() });
      return draft;
    } finally {
      this.#beginning -= 1;
    }
  }

  /**
   * Runs `work` as the only one on this upload.
   * @throws OciError BLOB_UPLOAD_UNKNOWN; BLOB_UPLOAD_INVALID (409) where another request is at work on it
   */
  async use<T>(repository: string, id: string, work: (draft: BlobDraft) => Promise<T>): Promise<T> {
    const upload = this.#open.get(id);
    if (upload === undefined || upload.repository !== repository) {
      throw new OciError(404, 'BLOB_UPLOAD_UNKNOWN', 'there is no such upload');
    }
    if (upload.isBusy) throw new OciError(409, 'BLOB_UPLOAD_INVALID', 'another request is writing to this upload');
    upload.isBusy = true;
    upload.touchedAt = this.#now();
    try {
      return await work(upload.draft);
    } finally {
      upload.isBusy = false;
      upload.touchedAt = this.#now();
    }
  }

  /** Runs `work`, in which bytes arrive for the draft; `stop` ends it where the upload has to give way. */
  async whileArriving<T>(draft: BlobDraft, stop: () => void, work: () => Promise<T>): Promise<T> {
    const upload = this.#open.get(draft.id);
    if (upload !== undefined) upload.arrival = { since: this.#now(), sizeBefore: draft.size, stop };
    try {
      return await work();
    } finally {
      if (upload !== undefined) upload.arrival = undefined;
    }
  }

  /** Forgets the upload and what was written of it. */
  async end(draft: BlobDraft): Promise<void> {
    this.#open.delete(draft.id);
    await draft.discard();
  }

  async #dropExpired(): Promise<void> {
    const now = this.#now();
    for (const { draft, isBusy, touchedAt } of [...this.#open.values()]) {
      const idleMs = draft.size === 0 ? EMPTY_UPLOAD_IDLE_MS : UPLOAD_IDLE_MS;
      if (!isBusy && now - touchedAt > idleMs) await this.end(draft);
    }
  }

  /** The draft of the upload that gave way; it is no longer open. */
  #takePlace(): BlobDraft {
    const upload = this.#longestIdle() ?? this.#slowest();
    if (upload === undefined) {
      throw new OciError(429, 'TOOMANYREQUESTS', `at most ${MAX_OPEN_UPLOADS} uploads may be open`, {
        headers: { 'retry-after': String(SLOW_AFTER_MS / 1000) },
      });
    }
    upload.arrival?.stop();
    this.#open.delete(upload.draft.id);
    return upload.draft;
  }

  #longestIdle(): Upload | undefined {
    const idle = [...this.#open.values()].filter(({ isBusy }) => !isBusy);
    const counts = new Map<object, number>();
    for (const { connection } of idle) counts.set(connection, (counts.get(connection) ?? 0) + 1);
    const most = Math.max(...counts.values());
    return lowest(
      idle.filter(({ connection }) => counts.get(connection) === most),
      ({ touchedAt }) => touchedAt,
    );
  }

  #slowest(): Upload | undefined {
    const now = this.#now();
    const arriving = [...this.#open.values()].flatMap((upload) => {
      const { arrival, draft } = upload;
      const forMs = arrival === undefined ? 0 : now - arrival.since;
      if (arrival === undefined || forMs < SLOW_AFTER_MS) return [];
      return [{ upload, bytesPerMs: (draft.size - arrival.sizeBefore) / forMs }];
    });
    return lowest(arriving, ({ bytesPerMs }) => bytesPerMs)?.upload;
  }
}

/** The first of the items for which `of` is lowest. */
function lowest<T>(items: readonly T[], of: (item: T) => number): T | undefined {
  return items.reduce<T | undefined>(
    (least, item) => (least === undefined || of(item) < of(least) ? item : least),
    undefined,
  );
}
