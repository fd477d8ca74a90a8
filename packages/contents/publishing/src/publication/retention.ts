import { compareTexts } from '@colophon/notation';
import type { ResultOf } from '@colophon/records/result';
import { MAX_BOM_BYTES } from '@colophon/sbom';
import {
  emptyIndex,
  type FileRecord,
  findPublication,
  type Publication,
  type PublicationIndex,
  removePublication,
} from '../publication-rules/publication-index.ts';
import { latestFile, type PublicationName } from '../publication-rules/publication-name.ts';
import { PublishingError } from '../publication-rules/publishing-error.ts';
import { assertMayBeDeleted, keptUntil } from '../publication-rules/retention.ts';
import type { PublishingSource, PublishingTarget } from '../publishing-target/publishing-target.ts';
import type { restoredResult, retentionResult } from './publication-result.ts';
import { bytesOf, changeIndex, digestOf, pointToNewest, readIndex, timestampOf } from './publish.ts';

/** Whether everything is kept as it was published. */
export type RetentionReport = Omit<ResultOf<typeof retentionResult>, 'ok'>;
type RetentionProblem = RetentionReport['problems'][number];
/** What was restored from a backup. */
export type Restored = Omit<ResultOf<typeof restoredResult>, 'ok'>;

/**
 * Reads every file that must be kept and holds it against the index.
 * @throws PublishingError `publishing.not_found` where nothing was ever published
 */
export async function checkRetention(source: PublishingSource): Promise<RetentionReport> {
  const index = await existingIndex(source);
  const problems: RetentionProblem[] = [];
  let versions = 0;
  for (const { artifact, latest, versions: published } of index.artifacts) {
    for (const publication of published) {
      versions += 1;
      for (const record of filesOf(publication)) problems.push(...(await compare(source, record)));
      problems.push(...shortened(publication));
    }
    const newest = latest === undefined ? undefined : findPublication(index, { artifact, version: latest });
    if (newest === undefined) continue;
    const pointer = await compare(source, { ...newest.document, file: latestFile(artifact) });
    problems.push(...pointer.map((one) => ({ ...one, problem: 'not_latest' as const })));
  }
  return { place: source.place, version_count: versions, file_count: versions * 3, problems };
}

/**
 * Brings back from a backup what is missing or changed, and what the backup's index has more. What is right stays as
 * it is; what the backup does not have as it was published is not written.
 * @throws PublishingError `publishing.digest_mismatch` where the backup has a file neither; `publishing.version_exists`
 * where the two have different content under one name
 */
export async function restore(backup: PublishingSource, target: PublishingTarget, now: () => Date): Promise<Restored> {
  const source = await existingIndex(backup);
  const restored: string[] = [];
  await target.exclusively(async () => {
    await target.clearDrafts();
    const { index: left } = await readIndex(target);
    const wanted = union(left, source, timestampOf(now()));
    for (const { versions } of wanted.artifacts) {
      // In the order of publishing: a document that can be read has its signature.
      for (const { document, signature, bundle, retain_until } of versions) {
        for (const record of [bundle, signature, document]) {
          if ((await compare(target, record)).length === 0) continue;
          await write(target, record, await bytesOf(backup, record), retain_until);
          restored.push(record.file);
        }
      }
    }
    await changeIndex(target, timestampOf(now()), (index) => {
      const next = union(index, wanted, timestampOf(now()));
      return JSON.stringify(next.artifacts) === JSON.stringify(index.artifacts) ? index : next;
    });
    for (const { artifact } of wanted.artifacts) await pointToNewest(target, artifact);
  });
  return { place: target.place, restored_files: restored };
}

/**
 * Deletes a version whose time has come: first it is no longer listed, then its files go, the document before its
 * signature.
 * @throws PublishingError `publishing.not_found`, `publishing.retained`
 * @see contract §8
 */
export async function unpublish(
  target: PublishingTarget,
  name: PublicationName,
  now: () => Date,
): Promise<{ readonly deleted_files: readonly string[] }> {
  return target.exclusively(async () => {
    const publication = findPublication(await existingIndex(target), name);
    if (publication === undefined) {
      const wanted = `${name.artifact}@${name.version}`;
      throw new PublishingError('publishing.not_found', `${wanted} is not published at ${target.place}`);
    }
    const time = timestampOf(now());
    assertMayBeDeleted(publication, time);
    await changeIndex(target, time, (index) =>
      findPublication(index, name) === undefined ? index : removePublication(index, name, time),
    );
    await pointToNewest(target, name.artifact);
    const deleted = filesOf(publication).map(({ file }) => file);
    for (const file of deleted) await target.remove(file);
    return { deleted_files: deleted };
  });
}

/** The document first. */
function filesOf({ document, signature, bundle }: Publication): FileRecord[] {
  return [document, signature, bundle];
}

async function existingIndex(source: PublishingSource): Promise<PublicationIndex> {
  const { index } = await readIndex(source);
  if (index !== undefined) return index;
  throw new PublishingError('publishing.not_found', `${source.place} has no index of published SBOMs`);
}

async function compare(source: PublishingSource, { file, digest }: FileRecord): Promise<RetentionProblem[]> {
  const stored = await source.read(file, MAX_BOM_BYTES);
  if (stored === undefined) return [{ file, problem: 'missing', expected: digest, found: 'no file' }];
  const found = digestOf(stored.bytes);
  return found === digest ? [] : [{ file, problem: 'changed', expected: digest, found }];
}

function shortened(publication: Publication): RetentionProblem[] {
  const expected = keptUntil(publication);
  const { retain_until: found, document } = publication;
  return expected === found ? [] : [{ file: document.file, problem: 'retention_shortened', expected, found }];
}

async function write(
  target: PublishingTarget,
  record: FileRecord,
  bytes: Uint8Array,
  retainUntil: string,
): Promise<void> {
  const left = await target.read(record.file, MAX_BOM_BYTES);
  if (left === undefined && (await target.create(record.file, bytes, { retainUntil }))) return;
  if (left !== undefined && (await target.replace(record.file, bytes, left, { retainUntil }))) return;
  throw new PublishingError('publishing.target_busy', `somebody else is writing ${record.file}`);
}

/** Every version that either index has; the first one says what is latest. */
function union(first: PublicationIndex | undefined, second: PublicationIndex, now: string): PublicationIndex {
  const artifacts = new Map((first ?? emptyIndex(now)).artifacts.map((one) => [one.artifact, one]));
  for (const theirs of second.artifacts) {
    const ours = artifacts.get(theirs.artifact);
    if (ours === undefined) {
      artifacts.set(theirs.artifact, theirs);
      continue;
    }
    const versions = [...ours.versions];
    for (const publication of theirs.versions) {
      const same = versions.find(({ version }) => version === publication.version);
      if (same === undefined) versions.push(publication);
      else if (same.document.digest !== publication.document.digest) throw differing(publication, same);
    }
    versions.sort((a, b) => compareTexts(a.published_at, b.published_at));
    artifacts.set(theirs.artifact, { ...theirs, ...ours, versions });
  }
  const sorted = [...artifacts.values()].sort((a, b) => (a.artifact < b.artifact ? -1 : 1));
  return { kind: 'sbom-index', format: 1, updated_at: now, artifacts: sorted };
}

function differing(backup: Publication, target: Publication): PublishingError {
  return new PublishingError('publishing.version_exists', `${target.document.file} has other content in the backup`, {
    expected: target.document.digest,
    found: backup.document.digest,
  });
}
