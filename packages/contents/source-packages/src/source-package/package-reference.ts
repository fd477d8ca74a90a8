import { type PackageUrl, parsePackageUrl } from '@colophon/notation';
import { SourceError } from '../source-error/source-error.ts';

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
/** Go's versions have all three numbers. */
const GO_VERSION = /^v\d+\.\d+\.\d+(?:[-+]|$)/;
const MAX_PURL_LENGTH = 4096;

/**
 * Reads a package URL with a version.
 * @throws SourceError `feeds.purl_invalid`, `feeds.purl_unsupported`
 * @see https://github.com/package-url/purl-spec
 */
export function parsePackageReference(purl: string): PackageReference {
  if (purl.length > MAX_PURL_LENGTH) throw invalid(`${purl.slice(0, 64)}…`, 'it is too long');
  const parsed = parsePackageUrl(purl.trim());
  if (parsed === undefined) throw invalid(purl, 'it cannot be read');
  const { namespace, name } = namesOf(parsed);
  const { version = '', qualifiers } = parsed;
  if (!SOURCE_TYPES.includes(parsed.type as never)) {
    throw unsupported(purl, `the source of a ${parsed.type} package cannot be fetched`, SOURCE_TYPES.join(', '));
  }
  const type = parsed.type as SourceType;
  if (version === '') throw unsupported(purl, 'the package URL names no version', `${purl}@VERSION`);
  if (type === 'golang' && version.startsWith('v') && !GO_VERSION.test(version)) {
    throw invalid(purl, 'its version is not valid for its type');
  }
  const isScoped = type === 'npm' && NPM_SCOPE.test(namespace);
  const parts = [...(namespace === '' || isScoped ? [] : namespace.split('/')), name, ...version.split('/')];
  if (parts.some((part) => !PART.test(part) || /^\.+$/.test(part))) {
    throw invalid(purl, 'a name or version holds what no package of this kind has');
  }
  const needsNamespace = type === 'maven' || type === 'github';
  if (needsNamespace && namespace === '') throw invalid(purl, `a ${type} package has a namespace`);
  if (type === 'npm' && namespace !== '' && !isScoped) throw invalid(purl, 'the scope of an npm package begins with @');
  const qualifier = (wanted: string) => qualifiers.find(([key]) => key === wanted)?.[1];
  const [repositoryUrl, checksum] = [qualifier('repository_url'), qualifier('checksum')];
  return { purl, type, namespace, name, version, repositoryUrl, checksum };
}

/** Namespace and name as their registry knows them. */
function namesOf({ type, namespace, name }: PackageUrl): { namespace: string; name: string } {
  const group = namespace.join('/');
  if (type === 'github') return { namespace: group.toLowerCase(), name: name.toLowerCase() };
  if (type === 'pypi') return { namespace: group, name: name.toLowerCase().replaceAll('_', '-') };
  if (type !== 'npm') return { namespace: group, name };
  // Some tools encode the slash after the scope too. A few old packages have capitals, no scope has.
  const [, scope = group, rest = name] = /^(@[^/]+)\/([^/]+)$/.exec(name) ?? [];
  return { namespace: scope.toLowerCase(), name: rest };
}

function invalid(purl: string, why: string): SourceError {
  return new SourceError('feeds.purl_invalid', `this is no package URL: ${why}`, {
    checked: purl,
    expected: 'pkg:TYPE/NAMESPACE/NAME@VERSION, e.g. pkg:npm/left-pad@1.3.0',
  });
}

function unsupported(purl: string, message: string, expected: string): SourceError {
  return new SourceError('feeds.purl_unsupported', message, { checked: purl, expected });
}
