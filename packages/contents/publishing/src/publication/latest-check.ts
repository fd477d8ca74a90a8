import { setTimeout as pause } from 'node:timers/promises';
import { MAX_BOM_BYTES, parseBom } from '@colophon/sbom';
import { findPublication, type Publication, type PublicationIndex } from '../publication-rules/publication-index.ts';
import { latestFile, publicationFiles } from '../publication-rules/publication-name.ts';
import { PublishingError, type PublishingErrorCode } from '../publication-rules/publishing-error.ts';
import { becomesLatest } from '../publication-rules/version-order.ts';
import type { PublishingSource } from '../publishing-target/publishing-target.ts';
import { digestOf, MAX_SIGNATURE_BYTES, readIndex } from './publish.ts';

/** A publisher writes the index and then `-latest`: who reads between the two sees what is right a moment later. */
const PAUSES_MS = [100, 300, 900];

/** What `-latest` is compared with, besides the index. */
export type LatestWanted = {
  /** A version that was published and was to become the latest, if it is the newest. */
  readonly version?: string | undefined;
};

/**
 * Reads `-latest` of an artifact and compares it with the version that it has to be: byte for byte, and so for a signature
 * beside it. Looks again where a publisher may be at work.
 * @returns that version; undefined where there is none and none is wished
 * @throws PublishingError `publishing.latest_missing`, `publishing.latest_stale`, `publishing.latest_unlisted`,
 * `publishing.latest_differs`, `publishing.latest_signature`
 */
export function assertLatest(
  source: PublishingSource,
  artifact: string,
  wanted: LatestWanted = {},
): Promise<string | undefined> {
  return onceSettled(async () => {
    const { index } = await readIndex(source);
    return compareLatest(source, index, artifact, wanted);
  });
}

/** Does `work` again, a few times, where what it finds may be a publication that is under way. */
export async function onceSettled<T>(work: () => Promise<T>): Promise<T> {
  for (const ms of PAUSES_MS) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PublishingError) || !error.code.startsWith('publishing.latest_')) throw error;
      await pause(ms);
    }
  }
  return work();
}

/** As `assertLatest`, once, with the index that was read. */
export async function compareLatest(
  source: PublishingSource,
  index: PublicationIndex | undefined,
  artifact: string,
  { version: own }: LatestWanted,
): Promise<string | undefined> {
  const file = latestFile(artifact);
  const stored = await source.read(file, MAX_BOM_BYTES);
  const refuse = (code: PublishingErrorCode, message: string, expected: string, found: string) =>
    new PublishingError(code, `${file} at ${source.place} ${message}`, { expected, found });
  const latest = index?.artifacts.find((one) => one.artifact === artifact)?.latest;
  if (stored === undefined) {
    if (latest === undefined && own === undefined) return undefined;
    throw refuse('publishing.latest_missing', 'is not there', `the document of ${latest ?? own}`, 'no file');
  }
  const stated = statedVersion(stored.bytes);
  if (index === undefined) return withoutIndex(source, artifact, stored.bytes, stated, refuse);
  const digest = digestOf(stored.bytes);
  const newest = latest === undefined ? undefined : findPublication(index, { artifact, version: latest });
  if (newest === undefined) {
    throw refuse('publishing.latest_unlisted', 'is there, and the index names no latest', 'none', stated);
  }
  if (digest !== newest.document.digest) {
    const versions = index.artifacts.find((one) => one.artifact === artifact)?.versions ?? [];
    const other = versions.find(({ document }) => document.digest === digest);
    const expected = `${newest.version}, ${newest.document.digest}`;
    const found = `${other?.version ?? stated}, ${digest}`;
    if (other !== undefined) throw refuse('publishing.latest_stale', 'is another version', expected, found);
    if (versions.some(({ version }) => version === stated))
      throw refuse('publishing.latest_differs', 'is not what was published', expected, found);
    throw refuse('publishing.latest_unlisted', 'is no version that the index lists', expected, found);
  }
  await assertNoOtherSignature(source, file, newest);
  // Where both are semantic versions, and only one way round holds, this one is the newer.
  if (own !== undefined && becomesLatest(own, newest.version) && !becomesLatest(newest.version, own)) {
    throw refuse('publishing.latest_stale', `is older than ${own}`, `${own}, or --no-latest`, newest.version);
  }
  return newest.version;
}

/** Layouts of others: the version's own file, where there is one, is the same. */
async function withoutIndex(
  source: PublishingSource,
  artifact: string,
  latest: Uint8Array,
  version: string,
  refuse: (code: PublishingErrorCode, message: string, expected: string, found: string) => PublishingError,
): Promise<string> {
  const file = namedFile(artifact, version);
  const own = file === undefined ? undefined : await source.read(file, MAX_BOM_BYTES);
  if (own === undefined || Buffer.compare(own.bytes, latest) === 0) return version;
  const expected = `${version}, ${digestOf(own.bytes)}`;
  throw refuse('publishing.latest_differs', `is not ${file}`, expected, digestOf(latest));
}

/** What a document says of itself may be no part of a file name. */
function namedFile(artifact: string, version: string): string | undefined {
  try {
    return publicationFiles({ artifact, version }).document;
  } catch {
    return undefined;
  }
}

/** We write none: two files cannot be swapped at once. One that is there all the same is the version's. */
async function assertNoOtherSignature(source: PublishingSource, file: string, newest: Publication): Promise<void> {
  for (const record of [newest.signature, newest.bundle]) {
    const name = `${file}${record.file.slice(newest.document.file.length)}`;
    // Some stores refuse what is not there.
    const stored = await source.read(name, MAX_SIGNATURE_BYTES).catch((error: unknown) => {
      if (error instanceof PublishingError && error.code !== 'publishing.too_large') return undefined;
      throw error;
    });
    if (stored === undefined || digestOf(stored.bytes) === record.digest) continue;
    throw new PublishingError('publishing.latest_signature', `${name} is not the signature of ${newest.version}`, {
      expected: `no such file, or ${record.digest}`,
      found: digestOf(stored.bytes),
    });
  }
}

/** For people and for a look into the index: what a document that nobody verified says of itself. */
function statedVersion(document: Uint8Array): string {
  const parsed = parseBom(document);
  if (!parsed.ok) return 'no SBOM';
  const version: unknown = parsed.value.metadata?.component?.version;
  return typeof version === 'string' ? version.slice(0, 100) : 'no version';
}
