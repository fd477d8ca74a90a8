import { componentPurl } from './component-purl.ts';
import { fixedVersions } from './fixed-versions.ts';
import { objectOf, textOf, textsOf } from './members.ts';
import type { Path, ReadingBuilder } from './reading-builder.ts';
import { statedScore } from './stated-score.ts';

const GHSA = /GHSA(?:-[0-9a-z]{4}){3}/i;

/** An advisory as npm 6, pnpm and Yarn 1 to 3 list it, once for each version that is installed. */
export function addAdvisory(reading: ReadingBuilder, value: unknown, path: Path): void {
  const advisory = reading.object(value, path);
  if (advisory === undefined) return;
  const name = textOf(advisory['module_name']);
  const { score, vectorString } = objectOf(advisory['cvss']);
  const aliases = [...textsOf(advisory['cves']), advisoryNumber(advisory['id'])];
  const fixedInVersions = fixedVersions(textOf(advisory['patched_versions']));
  // Whatever number of places it is in.
  const versions = new Set(
    reading.list(advisory['findings'], [...path, 'findings']).map((finding) => textOf(objectOf(finding)['version'])),
  );
  for (const version of versions.size > 0 ? versions : [undefined]) {
    reading.add(path, {
      id: advisoryId(advisory['github_advisory_id'], advisory['url'], advisory['id']),
      aliases,
      severity: advisory['severity'],
      scores: statedScore(vectorString, score, 'npm'),
      name,
      version,
      purl: name === undefined ? undefined : componentPurl('npm', name, version),
      fixedInVersions,
      description: textOf(advisory['title']) ?? advisory['overview'],
      published: advisory['created'],
      suppressed: textOf(advisory['deleted']) === undefined ? undefined : 'the advisory was deleted',
    });
  }
}

/** GitHub's id of an advisory; npm's own have numbers, which are no names outside of npm. */
export function advisoryId(github: unknown, url: unknown, number: unknown): string | undefined {
  return textOf(github) ?? textOf(url)?.match(GHSA)?.[0] ?? advisoryNumber(number);
}

/** `NPM-1325`. */
export function advisoryNumber(number: unknown): string | undefined {
  return typeof number === 'number' || textOf(number) !== undefined ? `NPM-${number}` : undefined;
}
