import { has, isObject, type Members } from './members.ts';
import { JsonStream } from './output-document.ts';
import { kindOf } from './reading-builder.ts';
import { type Refusal, refuse } from './scan-issue.ts';

/** What others write; for the reason of a refusal alone. */
const FOREIGN: ReadonlyArray<readonly [looks: (root: Members) => boolean, words: string]> = [
  [(root) => has(root, 'spdxVersion') || has(root, 'SPDXID'), 'an SPDX document, which is an SBOM and no scan'],
  [(root) => String(root['@context']).includes('openvex'), 'an OpenVEX document, which is no scan; see `colophon vex`'],
  [(root) => isObject(root['document']) && has(root['document'], 'csaf_version'), 'a CSAF document, which is no scan'],
  [(root) => has(root, 'catalogVersion'), 'a catalog of known exploited vulnerabilities, which is no scan'],
  [(root) => has(root, 'predicateType'), 'an in-toto statement, which is no scan'],
  [(root) => has(root, 'lockfileVersion'), 'a lockfile, which a scanner reads'],
  [(root) => Array.isArray(root['data']) && has(root, 'errors') && has(root, 'time'), 'an output of retire.js'],
  [(root) => has(root, 'policies') && has(root, 'scanOriginResource'), 'an output of Wiz'],
  [(root) => has(root, 'image_name') && has(root, 'results'), 'an output of Aqua'],
  [(root) => has(root, 'error') && !has(root, 'vulnerabilities'), 'the report of an error'],
];

/** Refuses a document that is none of the known outputs, and says what it looks like. */
export function refuseUnknown(root: unknown): Refusal {
  if (root === null) {
    const message =
      'The whole document is null. Trivy before 0.20 wrote this where it found nothing, and so does any program that has nothing to say: it is no proof that somebody looked.';
    return refuse('scan.null_document', message, { expected: 'an output that names what was scanned' });
  }
  if (root instanceof JsonStream) {
    const message = `The file has ${root.values.length} JSON documents one after the other, and is not govulncheck's.`;
    return refuse('scan.not_json', message, { expected: "the scanner's output as one JSON document" });
  }
  const sample = Array.isArray(root) ? root[0] : root;
  const known = isObject(sample) ? FOREIGN.find(([looks]) => looks(sample)) : undefined;
  const words = known === undefined ? '' : `: it looks like ${known[1]}`;
  return refuse(
    'scan.unknown_format',
    `This is ${shapeOf(root)}, which no scanner that is known here writes${words}.`,
    {
      expected: 'the JSON output of a scanner; docs/scanners.md has the list',
    },
  );
}

const SHOWN_MEMBERS = 8;

function shapeOf(root: unknown): string {
  if (Array.isArray(root)) {
    if (root.length === 0) return 'an empty list';
    return isObject(root[0]) ? `a list of ${membersOf(root[0])}` : `a list that begins with ${kindOf(root[0])}`;
  }
  return isObject(root) ? membersOf(root) : kindOf(root);
}

function membersOf(object: Members): string {
  const names = Object.keys(object);
  if (names.length === 0) return 'an object without members';
  const shown = names.slice(0, SHOWN_MEMBERS).map((name) => JSON.stringify(name.slice(0, 40)));
  return `an object with ${shown.join(', ')}${names.length > SHOWN_MEMBERS ? ' …' : ''}`;
}
