import { has, isObject, listOf, type Members, objectOf, textOf } from './members.ts';
import { JsonStream } from './output-document.ts';
import { kindOf } from './reading-builder.ts';
import { type Refusal, refuse } from './scan-issue.ts';

/** What others write; for the reason of a refusal alone. */
const FOREIGN: ReadonlyArray<readonly [looks: (root: Members) => boolean, words: string]> = [
  [(root) => has(root, 'spdxVersion') || has(root, 'SPDXID'), 'an SPDX document, which is an SBOM and no scan'],
  [(root) => /openvex/.test(JSON.stringify(root['@context']) ?? ''), 'an OpenVEX document, which is no scan'],
  [(root) => isObject(root['document']) && has(root['document'], 'csaf_version'), 'a CSAF document, which is no scan'],
  [(root) => has(root, 'catalogVersion'), 'a catalog of known exploited vulnerabilities, which is no scan'],
  [(root) => has(root, 'predicateType'), 'an in-toto statement, which is no scan'],
  [(root) => has(root, 'lockfileVersion'), 'a lockfile, which a scanner reads'],
  [(root) => Array.isArray(root['data']) && has(root, 'errors') && has(root, 'time'), 'an output of retire.js'],
  [(root) => has(root, 'policies') && has(root, 'scanOriginResource'), 'an output of Wiz'],
  [isOperatorReport, 'a report of the Trivy operator of another kind than vulnerabilities'],
  [
    (root) => listOf(root['items']).some((item) => isOperatorReport(objectOf(item))),
    'reports of the Trivy operator, none of them of vulnerabilities',
  ],
  [(root) => has(root, 'image_name') && has(root, 'results'), 'an output of Aqua'],
  [(root) => has(root, 'reportSchema') && has(root, 'dependencies'), 'a report of OWASP Dependency-Check'],
  [(root) => has(root, 'infrastructureAsCodeIssues'), 'an output of `snyk iac`, which looks at no packages'],
  [(root) => isObject(root['scan']) && has(root, 'vulnerabilities'), 'a security report of GitLab'],
  [(root) => has(root, 'advisories') && has(root, 'abandoned'), 'an output of `composer audit`'],
  [(root) => objectOf(root['descriptor'])['name'] === 'xeol', 'an output of xeol, which lists end-of-life software'],
];

function isOperatorReport({ apiVersion }: Members): boolean {
  return textOf(apiVersion)?.startsWith('aquasecurity.github.io/') === true;
}

/** Refuses a document that is none of the known outputs, and says what it looks like. */
export function refuseUnknown(root: unknown): Refusal {
  if (root === null) {
    const message =
      'The document is null. Trivy before 0.20 wrote this when it found nothing; a program without a result writes it too. It does not prove that a scan ran.';
    return refuse('scan.null_document', message, { expected: 'an output that names what was scanned' });
  }
  if (root instanceof JsonStream) {
    const message = `The file has ${root.values.length} JSON documents one after the other, as neither govulncheck nor Yarn writes them.`;
    return refuse('scan.not_json', message, { expected: 'one output in each file' });
  }
  const failure = failureOf(root);
  if (failure !== undefined) {
    const message = `The scanner reports that it failed: ${failure.slice(0, SHOWN_REASON)}`;
    return refuse('scan.scanner_failed', message, { expected: 'the output of a scan that ended well' });
  }
  const sarif = isObject(root) && Array.isArray(root['runs']) ? refuseSarif(root['runs']) : undefined;
  if (sarif !== undefined) return sarif;
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

const SHOWN_REASON = 300;

/** What npm and Snyk write in the place of a report. */
function failureOf(root: unknown): string | undefined {
  if (!isObject(root) || has(root, 'vulnerabilities')) return undefined;
  const { error, message, ok } = root;
  if (isObject(error))
    return textOf(error['summary']) ?? textOf(error['message']) ?? textOf(message) ?? textOf(error['code']);
  return ok === false ? textOf(error) : undefined;
}

/** Tools that look for vulnerable dependencies, by their names in SARIF. */
const DEPENDENCY_SCANNERS = /^(?:grype|trivy|osv-scanner|snyk open source|snyk container|npm-audit|dependency-check)/i;

function refuseSarif(runs: readonly unknown[]): Refusal | undefined {
  const names = runs.map((run) => textOf(objectOf(objectOf(objectOf(run)['tool'])['driver'])['name']));
  const [name] = names.filter((each) => each !== undefined);
  if (name === undefined) return undefined;
  const shown = JSON.stringify(name.slice(0, 60));
  if (DEPENDENCY_SCANNERS.test(name)) {
    const message = `This is SARIF of ${shown}, which does not say in which version of which package; its JSON does.`;
    return refuse('scan.format_unsupported', message, { expected: "the scanner's JSON output" });
  }
  const message = `This is SARIF of ${shown}, which finds weaknesses in source code and no vulnerable dependencies.`;
  return refuse('scan.not_a_scan', message, { expected: 'the output of a scanner of dependencies' });
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
