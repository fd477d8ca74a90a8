import { type Issue, isJsonObject, type JsonObject, type JsonValue } from '@colophon/json';

const EXPECTED = 'OpenVEX, CycloneDX with vulnerabilities, or CSAF of the category csaf_vex or csaf_security_advisory';

/** Says of a JSON document that is no VEX document what it is instead, so that nobody looks for a fault in it. */
export function foreignDocument(document: JsonValue): Issue {
  if (Array.isArray(document)) return issueOf('a list: give each document by itself');
  return issueOf(isJsonObject(document) ? nameOf(document) : undefined);
}

/** How files begin that hold a document in another form. */
const WRAPPED: ReadonlyArray<readonly [beginning: string, name: string]> = [
  ['1f8b', 'a gzip archive: unpack it first'],
  ['504b0304', 'a zip archive: unpack it first'],
  ['28b52ffd', 'a zstd archive: unpack it first'],
  ['fd377a585a00', 'an xz archive: unpack it first'],
  ['425a68', 'a bzip2 archive: unpack it first'],
  ['fffe', 'text in UTF-16, and JSON is UTF-8: iconv -f UTF-16 -t UTF-8'],
  ['feff', 'text in UTF-16, and JSON is UTF-8: iconv -f UTF-16 -t UTF-8'],
];
const LONGEST_BEGINNING = 6;

/** Says it of bytes that are no JSON; undefined where they are anything. */
export function foreignText(bytes: Uint8Array): Issue | undefined {
  const beginning = Array.from(bytes.subarray(0, LONGEST_BEGINNING), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
  const wrapped = WRAPPED.find(([known]) => beginning.startsWith(known));
  if (wrapped !== undefined) return issueOf(wrapped[1]);
  const text = new TextDecoder().decode(bytes.subarray(0, 200)).trimStart();
  if (text === '') return issueOf('an empty file');
  if (/^<(?:!doctype )?html/i.test(text)) return issueOf('a page in HTML, as servers send in place of a file');
  if (text.startsWith('version https://git-lfs.github.com/spec/'))
    return issueOf('a pointer of Git LFS, in place of the file itself: run git lfs pull');
  if (text.startsWith('<')) return issueOf('XML, and documents are read in JSON alone');
  if (text.startsWith('-----BEGIN PGP')) return issueOf('an OpenPGP message or signature, and not what is signed');
  return undefined;
}

function nameOf(document: JsonObject): string | undefined {
  const schema = typeof document['$schema'] === 'string' ? document['$schema'] : '';
  if (Array.isArray(document['runs']) || schema.includes('sarif')) return 'SARIF, which is what a scanner found';
  if (document['payloadType'] !== undefined && document['payload'] !== undefined)
    return 'a signed envelope (DSSE): verify it first, and give what it holds';
  if (document['_type'] !== undefined && document['predicateType'] !== undefined)
    return 'an in-toto statement: give what is in its predicate';
  if (document['spdxVersion'] !== undefined || String(document['@context']).startsWith('https://spdx.org/'))
    return 'SPDX, which holds no statements';
  if (document['bomFormat'] === 'CycloneDX') return 'CycloneDX without vulnerabilities: an SBOM';
  if (isJsonObject(document['dsseEnvelope']) || document['mediaType'] !== undefined)
    return 'a Sigstore bundle: verify it first, and give what it is about';
  return undefined;
}

function issueOf(name: string | undefined): Issue {
  const message = name === undefined ? 'This is no VEX document.' : `This is no VEX document but ${name}.`;
  return { path: '', code: 'vex.not_vex', message, expected: EXPECTED };
}
