import type { Bom, Component } from '@colophon/sbom';
import { PublishingError } from './publishing-error.ts';

/** Where published SBOMs lie below a base address (contract §4.2). */
export const WELL_KNOWN_PATH = '.well-known/sbom';

/** What one SBOM is about, as its file names say it. */
export type PublicationName = { readonly artifact: string; readonly version: string };

/** Names of the files of one version. */
export type PublicationFiles = {
  readonly document: string;
  /** Base64 of the signature over the document's bytes. */
  readonly signature: string;
  /** The same signature as a Sigstore bundle. */
  readonly bundle: string;
};

/** With the longest suffix and a draft's, a name stays within the 255 bytes of file systems. */
const MOST_NAME_LENGTH = 80;
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._+-]*[A-Za-z0-9+_-])?$/;
const FILE = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,180}\.cdx\.json(?:\.sig|\.sigstore\.json)?$/;
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
/** Where a document says under which other name it is published. */
export const ARTIFACT_PROPERTY = 'colophon:artifact';

/**
 * The name as it may stand in a path, a URL and an object key on every system.
 * @throws PublishingError `publishing.name_invalid`
 */
export function assertPublicationName({ artifact, version }: PublicationName): void {
  assertName('artifact', artifact);
  assertName('version', version);
  if (version.toLowerCase() === 'latest') {
    throw invalid('latest is no version: it is the name of the newest one', 'a version', version);
  }
}

function assertName(what: string, name: string): void {
  const found = name.length > MOST_NAME_LENGTH ? `${name.slice(0, MOST_NAME_LENGTH)}… (${name.length})` : name;
  if (name.length > MOST_NAME_LENGTH || !NAME.test(name) || name.includes('..')) {
    throw invalid(
      `this ${what} cannot be part of a file name`,
      `letters, digits and . _ + -, the first a letter or digit, no "..", at most ${MOST_NAME_LENGTH}`,
      found,
    );
  }
  if (DEVICE.test(name)) throw invalid(`this ${what} is the name of a device on Windows`, 'another name', found);
}

/** @see contract §4.2 */
export function publicationFiles({ artifact, version }: PublicationName): PublicationFiles {
  const document = `${artifact}-${version}.cdx.json`;
  return { document, signature: `${document}.sig`, bundle: `${document}.sigstore.json` };
}

/** The one file that moves: a copy of the newest document. Its signature is the one of the version that it names. */
export function latestFile(artifact: string): string {
  return `${artifact}-latest.cdx.json`;
}

/** Whether a file is one that is swapped, and not one that stays as it is: `-latest`, the index, the page. */
export function isPointerFile(file: string): boolean {
  return file.endsWith(latestFile('')) || file.startsWith('index.');
}

/** How a published file is served. */
export function contentTypeOf(file: string): string {
  if (file.endsWith('.cdx.json')) return 'application/vnd.cyclonedx+json';
  if (file.endsWith('.sigstore.json')) return 'application/vnd.dev.sigstore.bundle.v0.3+json';
  if (file.endsWith('.html')) return 'text/html; charset=utf-8';
  return file.endsWith('.json') ? 'application/json' : 'text/plain; charset=utf-8';
}

/** Whether a file of this name can be part of what is published, besides the index. */
export function isPublicationFile(file: string): boolean {
  return FILE.test(file) && !file.includes('..');
}

/**
 * The names that a document may be published under: its component's name, with its group or npm scope before two
 * underscores (`@acme/web` is `acme__web`), and what a property `colophon:artifact` of the component says. Whoever
 * fetches holds the name against the same list, so that no signed document passes for another.
 */
export function artifactNames(bom: Bom): string[] {
  const component: Component | undefined = bom.metadata?.component;
  // Whoever fetches has a document that nobody validated.
  if (typeof component?.name !== 'string') return [];
  const scoped = /^@([^/]+)\/([^/]+)$/.exec(component.name);
  const stated = typeof component.group === 'string' ? component.group.replace(/^@/, '') : '';
  const group = stated || scoped?.[1];
  const name = scoped?.[2] ?? component.name;
  // Two underscores separate: names that have them already would read as a group of another component.
  const isPlain = !name.includes('__') && !group?.includes('__');
  const derived = !isPlain ? [] : group === undefined ? [name] : [`${group}__${name}`, name];
  const properties = Array.isArray(component.properties) ? component.properties : [];
  const declared = properties.flatMap((property) =>
    property?.name === ARTIFACT_PROPERTY && typeof property.value === 'string' ? [property.value] : [],
  );
  return [...new Set([...declared, ...derived])];
}

/**
 * The name that a document is published under: what is asked for, else what it says.
 * @throws PublishingError `publishing.name_invalid` where the document does not say it, or says another
 */
export function publicationName(bom: Bom, wanted: Partial<PublicationName> = {}): PublicationName {
  const stated = bom.metadata?.component?.version;
  if (stated === undefined || stated === '') {
    throw invalid('the document does not say which version it is about', 'metadata.component.version', 'nothing');
  }
  if (wanted.version !== undefined && wanted.version !== stated) {
    throw invalid('the document is about another version', wanted.version, stated);
  }
  const names = artifactNames(bom);
  const artifact = wanted.artifact ?? names[0];
  if (artifact === undefined) {
    throw invalid(
      'the document does not say which artifact it is about',
      `metadata.component.name, or a property ${ARTIFACT_PROPERTY} of it`,
      bom.metadata?.component?.name ?? 'nothing',
    );
  }
  const name = { artifact, version: stated };
  assertPublicationName(name);
  if (!names.includes(artifact)) {
    throw invalid(
      'the document is about another artifact',
      `${names.join(' or ') || 'a component'}, or a property ${ARTIFACT_PROPERTY}=${artifact} of metadata.component`,
      artifact,
    );
  }
  return name;
}

/** Reads `ARTIFACT` or `ARTIFACT@VERSION`. @throws PublishingError `publishing.name_invalid` */
export function parsePublicationName(text: string): { readonly artifact: string; readonly version?: string } {
  const at = text.indexOf('@', 1);
  if (at === -1) {
    assertName('artifact', text);
    return { artifact: text };
  }
  const name = { artifact: text.slice(0, at), version: text.slice(at + 1) };
  if (name.version === 'latest') return parsePublicationName(name.artifact);
  assertPublicationName(name);
  return name;
}

function invalid(message: string, expected: string, found: string): PublishingError {
  return new PublishingError('publishing.name_invalid', message, { expected, found });
}
