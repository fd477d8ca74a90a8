import type { BlobDraft, BlobFiles } from './blob-files.ts';
import { OciError } from './oci-error.ts';

/** An upload that nobody touched for so long is given up. */
export const UPLOAD_IDLE_MS = 60 * 60 * 1000;
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

  /** @throws OciError TOOMANYREQUESTS */
  async begin(repository: string): Promise<BlobDraft> {
    await this.#dropIdle();
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
    const oldest = this.#now() - UPLOAD_IDLE_MS;
    for (const { draft, isBusy, touchedAt } of this.#open.values()) {
      if (!isBusy && touchedAt < oldest) await this.end(draft);
    }
  }
}
