import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';

const PURL = 'pkg:npm/left@1.0.0';
const finding = (id: string) => ({ id, severity: 'high', component: { name: 'left', version: '1.0.0', purl: PURL } });
const CATALOG = { catalogVersion: '2026.01.01', count: 1, vulnerabilities: [{ cveID: 'CVE-2020-1111' }] };
const VEX = {
  '@context': 'https://openvex.dev/ns/v0.2.0',
  '@id': 'https://example.com/vex/1',
  author: 'Dana',
  timestamp: '2026-01-30T12:00:00Z',
  version: 1,
  statements: [
    {
      vulnerability: { name: 'CVE-2020-1111' },
      products: [{ '@id': PURL }],
      status: 'not_affected',
      justification: 'component_not_present',
    },
  ],
};

test('what two files list is one finding for every command', async () => {
  const folder = temporaryFolder(onTestFinished);
  const file = (name: string, content: unknown) => {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(content));
    return path;
  };
  const one = file('one.json', [finding('CVE-2020-1111'), finding('CVE-2020-2222')]);
  const other = file('other.json', [finding('CVE-2020-1111')]);
  const json = async (...args: string[]) =>
    documentOf(await runLine([...args, '-o', 'json'], { COLOPHON_HOME: folder }));
  const imported = await json('scan', 'import', one, other);
  const enriched = await json('kev', 'enrich', one, other, '--kev', file('kev.json', CATALOG));
  const said = file('said.json', VEX);
  const applied = await json('vex', 'apply', said, '--scan', one, '--scan', other);
  expect([imported, enriched, applied.findings].map((list) => list.length)).toEqual([2, 2, 2]);
  expect(applied.suppressed_count).toBe(1);
});

test.each([
  ['pkg:github/acme/repo@main/feature', 'pkg:github/acme/repo@main%2Ffeature'],
  ['pkg:npm/left/@1.0.0', 'pkg:npm/left@1.0.0'],
])('what one scanner calls %s and the other %s is one component', async (one, other) => {
  const folder = temporaryFolder(onTestFinished);
  const files = [one, other].map((purl, number) => {
    const path = join(folder, `${number}.json`);
    const component = { name: 'repo', purl };
    writeFileSync(path, JSON.stringify([{ id: 'CVE-2020-1111', severity: 'high', component }]));
    return path;
  });
  const ran = await runLine(['scan', 'import', ...files, '-o', 'json'], { COLOPHON_HOME: folder });
  expect(documentOf(ran)).toHaveLength(1);
});

test.each([
  ['pkg:github/acme/repo@main/feature', 'acme/repo', 'main/feature'],
  ['pkg://npm/left@1.0.0', 'left', '1.0.0'],
])('a finding of a component that is known by %s alone has its name and version', async (ref, name, version) => {
  const folder = temporaryFolder(onTestFinished);
  const path = join(folder, 'bom.json');
  const affects = [{ ref }];
  const bom = { bomFormat: 'CycloneDX', specVersion: '1.6', vulnerabilities: [{ id: 'CVE-2020-1111', affects }] };
  writeFileSync(path, JSON.stringify(bom));
  const ran = await runLine(['scan', 'import', path, '-o', 'json'], { COLOPHON_HOME: folder });
  expect(documentOf(ran)).toMatchObject([{ component: { name, version } }]);
});
