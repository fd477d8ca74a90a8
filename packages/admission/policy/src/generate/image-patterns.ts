import { spellingsOf } from '@colophon/notation';
import { type ImageGlob, writtenOutGlob } from '../image/image-glob.ts';

/** More places where a glob stands for nothing or for something are not written out. */
const MOST_OPTIONAL_PARTS = 4;
/** Registries that policy-controller calls by another name before it compares. */
const RENAMED = ['docker.io'];
/** Characters that its globs may have. */
const TAKEN = /^[a-zA-Z0-9_:/*.@-]+$/;

/**
 * Globs of policy-controller that together cover what `glob` does, where an image is given by a tag or by a digest. It compares
 * with the name and whichever of both there is, so a glob over a repository needs an ending; `/**` + `/` does not stand for
 * nothing there; and a registry has only the name that is written.
 * @see github.com/sigstore/policy-controller pkg/apis/glob
 */
export function imagePatterns({ text }: ImageGlob): string[] {
  const patterns = spelledRegistries(writtenOutGlob(text) ?? text)
    .flatMap((pattern) => withoutOptionalParts(pattern, MOST_OPTIONAL_PARTS))
    .flatMap(withEnding);
  return [...new Set(patterns)].filter((pattern) => TAKEN.test(pattern));
}

function spelledRegistries(glob: string): string[] {
  const slash = glob.indexOf('/');
  const registry = glob.slice(0, slash);
  if (slash < 0 || registry.includes('*')) return [glob];
  const names = spellingsOf(registry).filter((name) => !RENAMED.includes(name));
  return names.map((name) => name + glob.slice(slash));
}

function withoutOptionalParts(glob: string, most: number): string[] {
  const at = glob.indexOf('/**/');
  if (at < 0 || most === 0) return [glob];
  const [before, after] = [glob.slice(0, at), glob.slice(at + '/**/'.length)];
  return withoutOptionalParts(after, most - 1).flatMap((rest) => [`${before}/**/${rest}`, `${before}/${rest}`]);
}

function withEnding(glob: string): string[] {
  const name = glob.slice(glob.lastIndexOf('/') + 1);
  if (/[:@]/.test(name)) return [glob];
  // By itself `*/*` means Docker Hub there, and a star takes the tag or digest along.
  if (glob.endsWith('*') && glob !== '*/*') return [glob];
  return [`${glob}:*`, `${glob}@*`];
}
