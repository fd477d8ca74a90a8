import { PackageURL } from 'packageurl-js';
import { FeedsError } from '../feeds-error/feeds-error.ts';

/** Kinds of packages whose source can be fetched. */
export const SOURCE_TYPES = ['npm', 'pypi', 'cargo', 'golang', 'maven', 'github'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

/** What a package URL says, checked so far that it can stand in an address. */
export type PackageReference = {
  /** As it was given. */
  readonly purl: string;
  readonly type: SourceType;
  /** The scope with `@`, the group, the owner, or the path before the last part; empty where there is none. */
  readonly namespace: string;
  readonly name: string;
  readonly version: string;
  /** The qualifier `repository_url`. */
  readonly repositoryUrl: string | undefined;
  /** The qualifier `checksum`: `algorithm:hex`, several with commas. */
  readonly checksum: string | undefined;
};

const PART = /^[A-Za-z0-9_~!.+-]+$/;
const NPM_SCOPE = /^@[A-Za-z0-9_~.-]+$/;
const MAX_PURL_LENGTH = 4096;

/**
 * Reads a package URL with a version.
 * @throws FeedsError `feeds.purl_invalid`, `feeds.purl_unsupported`
 * @see https://github.com/package-url/purl-spec
 */
export function parsePackageReference(purl: string): PackageReference {
  const parsed = parse(purl);
  const { namespace, name } = asWritten(purl, parsed);
  const { version = '', qualifiers = {} } = parsed;
  if (!SOURCE_TYPES.includes(parsed.type as never)) {
    throw unsupported(purl, `the source of a ${parsed.type} package cannot be fetched`, SOURCE_TYPES.join(', '));
  }
  const type = parsed.type as SourceType;
  if (version === '') throw unsupported(purl, 'the package URL names no version', `${purl}@VERSION`);
  const isScoped = type === 'npm' && NPM_SCOPE.test(namespace);
  const parts = [...(namespace === '' || isScoped ? [] : namespace.split('/')), name, ...version.split('/')];
  if (parts.some((part) => !PART.test(part) || /^\.+$/.test(part))) {
    throw invalid(purl, 'a name or version holds what no package of this kind has');
  }
  const needsNamespace = type === 'maven' || type === 'github';
  if (needsNamespace && namespace === '') throw invalid(purl, `a ${type} package has a namespace`);
  if (type === 'npm' && namespace !== '' && !isScoped) throw invalid(purl, 'the scope of an npm package begins with @');
  const { repository_url: repositoryUrl, checksum } = qualifiers as Record<string, string | undefined>;
  return { purl, type, namespace, name, version, repositoryUrl, checksum };
}

function parse(purl: string): PackageURL {
  if (purl.length > MAX_PURL_LENGTH) throw invalid(`${purl.slice(0, 64)}…`, 'it is too long');
  try {
    return PackageURL.fromString(purl);
  } catch (cause) {
    // The library throws errors of several kinds, whose messages quote what they were given.
    throw invalid(
      purl,
      cause instanceof ReferenceError ? 'its version is none of its kind' : 'it cannot be read',
      cause,
    );
  }
}

/** The library writes npm names in lower case, and a few old packages have capitals. */
function asWritten(purl: string, { type, namespace, name = '' }: PackageURL): { namespace: string; name: string } {
  const normal = { namespace: namespace ?? '', name };
  if (type !== 'npm') return normal;
  // Some tools encode the slash after the scope too.
  const [, scope, rest] = /^(@[^/]+)\/([^/]+)$/.exec(name) ?? [];
  if (scope !== undefined && rest !== undefined) return { namespace: scope, name: rest };
  const [path = ''] = purl.split(/[?#]/);
  const written = path.slice(path.toLowerCase().lastIndexOf(`/${encodeURIComponent(name)}`) + 1).slice(0, name.length);
  return written.toLowerCase() === name ? { ...normal, name: written } : normal;
}

function invalid(purl: string, why: string, cause?: unknown): FeedsError {
  return new FeedsError(
    'feeds.purl_invalid',
    `this is no package URL: ${why}`,
    { checked: purl, expected: 'pkg:TYPE/NAMESPACE/NAME@VERSION, e.g. pkg:npm/left-pad@1.3.0' },
    { cause },
  );
}

function unsupported(purl: string, message: string, expected: string): FeedsError {
  return new FeedsError('feeds.purl_unsupported', message, { checked: purl, expected });
}
