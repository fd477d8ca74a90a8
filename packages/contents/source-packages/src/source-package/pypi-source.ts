import { isJsonObject } from '@colophon/json';
import { jsonIn, shownAddress } from '@colophon/peer';
import { SourceError } from '../source-error/source-error.ts';
import { DEFAULT_REGISTRIES } from './default-registries.ts';
import { type Announced, checkIntegrity, parseChecksums } from './integrity.ts';
import type { PackageReference } from './package-reference.ts';
import { readTarGz, readZip } from './read-archive.ts';
import { assertMeantRegistry, type FoundSource, pathOf, registryAt, type SourceContext } from './source-context.ts';

const SIMPLE = 'application/vnd.pypi.simple.v1+json, text/html;q=0.5';

/** Of a link's tag, and of a file's name. */
const MAX_TAG_LENGTH = 4096;
const MAX_NAME_LENGTH = 512;

/** One file of a project on the index. */
type Distribution = { readonly filename: string; readonly url: URL; readonly hashes: readonly Announced[] };

/**
 * The source distribution of a Python package, or its wheel where that is pure Python, checked against the index's hash.
 * Every index speaks the simple API, as JSON or as a page of links.
 * @see https://packaging.python.org/en/latest/specifications/simple-repository-api/
 */
export async function fetchPypiSource(
  reference: PackageReference,
  context: SourceContext,
): Promise<FoundSource | undefined> {
  const { purl, name, version, checksum } = reference;
  const { downloader, limits, env, registries } = context;
  const registry = registryAt(
    registries.pypi ?? (env['PIP_INDEX_URL'] || env['UV_INDEX_URL'] || DEFAULT_REGISTRIES.pypi),
  );
  assertMeantRegistry(reference, registry);
  const maxBytes = limits.maxDownloadBytes;
  const project = new URL(`${pathOf(normalName(name))}/`, registry.base);
  const page = await downloader.get(project, { accept: SIMPLE, maxBytes, registry });
  if (page === undefined) return undefined;
  const all = distributions(page, project).filter(
    ({ filename }) => versionOf(filename, name) === normalVersion(version),
  );
  const chosen =
    all.find(({ filename }) => filename.endsWith('.tar.gz')) ??
    all.find(({ filename }) => filename.endsWith('.zip')) ??
    all.find(({ filename }) => filename.endsWith('-none-any.whl'));
  if (chosen === undefined) {
    if (all.length === 0) return undefined;
    throw new SourceError('feeds.package_not_found', 'this version has binary wheels alone, and no source', {
      checked: purl,
      found: all
        .map(({ filename }) => filename)
        .join(', ')
        .slice(0, 500),
    });
  }
  const archive = await downloader.get(chosen.url, { maxBytes, registry });
  if (archive === undefined) return undefined;
  const integrity = checkIntegrity(archive, chosen.hashes, purl);
  checkIntegrity(archive, parseChecksums(checksum), purl);
  const tree = chosen.filename.endsWith('.tar.gz')
    ? await readTarGz(archive, { checked: purl, limits, root: 'any' })
    : await readZip(archive, { checked: purl, limits, root: chosen.filename.endsWith('.whl') ? 'none' : 'any' });
  return { tree, integrity, origin: shownAddress(chosen.url) };
}

function distributions(page: Uint8Array, base: URL): Distribution[] {
  const document = jsonIn(page);
  if (isJsonObject(document)) return jsonDistributions(document, base);
  return linksOf(new TextDecoder().decode(page)).flatMap((link) => {
    if (!URL.canParse(link, base)) return [];
    const url = new URL(link, base);
    const [, algorithm, value] = /^#(sha\d+)=([0-9a-f]+)$/i.exec(url.hash) ?? [];
    url.hash = '';
    const filename = safeDecode(url.pathname.slice(url.pathname.lastIndexOf('/') + 1));
    return [{ filename, url, hashes: algorithm ? [{ algorithm, value: value as string, encoding: 'hex' }] : [] }];
  });
}

/** The targets of a page's links. Each tag is cut out first: a pattern over a whole page can be slow. */
function linksOf(page: string): string[] {
  const [, ...tags] = page.split(/<a\b/i);
  return tags.flatMap((part) => {
    const end = part.indexOf('>');
    const tag = part.slice(0, Math.min(end === -1 ? 0 : end, MAX_TAG_LENGTH));
    const [, link] = /\bhref\s*=\s*["']([^"']+)["']/i.exec(tag) ?? [];
    return link === undefined ? [] : [link.replaceAll('&amp;', '&')];
  });
}

function jsonDistributions({ files }: Record<string, unknown>, base: URL): Distribution[] {
  return (Array.isArray(files) ? files : []).flatMap((file): Distribution[] => {
    const { filename, url, hashes } = isJsonObject(file) ? file : {};
    if (typeof filename !== 'string' || typeof url !== 'string' || !URL.canParse(url, base)) return [];
    const announced = Object.entries(isJsonObject(hashes) ? hashes : {}).flatMap(([algorithm, value]): Announced[] =>
      typeof value === 'string' ? [{ algorithm, value, encoding: 'hex' }] : [],
    );
    return [{ filename, url: new URL(url, base), hashes: announced }];
  });
}

/** The version in `name-version.tar.gz` or `name-version-py3-none-any.whl`, in its normal form. */
function versionOf(filename: string, name: string): string | undefined {
  if (filename.length > MAX_NAME_LENGTH) return undefined;
  const [, stem, ending] = /^(.*?)(\.tar\.gz|\.zip|\.whl)$/.exec(filename) ?? [];
  const prefix = `${normalName(name)}-`;
  if (stem === undefined || !normalName(stem).startsWith(prefix)) return undefined;
  // Names are normalized to the same length, or to fewer characters where separators repeat.
  const [, rest] =
    new RegExp(`^${normalName(name).replaceAll('+', '\\+').replaceAll('-', '[-_.]+')}-(.*)$`, 'i').exec(stem) ?? [];
  return rest === undefined ? undefined : normalVersion(ending === '.whl' ? (rest.split('-')[0] as string) : rest);
}

/** PEP 503. */
function normalName(name: string): string {
  return name.replace(/[-_.]+/g, '-').toLowerCase();
}

/** As far as file names and package URLs differ in practice; local parts are written with `+`, `_` or `-`. */
function normalVersion(version: string): string {
  return version
    .toLowerCase()
    .replace(/^v/, '')
    .replace(/[-_+]/g, '.')
    .replace(/(\.0+)+$/, '');
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
