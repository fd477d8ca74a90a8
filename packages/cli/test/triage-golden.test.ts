import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';
import { withoutVolatile } from './volatile.ts';

// What scripts of triage rely on; golden.test.ts says how the files are written anew.
const undo: Array<() => void> = [];
let folder: string;
let env: NodeJS.ProcessEnv;
const at = (name: string) => join(folder, name);
const file = (name: string, content: object) => writeFileSync(at(name), JSON.stringify(content));

const LOG4J = { cveID: 'CVE-2021-44228', vendorProject: 'Apache', product: 'Log4j2', dateAdded: '2021-12-10' };
const CATALOG = {
  catalogVersion: '2024.11.19',
  count: 2,
  vulnerabilities: [
    { ...LOG4J, dueDate: '2021-12-24' },
    { cveID: 'CVE-2021-4043', product: 'GPAC' },
  ],
};
const NEXT = {
  catalogVersion: '2024.11.20',
  dateReleased: '2024-11-20T14:00:00Z',
  count: 2,
  vulnerabilities: [{ ...LOG4J, knownRansomwareCampaignUse: 'Known' }, { cveID: 'CVE-2026-10001' }],
};

beforeAll(async () => {
  folder = temporaryFolder((step) => undo.push(step));
  env = { HOME: folder, COLOPHON_HOME: at('home') };
  file('1.json', CATALOG);
  file('2.json', NEXT);
  await runLine(['kev', 'update', '--kev', at('1.json')], env);
});
afterAll(() => {
  for (const step of undo) step();
});

// In this order: a later line reads what an earlier one kept.
const LINES: Array<[name: string, line: () => string[]]> = [
  // Of a catalog that says no time of release: its age would grow.
  ['kev-status', () => ['kev', 'status']],
  ['kev-update', () => ['kev', 'update', '--kev', at('2.json')]],
  ['kev-show', () => ['kev', 'show', 'CVE-2021-44228']],
  ['kev-history', () => ['kev', 'history']],
  ['kev-history.vulnerability', () => ['kev', 'history', 'CVE-2021-44228']],
  ['schedule-run', () => ['schedule', 'run', '--once', '--kev', at('2.json')]],
  ['schedule-list', () => ['schedule', 'list']],
  ['kev-diff', () => ['kev', 'diff', '2024.11.19', '2024.11.20']],
];

test.each(LINES)('colophon %s --output json is what it was', async (name, line) => {
  const ran = await runLine([...line(), '--output', 'json'], env);
  expect(ran.exitCode).toBe(0);
  const document = withoutVolatile(documentOf(ran), { folder, port: 'none' });
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot(`golden/${name}.json`);
});
