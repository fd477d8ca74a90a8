import { isJsonObject } from '@colophon/json';
import { parse as parseToml } from 'smol-toml';
import { pomLicence } from './pom.ts';
import type { SourceFile } from './source-tree.ts';

/** Files at the root that state a licence, and how each says it; the first one that does counts. */
const MANIFESTS: ReadonlyArray<readonly [name: RegExp, read: (text: string) => string | undefined]> = [
  [/^package\.json$/, npmLicence],
  [/^Cargo\.toml$/, cargoLicence],
  [/^PKG-INFO$/, pythonLicence],
  [/^[^/]+\.dist-info\/METADATA$/, pythonLicence],
  [/^pyproject\.toml$/, pyprojectLicence],
  [/^pom\.xml$/, pomLicence],
];
const MAX_MANIFEST_BYTES = 1024 * 1024;
const MAX_LICENCE_LENGTH = 500;

/** What the package's own manifest says, or undefined. */
export function statedLicence(files: readonly SourceFile[]): string | undefined {
  for (const [name, read] of MANIFESTS) {
    const manifest = files.find(({ path }) => name.test(path));
    if (manifest === undefined || manifest.bytes.length > MAX_MANIFEST_BYTES) continue;
    const licence = read(textOf(manifest.bytes))?.trim();
    if (licence) return licence.slice(0, MAX_LICENCE_LENGTH);
  }
  return undefined;
}

/** `license`, or the older forms of it, whose list npm always meant as a choice. */
function npmLicence(text: string): string | undefined {
  let manifest: { license?: unknown; licenses?: unknown } | null;
  try {
    manifest = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { license, licenses } = manifest ?? {};
  const names = (Array.isArray(license ?? licenses) ? ((license ?? licenses) as unknown[]) : [license ?? licenses])
    .map((one) => (typeof one === 'object' && one !== null ? ((one as { type?: unknown }).type ?? undefined) : one))
    .filter((one) => typeof one === 'string' && one !== '');
  return names.length > 1 ? `(${names.join(' OR ')})` : (names[0] as string | undefined);
}

/** The slash is cargo's older way to write a choice. */
function cargoLicence(text: string): string | undefined {
  const { license } = tomlTable(text, 'package');
  if (typeof license !== 'string') return undefined;
  return license
    .split('/')
    .map((part) => part.trim())
    .join(' OR ');
}

/** An expression (PEP 639), or the older table with a text. */
function pyprojectLicence(text: string): string | undefined {
  const { license } = tomlTable(text, 'project');
  const stated = isJsonObject(license) ? license['text'] : license;
  return typeof stated === 'string' && !stated.trim().includes('\n') ? stated : undefined;
}

/** PEP 639's expression, else the free text where it is a name and no text, else what the classifiers say. */
function pythonLicence(text: string): string | undefined {
  const [headers = ''] = text.replaceAll('\r\n', '\n').split(/\n\n/, 1);
  const expression = /^License-Expression:[ \t]*(\S.*)$/m.exec(headers)?.[1];
  const [, free, continued] = /^License:[ \t]*(\S.*)$(\n[ \t]+\S)?/m.exec(headers) ?? [];
  const name = free !== undefined && continued === undefined && free !== 'UNKNOWN' ? free : undefined;
  const classifiers = [...headers.matchAll(/^Classifier:[ \t]*License :: (?:.* :: )?(\S.*)$/gm)]
    .map(([, classifier]) => classifier as string)
    .filter((classifier) => classifier !== 'OSI Approved');
  // Several classifiers do not say whether all or any of them hold, so they are no expression.
  return expression ?? name ?? (classifiers.length === 0 ? undefined : classifiers.join(', '));
}

/** One table of a TOML document; empty where there is none. */
function tomlTable(text: string, name: string): Record<string, unknown> {
  try {
    const table = parseToml(text)[name];
    return isJsonObject(table) ? table : {};
  } catch {
    return {};
  }
}

const LICENCE_FILE = /^(?:[a-z0-9.]+-)?(?:un)?licen[cs]es?(?:[-._][\w.+-]*)?$|^copying(?:[-._][\w.+-]*)?$/i;
const CODE_FILE = /\.(?:[cm]?[jt]sx?|py|java|go|rs|c|h|json|ya?ml|toml|css|svg)$/i;
/** The root, and the folders that packaging conventions have for licences. */
const LICENCE_FOLDER = /^(?:licen[cs]es\/|META-INF\/|[^/]+\.dist-info\/(?:licenses\/)?)?[^/]+$/i;
const MAX_LICENCE_BYTES = 1024 * 1024;

/** The licence texts that a package brings along. */
export function licenceTextsOf(files: readonly SourceFile[]): ReadonlyArray<{ path: string; text: string }> {
  return files
    .filter(({ path, bytes }) => {
      const name = path.slice(path.lastIndexOf('/') + 1);
      const isNamedSo = /^licenses\//i.test(path) || (LICENCE_FILE.test(name) && !CODE_FILE.test(name));
      return isNamedSo && LICENCE_FOLDER.test(path) && bytes.length <= MAX_LICENCE_BYTES;
    })
    .map(({ path, bytes }) => ({ path, text: textOf(bytes) }));
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
