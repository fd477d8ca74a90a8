import type { ScannerReading } from '@colophon/findings';
import { fixedVersions } from './fixed-versions.ts';
import { has, isObject, listOf, type Members, objectOf, textOf } from './members.ts';
import type { OutputFormat } from './output-format.ts';
import { kindOf, type Path, ReadingBuilder } from './reading-builder.ts';
import { refuse } from './scan-issue.ts';
import { statedScore } from './stated-score.ts';
import { trivyScores } from './trivy-output.ts';
import { trivyPurl } from './trivy-purl.ts';

/** What the Trivy operator keeps in a cluster: one report, or what kubectl lists of them. One reading of each image. */
export const trivyOperatorOutput: OutputFormat = {
  name: 'trivy operator',
  looksLike: (root) => resourcesOf(root).some(isReport),
  read: (root) => {
    const resources = resourcesOf(root);
    const at: Path = Array.isArray(root) ? [] : ['items'];
    const readings: ScannerReading[] = [];
    const others = resources.filter((resource) => !isReport(resource)).length;
    for (const [index, resource] of resources.entries()) {
      if (!isReport(resource)) continue;
      const path: Path = resources[0] === root ? ['report'] : [...at, index, 'report'];
      const report = objectOf(resource['report']);
      const { vulnerabilities } = report;
      if (!has(report, 'vulnerabilities')) {
        const message = 'The operator lists its findings in `report.vulnerabilities`, and there is none.';
        return refuse('scan.list_missing', message, { path: `/${path.join('/')}` });
      }
      if (vulnerabilities !== null && !Array.isArray(vulnerabilities)) {
        const message = `The operator's list of vulnerabilities is ${kindOf(vulnerabilities)}.`;
        return refuse('scan.list_invalid', message, { path: `/${[...path, 'vulnerabilities'].join('/')}` });
      }
      const reading = readReport(report, path);
      const message = 'Other resources of the cluster, which are no vulnerabilities of a component.';
      if (readings.length === 0) reading.skip(at, 'scan.other_kind', message, others);
      const { version } = objectOf(report['scanner']);
      readings.push(reading.done({ version, scannedAt: report['updateTimestamp'], target: targetOf(resource) }));
    }
    return { ok: true, value: readings };
  },
};

function resourcesOf(root: unknown): readonly unknown[] {
  if (Array.isArray(root)) return root;
  const { items } = objectOf(root);
  return Array.isArray(items) ? items : [root];
}

function isReport(value: unknown): value is Members {
  if (!isObject(value)) return false;
  const { apiVersion, kind, report } = value;
  return (
    textOf(apiVersion)?.startsWith('aquasecurity.github.io/') === true &&
    (kind === 'VulnerabilityReport' || kind === 'ClusterVulnerabilityReport') &&
    isObject(report)
  );
}

function readReport(report: Members, path: Path): ReadingBuilder {
  const reading = new ReadingBuilder('trivy');
  const { family, name: release } = objectOf(report['os']);
  const system = { family: textOf(family), release: textOf(release) };
  for (const [index, value] of listOf(report['vulnerabilities']).entries()) {
    const at = [...path, 'vulnerabilities', index];
    const entry = reading.object(value, at);
    if (entry === undefined) continue;
    const { resource: name, installedVersion: version, severity } = entry;
    const scores = trivyScores(entry['cvss']);
    // Whose number stands beside the word is not said, and it may be another one's who thinks less of it.
    const number = textOf(severity) === undefined ? statedScore(undefined, entry['score']) : [];
    reading.add(at, {
      id: entry['vulnerabilityID'],
      severity,
      scores: scores.length > 0 ? scores : number,
      name,
      version,
      purl: textOf(entry['packagePURL']) ?? trivyPurl(entry['packageType'], textOf(name), textOf(version), system),
      fixedInVersions: fixedVersions(textOf(entry['fixedVersion'])),
      description: textOf(entry['description']) ?? entry['title'],
      published: entry['publishedDate'],
    });
  }
  return reading;
}

/** The image, or the resource where the report does not name one. */
function targetOf({ report, metadata }: Members): unknown {
  const { repository, tag, digest } = objectOf(objectOf(report)['artifact']);
  const image = textOf(repository);
  if (image === undefined) return objectOf(metadata)['name'];
  const server = textOf(objectOf(objectOf(report)['registry'])['server']);
  const label = textOf(tag);
  const hash = textOf(digest);
  return `${server === undefined ? '' : `${server}/`}${image}${label === undefined ? '' : `:${label}`}${hash === undefined ? '' : `@${hash}`}`;
}
