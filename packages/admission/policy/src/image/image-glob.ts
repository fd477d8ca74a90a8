import { DEFAULT_REGISTRY, type ImageReference, isRegistry, normaliseRegistry, spellingsOf } from '@colophon/notation';
import { RE2JS } from 're2js';

const GLOB = /^[A-Za-z0-9._:@/[\]*-]{1,512}$/;

/** A pattern over image references, compiled. */
export type ImageGlob = {
  /** As the policy wrote it. */
  readonly text: string;
  covers(image: ImageReference): boolean;
};

/** A glob taken apart as a reference is: a star of one part reaches into no other. */
export type GlobParts = {
  /** With its registry. */
  readonly repository: string;
  readonly tag?: string;
  readonly digest?: string;
};

/**
 * Compiles a glob over image references: `*` stands for anything within one path segment, `**` for anything across
 * segments, and `/**` + `/` also for nothing. What it says of the repository is compared with `registry/repository`;
 * where it has a tag or a digest, the image has to have one that fits, and otherwise may have any. Names without a
 * registry are Docker Hub's, as in references: `nginx*` is `index.docker.io/library/nginx*`. A registry without a star
 * is compared by its one name, one with a star by every spelling of the image's. Undefined when a character cannot
 * stand in a reference, or no registry is so named.
 * @see contract §5.3
 */
export function compileImageGlob(text: string): ImageGlob | undefined {
  if (!GLOB.test(text) || text.includes('***') || text.startsWith('/') || text.endsWith('/')) return undefined;
  const glob = writtenOutGlob(text);
  if (glob === undefined) return undefined;
  const { repository, tag, digest } = globParts(glob);
  const mayCover = withoutPattern(repository);
  const isRepository = compile(repository);
  const hasTag = ofReference(tag);
  const hasDigest = ofReference(digest);
  return {
    text,
    covers: (image) =>
      mayCover(image) &&
      hasTag(image.tag) &&
      hasDigest(image.digest) &&
      spellingsOf(image.registry).some((spelling) => isRepository(`${spelling}/${image.repository}`)),
  };
}

/** A glob with its registry written out, taken apart. */
export function globParts(glob: string): GlobParts {
  const at = glob.indexOf('@');
  const name = at < 0 ? glob : glob.slice(0, at);
  const colon = name.lastIndexOf(':');
  // Another colon is that of a port.
  const hasTag = colon > name.lastIndexOf('/');
  return {
    repository: hasTag ? name.slice(0, colon) : name,
    ...(hasTag && { tag: name.slice(colon + 1) }),
    ...(at >= 0 && { digest: glob.slice(at + 1) }),
  };
}

/** What a glob says of a tag or a digest: nothing where it has none. */
function ofReference(glob: string | undefined): (part: string | undefined) => boolean {
  if (glob === undefined) return () => true;
  const fits = compile(glob);
  return (part) => part !== undefined && fits(part);
}

function compile(glob: string): (text: string) => boolean {
  const pattern = RE2JS.compile(translate(glob));
  return (text) => pattern.matches(text);
}

/**
 * False for most repositories that a glob does not cover: a registry without a star is compared by its one name, and so
 * is what stands before the first star. The pattern costs ten times as much, and most policies are about other images.
 */
function withoutPattern(glob: string): (image: ImageReference) => boolean {
  const star = glob.indexOf('*');
  const beginning = star < 0 ? glob : glob.slice(0, star);
  if (!beginning.includes('/')) return () => true;
  return ({ registry, repository }) => `${registry}/${repository}`.startsWith(beginning);
}

/**
 * Gives a glob the registry and the `library/` that it leaves out, and its registry the one name that it has. Undefined where
 * no registry is so named.
 */
export function writtenOutGlob(glob: string): string | undefined {
  const slash = glob.indexOf('/');
  const first = slash < 0 ? '' : glob.slice(0, slash);
  if (glob.startsWith('**')) return glob;
  if (slash < 0) return `${DEFAULT_REGISTRY}/library/${glob}`;
  const hasStar = first.includes('*');
  if (!isRegistry(first) && !hasStar) return `${DEFAULT_REGISTRY}/${glob}`;
  const registry = hasStar ? first.toLowerCase() : normaliseRegistry(first);
  if (registry === undefined) return undefined;
  const rest = glob.slice(slash + 1);
  const isOfficial = registry === DEFAULT_REGISTRY && !rest.includes('/') && !rest.startsWith('**');
  return `${registry}/${isOfficial ? 'library/' : ''}${rest}`;
}

function translate(glob: string): string {
  return glob
    .split(/(\/\*\*\/|\*\*|\*)/)
    .map((part) => {
      if (part === '/**/') return '/(?:.*/)?';
      if (part === '**') return '.*';
      if (part === '*') return '[^/]*';
      return RE2JS.quote(part);
    })
    .join('');
}
