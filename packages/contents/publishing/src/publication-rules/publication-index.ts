import { isJsonObject, type JsonObject, type JsonValue, parseStrictJson } from '@colophon/json';
import { isTimestamp, parseSha256 } from '@colophon/notation';
import {
  assertPublicationName,
  latestFile,
  type PublicationFiles,
  type PublicationName,
  publicationFiles,
} from './publication-name.ts';
import { PublishingError } from './publishing-error.ts';
import { becomesLatest, latestOf } from './version-order.ts';

/** The list of everything published, which is also the manifest: what must be there, and for how long. */
export const INDEX_FILE = 'index.json';
export const INDEX_LIMITS = { maxBytes: 32 * 1024 * 1024, maxDepth: 16 };

/** Size and content of one file. */
export type FileRecord = {
  readonly file: string;
  readonly size: number;
  /** `sha256:<hex>`. */
  readonly digest: string;
};

/** One published version. */
export type Publication = {
  readonly version: string;
  /** RFC 3339, UTC, whole seconds. */
  readonly published_at: string;
  /** Deletion is refused before this moment. */
  readonly retain_until: string;
  /** Who signed, as the certificate says; absent with a key of one's own. For people: whoever verifies pins it. */
  readonly signed_by?: { readonly subject: string; readonly issuer: string };
} & { readonly [part in keyof PublicationFiles]: FileRecord };

export type PublishedArtifact = {
  readonly artifact: string;
  /** Absent where no version was to become it. */
  readonly latest?: string;
  /** In the order of publication. */
  readonly versions: readonly Publication[];
};

export type PublicationIndex = {
  readonly kind: 'sbom-index';
  readonly format: 1;
  readonly updated_at: string;
  readonly artifacts: readonly PublishedArtifact[];
};

export function emptyIndex(now: string): PublicationIndex {
  return { kind: 'sbom-index', format: 1, updated_at: now, artifacts: [] };
}

/** The index as it is stored: for machines, and readable for people. */
export function formatIndex(index: PublicationIndex): string {
  return `${JSON.stringify(index, null, 2)}\n`;
}

export function findPublication(index: PublicationIndex, { artifact, version }: PublicationName) {
  const found = index.artifacts.find((one) => one.artifact === artifact);
  return found?.versions.find((one) => one.version === version);
}

/**
 * The index with one more version; the version must not be in it.
 * @throws PublishingError as assertNameIsFree
 */
export function addPublication(
  index: PublicationIndex,
  artifact: string,
  publication: Publication,
  { now, mayBecomeLatest = true }: { readonly now: string; readonly mayBecomeLatest?: boolean },
): PublicationIndex {
  assertNameIsFree(index, { artifact, version: publication.version });
  const before = index.artifacts.find((one) => one.artifact === artifact);
  const moves = mayBecomeLatest && becomesLatest(publication.version, before?.latest);
  const latest = moves ? publication.version : before?.latest;
  const after: PublishedArtifact = {
    artifact,
    ...(latest === undefined ? {} : { latest }),
    versions: [...(before?.versions ?? []), publication],
  };
  const others = index.artifacts.filter((one) => one.artifact !== artifact);
  const artifacts = [...others, after].sort((a, b) => (a.artifact < b.artifact ? -1 : 1));
  return { ...index, updated_at: now, artifacts };
}

/** The index without a version; where that was the latest, the highest of the others is. */
export function removePublication(index: PublicationIndex, name: PublicationName, now: string): PublicationIndex {
  const artifacts = index.artifacts.flatMap((one): PublishedArtifact[] => {
    if (one.artifact !== name.artifact) return [one];
    const versions = one.versions.filter(({ version }) => version !== name.version);
    if (versions.length === 0) return [];
    const latest = one.latest === name.version ? latestOf(versions.map(({ version }) => version)) : one.latest;
    return [{ artifact: one.artifact, ...(latest === undefined ? {} : { latest }), versions }];
  });
  return { ...index, updated_at: now, artifacts };
}

/**
 * `a-1` in version `2` and `a` in version `1-2` have one file name, `a-x` has its latest where `a` has its version
 * `x-latest`, and some file systems take `A` for `a`: whoever came first has the name.
 * @throws PublishingError `publishing.name_taken`
 */
export function assertNameIsFree(index: PublicationIndex, name: PublicationName): void {
  claim(ownersOf(index), name);
}

/** File name in lower case → who has it. */
type Owners = Map<string, string>;

function ownersOf({ artifacts }: PublicationIndex): Owners {
  const owners: Owners = new Map();
  for (const { artifact, versions } of artifacts) {
    for (const { version } of versions) claim(owners, { artifact, version });
  }
  return owners;
}

function claim(owners: Owners, name: PublicationName): void {
  const wanted: ReadonlyArray<readonly [file: string, owner: string]> = [
    [publicationFiles(name).document, `${name.artifact}@${name.version}`],
    [latestFile(name.artifact), name.artifact],
  ];
  for (const [file, owner] of wanted) {
    const taken = owners.get(file.toLowerCase());
    if (taken !== undefined && taken !== owner) {
      throw new PublishingError('publishing.name_taken', `the file name ${file} belongs to ${taken}`, {
        expected: 'another artifact name, e.g. by --component-name',
        found: owner,
      });
    }
    owners.set(file.toLowerCase(), owner);
  }
}

/**
 * Reads an index that somebody else may have written: every name in it is one that could have been published, every
 * file has the name of its version, none belongs to two.
 * @throws PublishingError `publishing.index_invalid`
 */
export function parseIndex(bytes: Uint8Array): PublicationIndex {
  const parsed = parseStrictJson(bytes, INDEX_LIMITS);
  if (!parsed.ok) throw invalid(parsed.issues[0]?.message ?? 'it is no JSON');
  const { value } = parsed;
  if (!isJsonObject(value) || value['kind'] !== 'sbom-index' || value['format'] !== 1) {
    throw invalid('it is no index of SBOMs in format 1');
  }
  const index: PublicationIndex = {
    kind: 'sbom-index',
    format: 1,
    updated_at: timestamp(value['updated_at'], 'updated_at'),
    artifacts: list(value['artifacts'], 'artifacts').map(publishedArtifact),
  };
  try {
    ownersOf(index);
  } catch (cause) {
    throw invalid((cause as Error).message);
  }
  return index;
}

function publishedArtifact(value: JsonValue): PublishedArtifact {
  const item = object(value, 'an artifact');
  const artifact = text(item['artifact'], 'artifact');
  const versions = list(item['versions'], `${artifact}: versions`).map((version) =>
    publication(object(version, artifact), artifact),
  );
  const names = new Set(versions.map(({ version }) => version));
  if (names.size !== versions.length) throw invalid(`${artifact}: a version is there twice`);
  if (item['latest'] === undefined) return { artifact, versions };
  const latest = text(item['latest'], `${artifact}: latest`);
  if (!names.has(latest)) throw invalid(`${artifact}: its latest version is not in it`);
  return { artifact, latest, versions };
}

function publication(item: JsonObject, artifact: string): Publication {
  const version = text(item['version'], `${artifact}: version`);
  const place = `${artifact}@${version}`;
  try {
    assertPublicationName({ artifact, version });
  } catch (cause) {
    throw invalid((cause as Error).message);
  }
  const files = publicationFiles({ artifact, version });
  const signer = item['signed_by'] === undefined ? undefined : object(item['signed_by'], place);
  return {
    version,
    published_at: timestamp(item['published_at'], place),
    retain_until: timestamp(item['retain_until'], place),
    ...(signer === undefined
      ? {}
      : { signed_by: { subject: text(signer['subject'], place), issuer: text(signer['issuer'], place) } }),
    document: fileRecord(item['document'], files.document),
    signature: fileRecord(item['signature'], files.signature),
    bundle: fileRecord(item['bundle'], files.bundle),
  };
}

function fileRecord(value: JsonValue | undefined, expected: string): FileRecord {
  const item = object(value, expected);
  const size = item['size'];
  const digest = parseSha256(text(item['digest'], expected));
  if (item['file'] !== expected) throw invalid(`${expected} is listed under another name`);
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) throw invalid(`${expected} has no size`);
  if (digest === undefined) throw invalid(`${expected} has no digest`);
  return { file: expected, size, digest };
}

function object(value: JsonValue | undefined, place: string): JsonObject {
  if (value !== undefined && isJsonObject(value)) return value;
  throw invalid(`${place}: no object`);
}

function list(value: JsonValue | undefined, place: string): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  throw invalid(`${place}: no list`);
}

function text(value: JsonValue | undefined, place: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw invalid(`${place}: no text`);
}

/** As it is written here: whole seconds, so that times compare as texts. */
function timestamp(value: JsonValue | undefined, place: string): string {
  const time = text(value, place);
  if (isTimestamp(time) && !time.includes('.')) return time;
  throw invalid(`${place}: no time in UTC with whole seconds`);
}

function invalid(message: string): PublishingError {
  return new PublishingError('publishing.index_invalid', `${INDEX_FILE} cannot be relied on: ${message}`);
}
