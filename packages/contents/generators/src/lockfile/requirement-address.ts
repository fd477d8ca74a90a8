import { withoutLogin } from './address.ts';
import type { HashName } from './locked-project.ts';
import { isPythonName } from './pypi-name.ts';
import { withoutEnd } from './requirement-lines.ts';

/** Where a requirement is from, and what the address itself says about it. */
export type RequirementAddress = {
  readonly kind: 'vcs' | 'archive' | 'local';
  /** Without login, fragment and secrets; of a local one the path as it is written. */
  readonly place: string;
  /** From `#egg=`, where that is a name. */
  readonly egg?: string;
  /** A wheel says both in its file name. @see https://packaging.python.org/en/latest/specifications/binary-distribution-format/ */
  readonly wheel?: { readonly name: string; readonly version: string };
  readonly hash?: { readonly alg: HashName; readonly content: string };
};

const VCS = /^(?:(?:git|hg|svn|bzr)\+|git:)/i;
const ARCHIVE = /\.(?:whl|zip|tar\.gz|tgz|tar\.bz2|tbz|tar\.xz|txz|tar)$/i;
const UNSAFE = /[\p{C}\s]/u;
const HASHES: ReadonlyArray<readonly [name: string, alg: HashName, digits: number]> = [
  ['md5', 'MD5', 32],
  ['sha1', 'SHA-1', 40],
  ['sha256', 'SHA-256', 64],
  ['sha384', 'SHA-384', 96],
  ['sha512', 'SHA-512', 128],
];

/** True for an archive or a folder that is named by its path, as pip tells it from a name. */
export function isPath(text: string): boolean {
  return /^\.|[/\\]/.test(text) || ARCHIVE.test(withoutExtras(text));
}

function withoutExtras(text: string): string {
  const start = text.lastIndexOf('[');
  return text.endsWith(']') && start >= 0 ? text.slice(0, start) : text;
}

/** The address of a requirement; undefined for what pip would not fetch from. */
export function parseRequirementAddress(text: string): RequirementAddress | undefined {
  if (UNSAFE.test(text)) return undefined;
  const hash = text.indexOf('#');
  const base = hash < 0 ? text : text.slice(0, hash);
  const fragment = new Map(
    (hash < 0 ? '' : text.slice(hash + 1)).split('&').map((part): [string, string] => {
      const [name = '', ...value] = part.split('=');
      return [name.toLowerCase(), value.join('=')];
    }),
  );
  const [, egg = ''] = /^([^[]*)(?:\[[^\]]*\])?$/.exec(fragment.get('egg') ?? '') ?? [];
  const said = isPythonName(egg) ? { egg } : {};
  if (VCS.test(base)) {
    const subdirectory = fragment.get('subdirectory');
    return { kind: 'vcs', place: withoutLogin(subdirectory ? `${base}#${subdirectory}` : base), ...said };
  }
  const isRemote = /^(?:https?|ftp):/i.test(base);
  const isFile = /^file:/i.test(base);
  if (!isRemote && !isFile && (/^[a-z][a-z0-9+.-]+:/i.test(base) || !isPath(base))) return undefined;
  const place = isRemote ? withoutLogin(base) : withoutExtras(base.replace(/^file:(?:\/\/[^/]*)?/i, ''));
  const wheel = wheelOf(place);
  const digest = HASHES.flatMap(([name, alg, digits]) => {
    const content = fragment.get(name)?.toLowerCase() ?? '';
    return /^[0-9a-f]+$/.test(content) && content.length === digits ? [{ alg, content }] : [];
  })[0];
  return {
    kind: isRemote ? 'archive' : 'local',
    place,
    ...said,
    ...(wheel && { wheel }),
    ...(digest && { hash: digest }),
  };
}

/** What somebody would call it who sees the address alone: the last name in it, without ending and revision. */
export function placeName(place: string): string | undefined {
  const path = withoutEnd(place.replace(/[?#].*$/s, ''), '/\\');
  const last = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'), path.lastIndexOf(':')) + 1);
  const name = last.replace(/@[^@]*$/, '').replace(/\.git$/i, '');
  return /^\.*$/.test(name) ? undefined : name;
}

function wheelOf(place: string): RequirementAddress['wheel'] {
  const file = place
    .replace(/[?#].*$/s, '')
    .split(/[/\\]/)
    .at(-1)!;
  const parts = file.replaceAll(/%2B/gi, '+').replaceAll(/%21/g, '!').split('-');
  if (!/\.whl$/i.test(file) || parts.length < 5 || parts.length > 6) return undefined;
  const [name = '', version = ''] = parts;
  return isPythonName(name) && /^[A-Za-z0-9.!+_]+$/.test(version) ? { name, version } : undefined;
}
