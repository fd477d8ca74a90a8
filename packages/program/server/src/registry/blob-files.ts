import { createHash, type Hash, randomUUID } from 'node:crypto';
import { createReadStream, mkdirSync, type ReadStream, readdirSync, rmSync } from 'node:fs';
import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { algorithmOf, DIGEST_ALGORITHMS, type DigestAlgorithm } from './digest.ts';
import { OciError } from './oci-error.ts';

/** The part of node:fs/promises that writes; an argument so that a full disk can be tested. */
export type OpenFile = (path: string, flags: string) => Promise<FileHandle>;

/**
 * Content by digest in plain files. A file has its name only after its bytes were checked against it and are on disk,
 * so whatever can be read is whole.
 */
export class BlobFiles {
  readonly #folder: string;
  readonly #openFile: OpenFile;

  constructor({ folder, openFile = open }: { folder: string; openFile?: OpenFile }) {
    this.#folder = folder;
    this.#openFile = openFile;
    for (const algorithm of DIGEST_ALGORITHMS) {
      mkdirSync(join(folder, 'blobs', algorithm), { recursive: true, mode: 0o700 });
    }
    mkdirSync(join(folder, 'uploads'), { recursive: true, mode: 0o700 });
    // An upload ends with its process: the client gets BLOB_UPLOAD_UNKNOWN and begins again.
    for (const name of readdirSync(join(folder, 'uploads'))) rmSync(join(folder, 'uploads', name), { force: true });
  }

  /** A new, empty draft; nothing is visible under a digest until it is finished. */
  async createDraft(maxBytes: number): Promise<BlobDraft> {
    const id = randomUUID();
    const path = join(this.#folder, 'uploads', id);
    await (await this.#openFile(path, 'wx')).close();
    return new BlobDraft({ id, path, maxBytes, openFile: this.#openFile, pathOf: (digest) => this.#path(digest) });
  }

  /** The content, or the bytes from `start` to `end` inclusive. */
  read(digest: string, range?: { start: number; end: number }): ReadStream {
    return createReadStream(this.#path(digest), range);
  }

  /** The whole content in memory: for manifests, which are bounded. */
  readAll(digest: string): Promise<Buffer> {
    return readFile(this.#path(digest));
  }

  #path(digest: string): string {
    const [algorithm, hex] = digest.split(':') as [string, string];
    return join(this.#folder, 'blobs', algorithm, hex.slice(0, 2), hex);
  }
}

type DraftOptions = {
  id: string;
  path: string;
  maxBytes: number;
  openFile: OpenFile;
  pathOf: (digest: string) => string;
};

/** Bytes on their way in: hashed while they are written, in order, never more than `maxBytes`. */
export class BlobDraft {
  readonly id: string;
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #openFile: OpenFile;
  readonly #pathOf: (digest: string) => string;
  #hash: Hash = createHash('sha256');
  #size = 0;

  constructor({ id, path, maxBytes, openFile, pathOf }: DraftOptions) {
    this.id = id;
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#openFile = openFile;
    this.#pathOf = pathOf;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Adds all of `chunks`, or nothing where they end in an error.
   * @throws OciError SIZE_INVALID (413) past the limit; whatever the file system or the stream throws
   */
  async append(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const before = { hash: this.#hash.copy(), size: this.#size };
    const file = await this.#openFile(this.#path, 'r+');
    try {
      for await (const chunk of chunks) {
        if (this.#size + chunk.length > this.#maxBytes) throw tooLarge(this.#maxBytes);
        await writeAll(file, chunk, this.#size);
        this.#hash.update(chunk);
        this.#size += chunk.length;
      }
    } catch (error) {
      this.#hash = before.hash;
      this.#size = before.size;
      await file.truncate(before.size).catch(() => {});
      throw error;
    } finally {
      await file.close();
    }
  }

  /**
   * Gives the content its name, durably. The draft is gone afterwards.
   * @throws OciError DIGEST_INVALID where the bytes have another digest; the draft stays, so nothing is half-written
   */
  async finish(digest: string): Promise<void> {
    if ((await this.#digest(algorithmOf(digest))) !== digest)
      throw new OciError(400, 'DIGEST_INVALID', 'the content has another digest');
    const target = this.#pathOf(digest);
    const folder = join(target, '..');
    const file = await this.#openFile(this.#path, 'r+');
    try {
      await file.truncate(this.#size);
      await file.sync();
    } finally {
      await file.close();
    }
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    await rename(this.#path, target);
    await syncFolder(folder);
    await syncFolder(join(folder, '..'));
  }

  async #digest(algorithm: DigestAlgorithm): Promise<string> {
    if (algorithm === 'sha256') return `sha256:${this.#hash.copy().digest('hex')}`;
    // Rare enough to read the draft once more rather than to hash every upload twice.
    const hash = createHash(algorithm);
    if (this.#size > 0) {
      for await (const chunk of createReadStream(this.#path, { end: this.#size - 1 })) hash.update(chunk as Uint8Array);
    }
    return `${algorithm}:${hash.digest('hex')}`;
  }

  async discard(): Promise<void> {
    await rm(this.#path, { force: true });
  }
}

/** @returns the refusal of content past the limit */
export function tooLarge(maxBytes: number): OciError {
  return new OciError(413, 'SIZE_INVALID', `content may have at most ${maxBytes} bytes`);
}

async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, position + written);
    written += bytesWritten;
  }
}

// A rename is durable once its folder is.
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
