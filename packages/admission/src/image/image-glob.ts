import { DEFAULT_REGISTRY, type ImageReference, isRegistry, normaliseRegistry, spellingsOf } from '@colophon/notation';
import { RE2JS } from 're2js';

const GLOB = /^[A-Za-z0-9._:@/[\]*-]{1,512}$/;

/** A pattern over image references, compiled. */
export type ImageGlob = {
  /** As the policy wrote it. */
  readonly text: string;
  covers(image: ImageReference): boolean;
};

/**
 * Compiles a glob over image references: `*` stands for anything within one path segment, `**` for anything across
 * segments, and `/**` + `/` also for nothing. It is compared with `registry/repository`, and against the same with
 * `:tag`, `@digest` and both; one match is enough. Names without a registry are Docker Hub's, as in references:
 * `nginx*` is `index.docker.io/library/nginx*`. A registry without a star is compared by its one name, one with a star
 * by every spelling of the image's. Undefined when a character cannot stand in a reference, or no registry is so named.
 * @see contract §5.3
 */
export function compileImageGlob(text: string): ImageGlob | undefined {
  if (!GLOB.test(text) || text.includes('***') || text.startsWith('/') || text.endsWith('/')) return undefined;
  const glob = writtenOutGlob(text);
  if (glob === undefined) return undefined;
  const pattern = RE2JS.compile(translate(glob));
  const mayCover = withoutPattern(glob);
  return { text, covers: (image) => mayCover(image) && namesOf(image).some((name) => pattern.matches(name)) };
}

/**
 * False for most images that a glob does not cover: a registry without a star is compared by its one name, and so is what
 * stands before the first star. The pattern costs ten times as much, and most policies are about other images.
 */
function withoutPattern(glob: string): (image: ImageReference) => boolean {
  const star = glob.indexOf('*');
  const beginning = star < 0 ? glob : glob.slice(0, star);
  if (!beginning.includes('/')) return () => true;
  return ({ registry, repository }) => {
    const name = `${registry}/${repository}`;
    return name.startsWith(beginning) || beginning.startsWith(name);
  };
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

function namesOf({ registry, repository, tag, digest }: ImageReference): string[] {
  const endings = [''];
  if (tag !== undefined) endings.push(`:${tag}`);
  if (digest !== undefined) endings.push(`@${digest}`);
  if (tag !== undefined && digest !== undefined) endings.push(`:${tag}@${digest}`);
  return spellingsOf(registry).flatMap((spelling) => endings.map((ending) => `${spelling}/${repository}${ending}`));
}
