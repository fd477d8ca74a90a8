import { isRegistry, isSha256Hex } from '@colophon/notation';
import { parseCommitId, type ReviewTarget, readWrittenTarget, type Statement } from '@colophon/records';

/** What a person's word is about. */
export type About = {
  /** `sha256:<hex>` of everything that is named and no commit: images, indexes, the manifests in them, files. */
  readonly images: readonly string[];
  /** Commit ids that are named, as subjects or in the predicate. */
  readonly commits: readonly string[];
  /** What was looked at, by the signer's word; absent where they do not say. */
  readonly target?: ReviewTarget;
};

/** An image or a file that somebody asks about. */
export type Artifact = {
  /** `sha256:<hex>`. */
  readonly digest: string;
  /** The same and, of an index, those of the manifests in it. */
  readonly digests: ReadonlySet<string>;
  readonly kind: 'image' | 'file';
};

/** An image, and the commits that it may be made from. */
export type MadeArtifact = Artifact & { readonly commits: ReadonlySet<string> };

/**
 * What a yes is about: the target that it names, and the manifests of it that it names as platforms. A subject that is neither
 * is not approved. Without a target it is about its subjects, of which `approves` asks more.
 * @returns undefined where it says in no readable way what it is about, or something else than its subjects
 */
export function aboutForYes(statement: Statement): About | undefined {
  const named = namedBy(statement);
  const written = readWrittenTarget(statement.predicate);
  if (written === undefined) return named;
  if ('issues' in written || !isNamed(named, written.target)) return undefined;
  const { target, platforms } = written;
  if (target.kind === 'commit') return { images: [], commits: [commitOf(target)], target };
  const approved = new Set([target.digest, ...platforms.map(({ digest }) => digest)]);
  return { images: named.images.filter((digest) => approved.has(digest)), commits: named.commits, target };
}

/**
 * What a no is about: everything that it names anywhere. Where it says in no readable way what it is about, or something else
 * than its subjects, it is about its commits too.
 */
export function aboutForNo(statement: Statement): About {
  const named = withCommitOfRun(statement.predicate, namedBy(statement));
  const written = readWrittenTarget(statement.predicate);
  if (written === undefined) {
    const target = targetBesides(statement, named);
    return target === undefined ? named : { ...named, target };
  }
  const all = withDigestsOf(statement.predicate, named);
  if (!('issues' in written) && isNamed(named, written.target)) return { ...all, target: written.target };
  const [commit] = all.commits;
  return commit === undefined ? all : { ...all, target: { kind: 'commit', digest: `${COMMIT_PREFIX}${commit}` } };
}

/**
 * True where a yes approves an artifact: it is what the yes says that it is about. A yes that does not say it may have been
 * signed for an index, and then names the manifests in it as well: it approves what is named alone, and the index whose
 * manifests are exactly the others. So nobody adds to an index what is approved by itself.
 */
export function approves({ target, images }: About, { kind, digest, digests }: Artifact): boolean {
  if (!images.includes(digest)) return false;
  if (target !== undefined) return target.kind === kind;
  return images.length === 1 || (images.length === digests.size && images.every((one) => digests.has(one)));
}

/** The same of a statement, and of an artifact of which it may not be known what it is: one of `kinds`. */
export function isYesTo(
  statement: Statement,
  artifact: Omit<Artifact, 'kind'>,
  kinds: ReadonlyArray<Artifact['kind']>,
): boolean {
  const about = aboutForYes(statement);
  return about !== undefined && kinds.some((kind) => approves(about, { ...artifact, kind }));
}

/** True for a word that names nothing that we know. */
export function namesNothing({ images, commits }: About): boolean {
  return images.length + commits.length === 0;
}

/**
 * True where a no speaks of an image: it names one of `digests` (the image's own, and those of the manifests in an index), or
 * the image was made from one of its commits. A no to another image is none to its commit.
 */
export function rejects({ images, commits, target }: About, image: Pick<MadeArtifact, 'digests' | 'commits'>): boolean {
  if (images.some((digest) => image.digests.has(digest))) return true;
  const isOfOtherImage = images.length > 0 && (target === undefined || target.kind === 'image');
  return !isOfOtherImage && commits.some((commit) => image.commits.has(commit));
}

/**
 * True where a yes is about all that a no is about: the same target, and every commit. The manifests in an index that was
 * rejected go with it. Where one of the two names no target, both name the same; a no to a commit asks for a yes to the commit.
 */
export function coversAll(yes: About, no: About): boolean {
  if (namesNothing(no) || !includesAll(yes.commits, no.commits)) return false;
  if (no.images.length === 0) return yes.images.length === 0;
  const { target } = no;
  if (target === undefined || target.kind === 'commit') {
    if (yes.target === undefined) return isSame(yes.images, no.images);
    // Who looked at the file of a manifest did not look at the image.
    return yes.target.kind === 'image' && includesAll(yes.images, no.images);
  }
  if (yes.target !== undefined) return yes.target.kind === target.kind && yes.images.includes(target.digest);
  return isSame(yes.images, [target.digest]) || isSame(yes.images, no.images);
}

/**
 * The same for one image that a no speaks of, whatever else it names: the yes names all that the no names of this image, or it
 * approves this image and the no was one to it with every manifest in it. Where the no names commits alone, a yes to the
 * image or to the commit names those that the image was made from.
 */
export function coversFor(yes: About, no: About, image: MadeArtifact): boolean {
  if (coversAll(yes, no)) return true;
  if (no.images.length === 0) {
    const made = no.commits.filter((commit) => image.commits.has(commit));
    const isOfImage = yes.images.length === 0 || approves(yes, image);
    return made.length > 0 && isOfImage && includesAll(yes.commits, made);
  }
  const here = no.images.filter((digest) => image.digests.has(digest));
  if (here.length === 0 || !includesAll(yes.commits, no.commits)) return false;
  if (yes.target !== undefined && yes.target.kind !== image.kind) return false;
  // What names several and says no target may be a yes to an index, and then it is none to a manifest alone.
  const isExact = yes.target !== undefined || yes.images.length === 1;
  if (isExact && includesAll(yes.images, here)) return true;
  const isOfManifests = yes.target !== undefined || includesAll(yes.images, here);
  return isOfManifests && approves(yes, image) && isWhole(no, here, image);
}

/** Whether a no is one to the image itself, and to the manifests in it as to parts of it. */
function isWhole({ target }: About, here: readonly string[], { digest, digests }: MadeArtifact): boolean {
  return target?.digest === digest || (here.includes(digest) && here.length === digests.size);
}

/**
 * The same for a commit that a no names: an image that was rejected with it may never be approved, and the commit may. A yes
 * to a file is none to its commit, and a no to a file is taken back by a yes to the file or to the commit.
 */
export function coversCommit(yes: About, no: About, commit: string): boolean {
  if (coversAll(yes, no)) return true;
  if (!yes.commits.includes(commit)) return false;
  if (yes.target === undefined || yes.target.kind === 'commit') return true;
  return yes.target.kind === 'image' && no.target?.kind !== 'file';
}

const COMMIT_PREFIX = 'gitCommit:';
const SHA256_PREFIX = 'sha256:';

function commitOf({ digest }: ReviewTarget): string {
  return digest.slice(COMMIT_PREFIX.length);
}

/** Digests and commits among the subjects of a statement and in the predicate of a review, each once, in lower case. */
function namedBy({ subject, predicate }: Statement): Pick<About, 'images' | 'commits'> {
  const { commit_sha: commit } = (predicate ?? {}) as Record<string, unknown>;
  const named = (algorithm: string) => subject.flatMap(({ digest }) => digest[algorithm] ?? []);
  const commits = [...named('gitCommit'), ...named('sha1'), ...(typeof commit === 'string' ? [commit] : [])];
  return known(named('sha256'), commits);
}

function known(sha256: readonly string[], commits: readonly string[]): Pick<About, 'images' | 'commits'> {
  const images = sha256.map((hex) => hex.toLowerCase()).filter(isSha256Hex);
  const ids = commits.map((id) => id.toLowerCase()).filter((id) => parseCommitId(id) !== undefined);
  return { images: [...new Set(images.map((hex) => `${SHA256_PREFIX}${hex}`))], commits: [...new Set(ids)] };
}

function isNamed({ images, commits }: About, target: ReviewTarget): boolean {
  return target.kind === 'commit' ? commits.includes(commitOf(target)) : images.includes(target.digest);
}

/** A run that was not approved names its commit in the facts of git. */
function withCommitOfRun(predicate: unknown, { images, commits }: About): Pick<About, 'images' | 'commits'> {
  const id = (predicate as { git?: { commit_sha?: unknown } | null } | null | undefined)?.git?.commit_sha;
  return { images, commits: typeof id === 'string' ? known([], [...commits, id]).commits : commits };
}

/** What somebody wrote as target and platforms in whatever form, beside what is named. */
function withDigestsOf(predicate: unknown, { images, commits }: About): Pick<About, 'images' | 'commits'> {
  const { target, platforms } = predicate as Record<string, unknown>;
  const written = textsIn([target, platforms]).map((text) => text.toLowerCase());
  const ids = written.filter((one) => !one.startsWith(SHA256_PREFIX));
  return known(
    [...images, ...written].map((one) => one.replace(SHA256_PREFIX, '')),
    [...commits, ...ids.map((one) => one.slice(one.indexOf(':') + 1))],
  );
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/**
 * What a no without a target may be about besides the digests that it names: of subjects that are named, and not all of them
 * as images, a file, and with several the commit itself.
 */
function targetBesides({ subject }: Statement, { commits }: Pick<About, 'commits'>): ReviewTarget | undefined {
  const artifacts = subject.filter(({ digest }) => digest['sha256'] !== undefined);
  const [{ digest = {} } = {}] = artifacts;
  if (!artifacts.some(({ name = '' }) => name !== '' && !isNameOfImage(name))) return undefined;
  const [file] = artifacts.length === 1 ? known([digest['sha256'] ?? ''], []).images : [];
  if (file !== undefined) return { kind: 'file', digest: file };
  const [commit] = commits;
  return commit === undefined ? undefined : { kind: 'commit', digest: `${COMMIT_PREFIX}${commit}` };
}

/** With its registry, or as a package URL: a repository without one is written as the path of a file is. */
function isNameOfImage(name: string): boolean {
  if (/^(?:pkg:(?:oci|docker)\/|(?:oci|docker):\/\/)/.test(name)) return true;
  const slash = name.indexOf('/');
  return /^[^.]/.test(name) && slash > 0 && isRegistry(name.slice(0, slash));
}

function includesAll(all: readonly string[], some: readonly string[]): boolean {
  return some.every((one) => all.includes(one));
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return includesAll(one, other) && includesAll(other, one);
}
