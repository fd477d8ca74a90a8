import type { BlobDraft, BlobFiles } from './blob-files.ts';
import { OciError } from './oci-error.ts';

/** An upload that nobody touched for so long is given up. */
export const UPLOAD_IDLE_MS = 60 * 60 * 1000;
/** One that holds nothing yet is given up sooner: beginning it anew loses nothing. */
export const EMPTY_UPLOAD_IDLE_MS = 5 * 60 * 1000;
/** More at once are refused, so that forgotten uploads cannot fill the disk with drafts. */
export const MAX_OPEN_UPLOADS = 256;

type Upload = { readonly repository: string; readonly draft: BlobDraft; isBusy: boolean; touchedAt: number };

/** The uploads that are open, each bound to its repository. They live as long as the process. */
export class Uploads {
  readonly #files: BlobFiles;
  readonly #maxBlobBytes: number;
  readonly #now: () => number;
  readonly #open = new Map<string, Upload>();

  constructor({ files, maxBlobBytes, now }: { files: BlobFiles; maxBlobBytes: number; now: () => number }) {
    this.#files = files;
    this.#maxBlobBytes = maxBlobBytes;
    this.#now = now;
  }

  /**
   * Begins an upload; where there are too many, in the place of the empty one that nobody touched for longest.
   * @throws OciError TOOMANYREQUESTS where none is empty
   */
  async begin(repository: string): Promise<BlobDraft> {
    await this.#dropIdle();
    if (this.#open.size >= MAX_OPEN_UPLOADS) await this.#dropEmpty();
    if (this.#open.size >= MAX_OPEN_UPLOADS) {
      throw new OciError(429, 'TOOMANYREQUESTS', `at most ${MAX_OPEN_UPLOADS} uploads may be open`, {
        headers: { 'retry-after': '60' },
      });
    }
    const draft = await this.#files.createDraft(this.#maxBlobBytes);
    this.#open.set(draft.id, { repository, draft, isBusy: false, touchedAt: this.#now() });
    return draft;
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

  /** Forgets the upload and what was written of it. */
  async end(draft: BlobDraft): Promise<void> {
    this.#open.delete(draft.id);
    await draft.discard();
  }

  async #dropIdle(): Promise<void> {
    const now = this.#now();
    for (const { draft, isBusy, touchedAt } of [...this.#open.values()]) {
      const idleMs = draft.size === 0 ? EMPTY_UPLOAD_IDLE_MS : UPLOAD_IDLE_MS;
      if (!isBusy && now - touchedAt > idleMs) await this.end(draft);
    }
  }

  async #dropEmpty(): Promise<void> {
    let oldest: Upload | undefined;
    for (const upload of this.#open.values()) {
      const isFree = !upload.isBusy && upload.draft.size === 0;
      if (isFree && (oldest === undefined || upload.touchedAt < oldest.touchedAt)) oldest = upload;
    }
    if (oldest !== undefined) await this.end(oldest.draft);
  }
}
