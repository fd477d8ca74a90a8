import { SourceError } from '../source-error/source-error.ts';
import type { Downloader } from './downloader.ts';
import type { Integrity } from './integrity.ts';
import type { PackageReference, SourceType } from './package-reference.ts';
import type { SourceLimits } from './source-limits.ts';
import type { SourceTree } from './source-tree.ts';

/** The process's environment, or what a test puts in its place. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What every kind of registry needs to find a package. */
export type SourceContext = {
  readonly downloader: Downloader;
  readonly limits: SourceLimits;
  readonly env: Environment;
  /** Folders whose `go.sum` may refuse a Go module. */
  readonly goSumFolders: readonly string[];
  readonly registries: Readonly<Partial<Record<SourceType, string>>>;
};

/** A package as one place has it. */
export type FoundSource = {
  readonly tree: SourceTree;
  readonly integrity: Integrity;
  /** Without login and query. */
  readonly origin: string;
};

/** The address of a registry and what to say to it. */
export type Registry = {
  /** Ends with a slash. */
  readonly base: URL;
  readonly authorizationFor: (url: URL) => string | undefined;
};

/** An address as people configure it, whose login (`https://user:password@host`) is sent to that origin alone. */
export function registryAt(address: string): Registry {
  const base = URL.canParse(address) ? new URL(address) : undefined;
  if (base?.protocol !== 'https:' && base?.protocol !== 'http:') {
    throw new SourceError('feeds.address_refused', 'the configured registry is no http or https address', {
      expected: 'https://HOST/PATH',
    });
  }
  const login = base.username === '' ? undefined : `${decodeURIComponent(base.username)}:${decodePassword(base)}`;
  base.username = '';
  base.password = '';
  base.search = '';
  base.hash = '';
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  const authorization = login === undefined ? undefined : `Basic ${Buffer.from(login).toString('base64')}`;
  return { base, authorizationFor: (url) => (url.origin === base.origin ? authorization : undefined) };
}

function decodePassword({ password }: URL): string {
  return decodeURIComponent(password);
}

/**
 * A package URL may name the registry that it means. A document is no reason to open connections wherever it says, and
 * the package of that name at another registry is another package; so it has to be the configured one.
 * @throws SourceError `feeds.purl_unsupported`
 */
export function assertMeantRegistry({ purl, repositoryUrl }: PackageReference, { base }: Registry): void {
  if (repositoryUrl === undefined || hostAndPath(repositoryUrl) === hostAndPath(base.href)) return;
  throw new SourceError('feeds.purl_unsupported', 'the package URL means another registry than the configured one', {
    checked: purl,
    expected: base.href,
    found: repositoryUrl.slice(0, 200),
  });
}

function hostAndPath(address: string): string {
  return address
    .toLowerCase()
    .replace(/^[a-z+]+:\/\//, '')
    .replace(/\/+$/, '');
}

/** Path segments of an address; none of them can leave its place. */
export function pathOf(...segments: readonly string[]): string {
  return segments.map(encodeURIComponent).join('/');
}
