import type { CvssVersion, ScannerReading, StatedScore } from '@colophon/findings';
import type { ParseResult } from '@colophon/json';
import { CycloneDxComponents, linkedBoms } from './cyclonedx-components.ts';
import { fixedVersions } from './fixed-versions.ts';
import { has, isObject, listOf, type Members, objectOf, textOf } from './members.ts';
import type { OutputFormat } from './output-format.ts';
import { kindOf, type Path, ReadingBuilder } from './reading-builder.ts';
import { refuse } from './scan-issue.ts';
import { statedScore } from './stated-score.ts';

/** A CycloneDX document with `vulnerabilities` (1.4 and later): a VDR, or an SBOM that a scanner has added to. */
export const cycloneDxOutput: OutputFormat = {
  name: 'CycloneDX',
  looksLike: (root) => isObject(root) && root['bomFormat'] === 'CycloneDX',
  read: (value) => {
    const root = objectOf(value);
    const { vulnerabilities, metadata } = root;
    if (!has(root, 'vulnerabilities')) {
      const message = 'This CycloneDX document has no `vulnerabilities`: it is an SBOM, not a scan.';
      return refuse('scan.not_a_scan', message, { expected: 'what a scanner says of it' });
    }
    if (vulnerabilities !== null && !Array.isArray(vulnerabilities)) {
      const message = `The list of vulnerabilities is ${kindOf(vulnerabilities)}.`;
      return refuse('scan.list_invalid', message, { path: '/vulnerabilities' });
    }
    const { timestamp, tools } = objectOf(metadata);
    const { name, version } = scannerOf(tools);
    const reading = new ReadingBuilder(name);
    const components = new CycloneDxComponents(root);
    for (const [index, entry] of listOf(vulnerabilities).entries()) {
      addVulnerability(reading, entry, ['vulnerabilities', index], components);
    }
    const refs = listOf(vulnerabilities).flatMap((entry) => listOf(objectOf(entry)['affects']));
    const links = refs.flatMap((affected) => textOf(objectOf(affected)['ref']) ?? []);
    const namedBoms = linkedBoms(links, textOf(root['serialNumber']));
    const facts = { version, scannedAt: timestamp, target: components.subjectName, namedBoms };
    return { ok: true, value: [reading.done(facts)] } satisfies ParseResult<readonly ScannerReading[]>;
  },
};

/** Those whose name in a document means that they looked for vulnerabilities. */
const SCANNERS = new Set([
  ...['grype', 'trivy', 'osv-scanner', 'dependency-track', 'snyk', 'govulncheck', 'pip-audit'],
  ...['owasp-depscan', 'dep-scan', 'depscan', 'dependency-check', 'docker-scout', 'jake'],
]);

/** The scanner among the tools; else the first tool; else nobody that is known. */
function scannerOf(tools: unknown): { name: string; version: unknown } {
  const entries = [...listOf(tools), ...listOf(objectOf(tools)['components']), ...listOf(objectOf(tools)['services'])];
  const named = entries.map(objectOf).flatMap(({ name, version }) => {
    const text = textOf(name)?.trim().toLowerCase().replaceAll(' ', '-');
    return text === undefined ? [] : [{ name: text, version }];
  });
  return named.find(({ name }) => SCANNERS.has(name)) ?? named[0] ?? { name: 'cyclonedx', version: undefined };
}

function addVulnerability(reading: ReadingBuilder, value: unknown, path: Path, components: CycloneDxComponents): void {
  const entry = reading.object(value, path);
  if (entry === undefined) return;
  const ratings = listOf(entry['ratings']).map(objectOf);
  const said = {
    id: entry['id'],
    aliases: listOf(entry['references']).map((reference) => objectOf(reference)['id']),
    severity: worstOf(ratings),
    scores: ratings.flatMap(scoresOf),
    fixedInVersions: fixedInVersions(entry['properties']),
    description: entry['description'] ?? entry['detail'],
    published: entry['published'] ?? entry['created'],
  };
  const affects = reading.list(entry['affects'], [...path, 'affects']);
  const because = closedBecause(entry);
  if (affects.length === 0) {
    // What affects nothing in particular affects what the document is about.
    reading.add(path, { ...said, ...components.subject, suppressed: because });
    return;
  }
  for (const [index, affected] of affects.entries()) {
    const at = [...path, 'affects', index];
    const members = reading.object(affected, at);
    if (members === undefined) continue;
    const ref = textOf(members['ref']);
    const found = ref === undefined ? undefined : components.find(ref);
    if (found?.isKnown === false) {
      const message =
        'It affects a component that this document does not have; the finding has the reference for a name.';
      reading.skip(at, 'scan.component_unresolved', message);
    }
    const { affected: stated, unaffected } = statedVersions(members['versions']);
    const fixed = stated.length > 0 ? [...said.fixedInVersions, ...unaffected] : said.fixedInVersions;
    // Of a component without a version of its own each one that is listed is a finding.
    const versions = found?.version !== undefined ? [found.version] : stated.length > 0 ? stated : [[...unaffected][0]];
    for (const version of versions) {
      const isUnaffected = version !== undefined && unaffected.has(version);
      reading.add(at, {
        ...said,
        name: found?.name,
        version,
        purl: found?.purl,
        fixedInVersions: isUnaffected ? said.fixedInVersions : fixed,
        suppressed: because ?? (isUnaffected ? 'this version is unaffected' : undefined),
      });
    }
  }
}

/** Versions by what is said of them; ranges, which stand in the same list, are left out. */
function statedVersions(versions: unknown): { readonly affected: string[]; readonly unaffected: ReadonlySet<string> } {
  const [affected, unaffected]: [Set<string>, Set<string>] = [new Set(), new Set()];
  for (const { version, status } of listOf(versions).map(objectOf)) {
    const text = textOf(version);
    if (text !== undefined) (status === 'unaffected' ? unaffected : affected).add(text);
  }
  return { affected: [...affected], unaffected };
}

const VECTOR = /^(?:CVSS:|AV:|\(AV:)/;

/** A rating by CVSS; OWASP's and others' numbers have other scales. */
function scoresOf({ method, score, vector, source }: Members): StatedScore[] {
  const name = textOf(method);
  const text = textOf(vector)?.trim();
  const isCvss = name?.startsWith('CVSS') === true || (text !== undefined && VECTOR.test(text));
  if (!isCvss && name !== undefined) return [];
  // The method says the version, so many leave it out of the vector.
  const version = METHODS.get(name);
  const isBare = version !== undefined && version !== '2.0' && text !== undefined && /^AV:/i.test(text);
  return statedScore(isBare ? `CVSS:${version}/${text}` : text, score, objectOf(source)['name'], version);
}

const METHODS: ReadonlyMap<unknown, CvssVersion> = new Map<unknown, CvssVersion>([
  ['CVSSv2', '2.0'],
  ['CVSSv3', '3.0'],
  ['CVSSv31', '3.1'],
  ['CVSSv4', '4.0'],
]);

const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info', 'none', 'unknown'];

function worstOf(ratings: readonly Members[]): string | undefined {
  const words = ratings.map(({ severity }) => textOf(severity)).filter((word) => word !== undefined);
  return SEVERITIES.find((severity) => words.includes(severity)) ?? words[0];
}

/** The one place where these versions stand as such; `recommendation` is a sentence for people. */
function fixedInVersions(properties: unknown): string[] {
  return listOf(properties)
    .map(objectOf)
    .filter(({ name }) => name === 'grype:fixed_versions')
    .flatMap(({ value }) => fixedVersions(textOf(value)));
}

const CLOSED_STATES = new Set(['not_affected', 'false_positive', 'resolved', 'resolved_with_pedigree']);

function closedBecause({ analysis, rejected }: Members): string | undefined {
  const { state, justification } = objectOf(analysis);
  const decided = textOf(state);
  if (decided !== undefined && CLOSED_STATES.has(decided)) {
    const why = textOf(justification);
    return why === undefined ? decided : `${decided}: ${why}`;
  }
  const when = textOf(rejected);
  return when === undefined ? undefined : `rejected: ${when}`;
}
