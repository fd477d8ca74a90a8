import { createHash } from 'node:crypto';
import type { ResultOf } from '@colophon/records/result';
import { MAX_BOM_BYTES } from '@colophon/sbom';
import { formatIndexPage, PAGE_FILE } from '../publication-rules/index-page.ts';
import {
  addPublication,
  assertNameIsFree,
  emptyIndex,
  type FileRecord,
  findPublication,
  formatIndex,
  INDEX_FILE,
  INDEX_LIMITS,
  type Publication,
  type PublicationIndex,
  parseIndex,
} from '../publication-rules/publication-index.ts';
import { latestFile, type PublicationName, publicationFiles } from '../publication-rules/publication-name.ts';
import { PublishingError } from '../publication-rules/publishing-error.ts';
import { retainUntil } from '../publication-rules/retention.ts';
import type { PublishingTarget, StoredFile } from '../publishing-target/publishing-target.ts';
import type { publishOutcome } from './publication-result.ts';

/** Bytes; a bundle is a few thousand. */
export const MAX_SIGNATURE_BYTES = 1024 * 1024;
/** How often a change is tried again that others were faster with. */
const MOST_RACES = 50;
/** What an interrupted publisher left is another's to replace after this long; nobody takes that long to publish. */
const ABANDONED_MS = 15 * 60_000;
/** A publisher that took longer gives up before anything can be seen. */
const MOST_PUBLISHING_MS = 10 * 60_000;

/** A signature in both forms that are published. */
export type PublishedSignature = {
  /** Base64 of the bare signature. */
  readonly signature: Uint8Array;
  readonly bundle: Uint8Array;
  readonly signedBy?: { readonly subject: string; readonly issuer: string } | undefined;
};

export type PublishOptions = PublicationName & {
  readonly target: PublishingTarget;
  readonly document: Uint8Array;
  /** Asked once, and only where the version is not published yet. */
  readonly sign: () => Promise<PublishedSignature>;
  /** What an interrupted publisher left, where it is a signature over the document by the same signer. */
  readonly recognize: (found: PublishedSignature, ours: PublishedSignature) => PublishedSignature | undefined;
  readonly now: () => Date;
  readonly retainYears?: number | undefined;
  readonly mayBecomeLatest?: boolean | undefined;
};

export type PublishResult = ResultOf<typeof publishOutcome>;

/**
 * Publishes one document: signature and bundle first, then the document, then the index, and at last what points to the
 * newest version. At every moment a reader finds, for each document that it can read, the signature that belongs to it;
 * whatever interrupts it, publishing the same again completes it.
 * @throws PublishingError `publishing.name_taken`, `publishing.version_exists`, `publishing.digest_mismatch`,
 * `publishing.retention_too_short`, `publishing.index_invalid`, and what the target refuses; what `sign` throws
 * @see contract §4.2, §8
 */
export async function publish(options: PublishOptions): Promise<PublishResult> {
  const { target, artifact } = options;
  // Said before anything is signed or written.
  retainUntil(timestampOf(options.now()), options.retainYears);
  const signed = once(options.sign);
  // Signing takes its time, so it is done before the lock is taken.
  if ((await listed(options)) === undefined) await signed();
  return target.exclusively(async () => {
    await target.clearDrafts();
    let isNew = false;
    for (let race = 0; race < MOST_RACES; race++) {
      const placed = await placeVersion(options, signed);
      isNew ||= placed.isNew;
      const index = await pointToNewest(target, artifact);
      // Stores whose conditions are no transaction let another index win that does not know of this version yet.
      const publication = findPublication(index, options);
      if (publication === undefined) continue;
      const latest = index.artifacts.find((one) => one.artifact === artifact)?.latest;
      const weakness = isNew ? await weaknessOf(target, publication) : undefined;
      const warnings = weakness === undefined ? [] : [weakness];
      return { publication, is_new: isNew, warnings, ...(latest === undefined ? {} : { latest }) };
    }
    throw busy(target);
  });
}

async function weaknessOf(target: PublishingTarget, { bundle }: Publication): Promise<string | undefined> {
  return target.weakness(bundle.file, await bytesOf(target, bundle));
}

/** The index of a target; one that nothing was published to has an empty one. @throws as parseIndex */
export async function readIndex(
  source: Pick<PublishingTarget, 'read'>,
): Promise<{ index: PublicationIndex | undefined; stored: StoredFile | undefined }> {
  const stored = await source.read(INDEX_FILE, INDEX_LIMITS.maxBytes);
  return { index: stored && parseIndex(stored.bytes), stored };
}

/**
 * Changes the index, again on the newest one where somebody else was faster.
 * @param change the next index, or the same one where nothing is to be changed
 */
export async function changeIndex(
  target: PublishingTarget,
  now: string,
  change: (index: PublicationIndex) => PublicationIndex,
): Promise<PublicationIndex> {
  for (let race = 0; race < MOST_RACES; race++) {
    const { index: found, stored } = await readIndex(target);
    const index = found ?? emptyIndex(now);
    const next = change(index);
    if (next === index && found !== undefined) return index;
    if (!(await target.replace(INDEX_FILE, Buffer.from(formatIndex(next)), stored))) continue;
    // A store without conditions may have taken another's index after ours: what is in it decides.
    const after = await readIndex(target);
    if (after.index !== undefined && change(after.index) === after.index) return after.index;
  }
  throw busy(target);
}

/** Makes `-latest` and the page say what the index says, whoever else changes them. Answers with that index. */
export async function pointToNewest(target: PublishingTarget, artifact: string): Promise<PublicationIndex> {
  await derive(target, latestFile(artifact), MAX_BOM_BYTES, async (index) => {
    const newest = index.artifacts.find((one) => one.artifact === artifact);
    if (newest?.latest === undefined) return undefined;
    const publication = findPublication(index, { artifact, version: newest.latest }) as Publication;
    return bytesOf(target, publication.document);
  });
  return derive(target, PAGE_FILE, INDEX_LIMITS.maxBytes, async (index) => Buffer.from(formatIndexPage(index)));
}

/** The bytes that the index promises. @throws PublishingError `publishing.digest_mismatch` */
export async function bytesOf(
  source: Pick<PublishingTarget, 'read' | 'place'>,
  record: FileRecord,
): Promise<Uint8Array> {
  const stored = await source.read(record.file, MAX_BOM_BYTES);
  if (stored !== undefined && digestOf(stored.bytes) === record.digest) return stored.bytes;
  throw new PublishingError(
    'publishing.digest_mismatch',
    `${record.file} in ${source.place} is not what was published`,
    {
      expected: record.digest,
      found: stored === undefined ? 'no file' : digestOf(stored.bytes),
    },
  );
}

export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** As the index writes times: whole seconds. */
export function timestampOf(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

/** Reads the file before the index: where the index changes after that, the file that was read has changed as well. */
async function derive(
  target: PublishingTarget,
  file: string,
  maxBytes: number,
  contentFrom: (index: PublicationIndex) => Promise<Uint8Array | undefined>,
): Promise<PublicationIndex> {
  for (let race = 0; race < MOST_RACES; race++) {
    const stored = await target.read(file, maxBytes);
    const index = (await readIndex(target)).index ?? emptyIndex(timestampOf(new Date(0)));
    const wanted = await contentFrom(index);
    if (wanted === undefined) {
      if (stored !== undefined) await target.remove(file);
      return index;
    }
    const isRight = stored !== undefined && Buffer.compare(stored.bytes, wanted) === 0;
    if (isRight || (await target.replace(file, wanted, stored))) return index;
  }
  throw busy(target);
}

/** The version where it is listed already, with this very content; undefined where its name is free. */
async function listed({ target, document, ...name }: PublishOptions): Promise<Publication | undefined> {
  const { index } = await readIndex(target);
  if (index === undefined) return undefined;
  assertNameIsFree(index, name);
  const before = findPublication(index, name);
  if (before !== undefined) assertSame(before.document.digest, document, before.document.file);
  return before;
}

async function placeVersion(
  options: PublishOptions,
  signed: () => Promise<PublishedSignature>,
): Promise<{ publication: Publication; isNew: boolean }> {
  const { target, artifact, version, document, now, mayBecomeLatest = true } = options;
  const name = { artifact, version };
  const known = await listed(options);
  if (known !== undefined) {
    await assertComplete(target, known, document);
    return { publication: known, isNew: false };
  }
  const { signature, bundle, signedBy } = await placeFiles(options, signed);
  const published_at = timestampOf(now());
  const files = publicationFiles(name);
  const publication: Publication = {
    version,
    published_at,
    retain_until: retainUntil(published_at, options.retainYears),
    ...(signedBy === undefined ? {} : { signed_by: { subject: signedBy.subject, issuer: signedBy.issuer } }),
    document: recordOf(files.document, document),
    signature: recordOf(files.signature, signature),
    bundle: recordOf(files.bundle, bundle),
  };
  // What a store without conditions let two publishers write at once is noticed before anybody is told of it.
  for (const record of [publication.document, publication.signature, publication.bundle]) await bytesOf(target, record);
  const after = await changeIndex(target, published_at, (index) => {
    const other = findPublication(index, name);
    if (other !== undefined) {
      assertSame(other.document.digest, document, files.document);
      return index;
    }
    return addPublication(index, artifact, publication, { now: published_at, mayBecomeLatest });
  });
  return { publication: findPublication(after, name) ?? publication, isNew: true };
}

/** Files of a version that the index does not know yet: ours, or those of a publisher that was interrupted. */
async function placeFiles(
  { target, document, recognize, now, retainYears, ...name }: PublishOptions,
  signed: () => Promise<PublishedSignature>,
): Promise<PublishedSignature> {
  const files = publicationFiles(name);
  const ours = await signed();
  const recognized = async () => {
    const left = await signatureIn(target, files);
    return left && recognize(left, ours);
  };
  const found = await target.read(files.document, MAX_BOM_BYTES);
  if (found !== undefined) {
    assertSame(digestOf(found.bytes), document, files.document);
    const left = await recognized();
    if (left !== undefined) return left;
  }
  const terms = { retainUntil: retainUntil(timestampOf(now()), retainYears) };
  const started = now().getTime();
  const isAbandoned = ({ tag, modifiedAt }: StoredFile) =>
    // On a target with a lock nobody else is at work; beside a document nobody is waiting for a signature any more.
    found !== undefined || tag === undefined || started - (modifiedAt?.getTime() ?? 0) > ABANDONED_MS;
  await place(target, files.bundle, ours.bundle, terms, isAbandoned);
  await place(target, files.signature, ours.signature, terms, isAbandoned);
  if (found !== undefined) return ours;
  if (now().getTime() - started > MOST_PUBLISHING_MS) throw busy(target);
  if (await target.create(files.document, document, terms)) return ours;
  // A request that was repeated finds what it wrote itself; so does one whose rival had the same document.
  const winner = await target.read(files.document, MAX_BOM_BYTES);
  assertSame(winner && digestOf(winner.bytes), document, files.document);
  return (await recognized()) ?? ours;
}

/**
 * A signature whose document is not there was left behind, and is replaced; unless it is so new that its publisher may
 * still be at work, on a target without a lock.
 */
async function place(
  target: PublishingTarget,
  file: string,
  bytes: Uint8Array,
  terms: { retainUntil: string },
  isAbandoned: (left: StoredFile) => boolean,
): Promise<void> {
  if (await target.create(file, bytes, terms)) return;
  const left = await target.read(file, MAX_SIGNATURE_BYTES);
  if (left !== undefined && Buffer.compare(left.bytes, bytes) === 0) return;
  if ((left === undefined || isAbandoned(left)) && (await target.replace(file, bytes, left, terms))) return;
  throw new PublishingError('publishing.target_busy', `${file} was written a moment ago, and its document is missing`, {
    expected: `another publisher to finish, or ${ABANDONED_MS / 60_000} minutes to pass`,
  });
}

async function signatureIn(
  target: PublishingTarget,
  files: { signature: string; bundle: string },
): Promise<PublishedSignature | undefined> {
  const signature = await target.read(files.signature, MAX_SIGNATURE_BYTES);
  const bundle = await target.read(files.bundle, MAX_SIGNATURE_BYTES);
  return signature && bundle && { signature: signature.bytes, bundle: bundle.bytes };
}

/** Idempotent is only what is all there; a lost document is the very one that is at hand. */
async function assertComplete(target: PublishingTarget, known: Publication, document: Uint8Array): Promise<void> {
  const stored = await target.read(known.document.file, MAX_BOM_BYTES);
  if (stored === undefined) await target.create(known.document.file, document, { retainUntil: known.retain_until });
  for (const record of [known.document, known.signature, known.bundle]) await bytesOf(target, record);
}

function assertSame(digest: string | undefined, document: Uint8Array, file: string): void {
  if (digest === digestOf(document)) return;
  throw new PublishingError(
    'publishing.version_exists',
    `${file} is published with other content, and stays as it is`,
    {
      expected: 'a new version for new content',
      found: digest ?? 'no file',
    },
  );
}

function recordOf(file: string, bytes: Uint8Array): FileRecord {
  return { file, size: bytes.length, digest: digestOf(bytes) };
}

function busy(target: PublishingTarget): PublishingError {
  return new PublishingError('publishing.target_busy', `others publish to ${target.place} all the time: try again`);
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}
