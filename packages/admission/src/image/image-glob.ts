import { RE2JS } from 're2js';
import { DEFAULT_REGISTRY, type ImageReference, isRegistry, normaliseRegistry } from './image-reference.ts';

const GLOB = /^[A-Za-z0-9._:@/[\]*-]{1,512}$/;

/** A pattern over image references, compiled. */
export type ImageGlob = {
  /** As the policy wrote it. */
  readonly text: string;
  covers(image: ImageReference): boolean;
};

/**
 * Compiles a glob over image references: `*` stands for anything within one path segment, `**` for anything across
 * segments, and `/**` + `/` also for nothing. It is held against `registry/repository`, and against the same with
 * `:tag`, `@digest` and both; one match is enough. Names without a registry are Docker Hub's, as in references:
 * `nginx*` is `index.docker.io/library/nginx*`. Undefined when a character cannot stand in a reference.
 * @see contract §5.3
 */
export function compileImageGlob(text: string): ImageGlob | undefined {
  if (!GLOB.test(text) || text.includes('***') || text.startsWith('/') || text.endsWith('/')) return undefined;
  const pattern = RE2JS.compile(translate(writeOut(text)));
  return { text, covers: (image) => namesOf(image).some((name) => pattern.matches(name)) };
}

/** Gives a glob the registry and the `library/` that it leaves out. */
function writeOut(glob: string): string {
  const slash = glob.indexOf('/');
  const first = slash < 0 ? '' : glob.slice(0, slash);
  if (glob.startsWith('**')) return glob;
  if (slash < 0) return `${DEFAULT_REGISTRY}/library/${glob}`;
  if (!isRegistry(first) && !first.includes('*')) return `${DEFAULT_REGISTRY}/${glob}`;
  const registry = normaliseRegistry(first);
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
  const name = `${registry}/${repository}`;
  const names = [name];
  if (tag !== undefined) names.push(`${name}:${tag}`);
  if (digest !== undefined) names.push(`${name}@${digest}`);
  if (tag !== undefined && digest !== undefined) names.push(`${name}:${tag}@${digest}`);
  return names;
}
