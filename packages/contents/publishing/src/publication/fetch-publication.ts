import { type Bom, MAX_BOM_BYTES, parseBom } from '@colophon/sbom';
import { findPublication, type PublicationIndex } from '../publication-rules/publication-index.ts';
import {
  artifactNames,
  latestFile,
  type PublicationName,
  publicationFiles,
} from '../publication-rules/publication-name.ts';
import { PublishingError } from '../publication-rules/publishing-error.ts';
import type { PublishingSource } from '../publishing-target/publishing-target.ts';
import { compareLatest, onceSettled } from './latest-check.ts';
import { bytesOf, digestOf, MAX_SIGNATURE_BYTES, readIndex } from './publish.ts';

/** A published document with what is said to be its signature: nothing of it is verified. */
export type FetchedPublication = PublicationName & {
  readonly bom: Bom;
  readonly document: Uint8Array;
  readonly digest: string;
  /** Base64, as it stands in the file; absent where there is none. */
  readonly signature?: Uint8Array;
  readonly bundle?: Uint8Array;
};

/**
 * Finds an SBOM: by the index, or by its well-known name where a publisher has no index. Without version it is the
 * latest, about which index and `-latest` have to agree. The document is the one that the index lists, and is about the artifact and version that were asked for.
 * @throws PublishingError `publishing.not_found`, `publishing.digest_mismatch`, `publishing.document_mismatch`,
 * `publishing.index_invalid`, `publishing.latest_*`, and what the source refuses
 * @see contract §4.2
 */
export function fetchPublication(source: PublishingSource, wanted: Wanted): Promise<FetchedPublication> {
  return onceSettled(() => fetchOnce(source, wanted));
}

type Wanted = { readonly artifact: string; readonly version?: string | undefined };

async function fetchOnce(source: PublishingSource, { artifact, version }: Wanted): Promise<FetchedPublication> {
  const { index } = await readIndex(source);
  const found =
    index === undefined
      ? await byWellKnownName(source, artifact, version)
      : await byIndex(source, index, artifact, version);
  if (version === undefined) await compareLatest(source, index, artifact, {});
  const files = publicationFiles(found);
  const signature = await source.read(files.signature, MAX_SIGNATURE_BYTES);
  const bundle = await source.read(files.bundle, MAX_SIGNATURE_BYTES);
  return {
    ...found,
    digest: digestOf(found.document),
    ...(signature && { signature: signature.bytes }),
    ...(bundle && { bundle: bundle.bytes }),
  };
}

type Found = PublicationName & { readonly bom: Bom; readonly document: Uint8Array };

async function byIndex(
  source: PublishingSource,
  index: PublicationIndex,
  artifact: string,
  wanted: string | undefined,
): Promise<Found> {
  const published = index.artifacts.find((one) => one.artifact === artifact);
  const version = wanted ?? published?.latest;
  const publication = version === undefined ? undefined : findPublication(index, { artifact, version });
  if (version === undefined || publication === undefined) {
    const known = published?.versions.map((one) => one.version) ?? index.artifacts.map((one) => one.artifact);
    throw notFound(source, artifact, wanted, known);
  }
  const document = await bytesOf(source, publication.document);
  return { artifact, version, document, bom: readDocument(document, artifact, version) };
}

async function byWellKnownName(source: PublishingSource, artifact: string, wanted: string | undefined): Promise<Found> {
  const file = wanted === undefined ? latestFile(artifact) : publicationFiles({ artifact, version: wanted }).document;
  const stored = await source.read(file, MAX_BOM_BYTES);
  if (stored === undefined) throw notFound(source, artifact, wanted, []);
  const bom = readDocument(stored.bytes, artifact, wanted);
  // The latest says itself which version it is, and that version's signature is its own.
  return { artifact, version: bom.metadata?.component?.version as string, document: stored.bytes, bom };
}

/** No signed document passes for another artifact or version of the same signer. */
function readDocument(document: Uint8Array, artifact: string, version: string | undefined): Bom {
  const parsed = parseBom(document);
  if (!parsed.ok) {
    throw new PublishingError('publishing.document_mismatch', 'what is published is no SBOM', {
      expected: 'a CycloneDX document',
      found: parsed.issues[0]?.message ?? 'something else',
    });
  }
  const bom = parsed.value;
  const names = artifactNames(bom);
  const stated: unknown = bom.metadata?.component?.version;
  const isRight = names.includes(artifact) && typeof stated === 'string' && stated === (version ?? stated);
  if (isRight) return bom;
  throw new PublishingError('publishing.document_mismatch', 'the document is about something else than its name says', {
    expected: `${artifact}@${version ?? 'a version'}`,
    found: `${names.join(' or ') || 'no name'}@${typeof stated === 'string' ? stated.slice(0, 100) : 'no version'}`,
  });
}

function notFound(
  { place }: PublishingSource,
  artifact: string,
  version: string | undefined,
  known: readonly string[],
): PublishingError {
  const wanted = version === undefined ? artifact : `${artifact}@${version}`;
  return new PublishingError('publishing.not_found', `${wanted} is not published at ${place}`, {
    expected: wanted,
    found: known.length === 0 ? 'nothing of that name' : `${known.slice(-20).join(', ')}`,
  });
}
