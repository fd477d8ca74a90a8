import { isJsonObject, type JsonObject } from '@colophon/json';
import { ScannerError } from '../scanner-error/scanner-error.ts';

/** An SBOM as scanners take it. */
export type ScannedDocument = { readonly fileName: string; readonly bytes: Uint8Array };

/** A later version of CycloneDX is refused by osv-scanner 2.2 and grype 0.104, and read by osv-scanner 2.5. */
const NEWEST_VERSION = 1.6;
/** Where XML and tag-value say what they are. */
const HEAD_BYTES = 4096;

/**
 * The SBOM under a name that says what it is, which osv-scanner goes by. A CycloneDX document of a later version than
 * scanners read is given to them as 1.6: names, versions and package URLs, all that they look at, are the same in both.
 * @throws ScannerError `feeds.scanner_target` for what is no SBOM
 */
export function scannedDocument(bytes: Uint8Array): ScannedDocument {
  const head = new TextDecoder().decode(bytes.subarray(0, HEAD_BYTES)).trimStart();
  if (head.startsWith('<') && /<(?:\w+:)?bom\b/.test(head)) return { fileName: 'sbom.cdx.xml', bytes };
  if (/^(?:#[^\n]*\n)*SPDXVersion:/.test(head)) return { fileName: 'sbom.spdx', bytes };
  const document = parsedObject(bytes);
  if (document?.['bomFormat'] === 'CycloneDX') {
    const isNewer = Number(document['specVersion']) > NEWEST_VERSION;
    return { fileName: 'sbom.cdx.json', bytes: isNewer ? asNewestVersion(document) : bytes };
  }
  if (typeof document?.['spdxVersion'] === 'string') return { fileName: 'sbom.spdx.json', bytes };
  throw new ScannerError('feeds.scanner_target', 'this is no SBOM that scanners read', {
    expected: 'CycloneDX as JSON or XML, or SPDX as JSON or tag-value',
  });
}

function parsedObject(bytes: Uint8Array): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function asNewestVersion({ $schema: _, ...document }: JsonObject): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ ...document, specVersion: String(NEWEST_VERSION) }));
}
