import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Column, columnTable } from './column-table.ts';
import { displayWidth } from './display-width.ts';

const SOURCES = join(import.meta.dirname, '..');
const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;
const COMMIT = '8f5a1c0d9e7b'.repeat(4).slice(0, 40);
const PURL = 'pkg:maven/org.apache.logging.log4j/log4j-slf4j2-impl@2.14.1';
const PERSON = 'reviewer:maximiliane.mustermann@engineering.example.com';
const TIME = '2026-11-23T10:00:00Z';
const NAME = 'spring-cloud-starter-netflix-eureka-client';
const PATH = 'packages/checkout/src/payment-provider/reconciliation.ts';
/** The longest value that each heading is likely to have. */
const VALUES: Readonly<Record<string, string>> = {
  'ACTIVE KEYS': '12',
  ADDED: '1234',
  AGENT: 'code-writer-of-the-payments-team (declared)',
  ANALYSIS: 'false_positive',
  ARTIFACT: `acme-payments/checkout-service@${COMMIT.slice(0, 12)}`,
  BASIS: 'declared',
  BY: PERSON,
  CALLER: 'continuous-delivery-of-the-checkout-service.payments.eu-central-1',
  CASE: 'reviews/a-rejection-of-the-commit-alone-refuses-the-image',
  CATALOG: '2026.11.23',
  CERTIFICATE: 'https://agents.example.com/models/anthropic/claude-sonnet-4-5-20250929',
  CHANGED: '1234',
  CHECKED: TIME,
  CHECKPOINTS: '123456',
  CLAIMS: 'model_provider, model_id',
  COMMIT: `${COMMIT.slice(0, 12)} and 12 more`,
  COMPONENT: NAME,
  CONTAINED: '100 %',
  CREATED: TIME,
  CVSS: '10.0',
  DECIDED: 'unreadable',
  DECISION: 'approved',
  DIGEST,
  DUE: `OVERDUE ${TIME}`,
  ENTRIES: '123456',
  ENTRY: 'CVE-2021-44228  added 2021-12-10, due 2021-12-24: Apache Log4j2 Remote Code Execution Vulnerability',
  ENTRY_COUNT: '123456',
  EVENT: 'first seen',
  EXPECTED: 'admitted',
  EXPIRES: TIME,
  'EXPLOITED SINCE': '2021-12-10',
  FEED: 'https://www.cisa.gov/sites/default/files/feeds/known_exploited_vulnerabilities.json',
  FETCHED: TIME,
  FIELD: '1.3.6.1.4.1.57264.1.18',
  FILE: PATH,
  FINDING: 'certificate_unreadable',
  FIRST_SEEN_AT: TIME,
  'FIXED IN': '2.15.0, 2.12.2, 2.3.1, v0.0.0-20210921155107-089bfa567519',
  FORMAT: 'sigstore bundle',
  'HELD BY': 'scheduler-7f9c4d5b6-x2k4q:12345',
  ID: 'GHSA-jfh8-c2jp-5v3q',
  IMAGES: '12',
  IDENTITY: `reviewer:${PERSON}`,
  'IMAGE OR FILE': `${DIGEST.slice(0, 19)} and 12 more`,
  INDEX: '123456789',
  ISSUER: 'https://token.actions.githubusercontent.com',
  JOB: 'scan-import registry.example.com/acme-payments/checkout-service',
  'KEY ID': 'AbCdEfGhIjKl',
  KEYS: '123',
  KIND: 'hashedrekord',
  'MORE THAN IS LISTED BY': PERSON,
  LAST: `failed ${TIME}, 3 attempts`,
  'LAST USE': TIME,
  ALGORITHM: 'RS256',
  'SIGNS FROM': TIME,
  'PUBLISHED UNTIL': TIME,
  PUBLISHED: TIME,
  REVOKED: TIME,
  KID: 'J7qbXqJbvOWCL0fpD1AdvYd296J7qbXqJbvOWCL0fpD',
  LAST_SEEN_AT: TIME,
  LEDGER: 'https://agents.example.com/models/anthropic/claude-sonnet-4-5-20250929',
  LOG: 'transparency',
  'LOG INDEX': '123456789',
  LOGGED: TIME,
  'LONGEST REGION': 'lines 1001 to 1123 in 2001 to 2123, 1234 tokens',
  MODEL: 'claude-sonnet-4-5-20250929 (certificate)',
  'MOST LIKE': `left-pad@1.3.0: ${PATH}`,
  NAME: 'registry.example.com/acme-payments/checkout-service',
  'NEXT RUN': 'in 23 h 59 min',
  OBJECT: 'StatefulSet payments-production/reconciliation-of-the-payment-provider',
  PRIORITY: 'critical-exploited',
  PRODUCT: PURL,
  REASON: 'alice left the company, and carol has reviewed the whole image again since then',
  REASONS: 'admission.provenance_contradicts_certificate, admission.signature_too_old',
  RECORD: 'f648bcff',
  RECORDS: '123456',
  REJECTION: DIGEST,
  REMOVED: '1234',
  'REPORTED BY': 'grype, trivy, osv-scanner',
  RESULT: 'suppressed',
  REVIEW: 'approved, 123456 s',
  'REVIEWED BY': 'maximiliane.mustermann@engineering.example.com (declared)',
  REVIEWER: 'maximiliane.mustermann@engineering.example.com (certificate)',
  ROOT: DIGEST,
  SCORE: '10.0',
  SERIAL: '5f'.repeat(20),
  SEVERITY: 'negligible',
  SIGNED: TIME,
  'SIGNED BY': PERSON,
  SIGNER: `claimed: ${PERSON}`,
  STATE: 'under_investigation, withdrawn',
  STATEMENT: 'vendor.openvex.json /statements/123',
  STATUS: 'under_investigation (draft)',
  SUPPRESSED: 'vulnerable_code_not_in_execute_path',
  TIME,
  TYPE: 'https://colophon.example/predicates/agent-run/v1',
  UUID: DIGEST.slice('sha256:'.length),
  VERDICT: 'suspicious',
  VERSION: 'v0.0.0-20210921155107-089bfa567519',
  VULNERABILITY: 'GHSA-jfh8-c2jp-5v3q',
  WHY: 'vulnerable_code_cannot_be_controlled_by_adversary',
  WITHDRAWN: DIGEST,
};
/** Where one heading has other values than elsewhere. */
const OTHER_VALUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // A row is of an artifact or of a commit; the digest is the longer one.
  'commands/evidence.ts': { ID: DIGEST, COMMIT_SHA: '' },
  'commands/callers/key-list.ts': { STATE: 'caller-revoked' },
  'commands/callers/list.ts': { STATE: `revoked ${TIME}` },
  'commands/schedule/list.ts': { STATE: 'running' },
  'commands/vex/apply.ts': { COMPONENT: PURL },
  'commands/attachments.ts': { STATUS: 'accepted', DIGEST: DIGEST.slice(0, 19) },
  'commands/vex/show.ts': { STATUS: 'under_investigation' },
};

type Table = { readonly name: string; readonly columns: readonly Column[]; readonly row: readonly string[] };

const LIST = /^const (\w+): readonly Column\[\] = \[\n([^\]]*)\];$/gm;
const COLUMN =
  /\{ heading: '([^']*)', rank: (\d+)(?:, shortest: (\d+))?(, isList: true)?(, isVersioned: true)?(, isBased: true)?(, isWhole: true)? \}/g;
const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('column-table/'))
  .map((file) => ({ file, source: readFileSync(join(SOURCES, file), 'utf8') }))
  .filter(({ source }) => source.includes('columnTable('));
const tables: readonly Table[] = files.flatMap(({ file, source }) =>
  [...source.matchAll(LIST)].map(([, list, text]) => {
    const columns = [...text!.matchAll(COLUMN)].map(
      ([, heading, rank, shortest, isList, isVersioned, isBased, isWhole]) => ({
        heading: heading!,
        rank: Number(rank),
        ...(shortest !== undefined && { shortest: Number(shortest) }),
        ...(isList !== undefined && { isList: true }),
        ...(isVersioned !== undefined && { isVersioned: true }),
        ...(isBased !== undefined && { isBased: true }),
        ...(isWhole !== undefined && { isWhole: true }),
      }),
    );
    const row = columns.map(
      ({ heading }) => OTHER_VALUES[file]?.[heading] ?? VALUES[heading] ?? `no value: ${heading}`,
    );
    return { name: `${file} ${list}`, columns, row };
  }),
);

const shown = ({ columns, row }: Table, wide: boolean) =>
  columnTable(columns, [row], { terminal: { stdout: { write() {} }, stderr: { write() {} }, env: {} }, wide });

test('every column of every table is read here, and has a value', () => {
  for (const { file, source } of files) {
    const read = tables.filter(({ name }) => name.startsWith(`${file} `)).flatMap(({ columns }) => columns);
    expect(read.length, file).toBe(source.match(/\bheading: /g)?.length);
  }
  expect(files.length).toBeGreaterThan(12);
  expect(tables.flatMap(({ row }) => row).filter((cell) => cell.startsWith('no value'))).toEqual([]);
});

test.each(tables)('$name is at most 80 columns wide, and whole with --wide', (table) => {
  for (const line of shown(table, false).split('\n')) expect(displayWidth(line), line).toBeLessThanOrEqual(80);
  const wide = shown(table, true);
  for (const cell of table.row) expect(wide).toContain(cell);
});

/** Digests, commits, and the version or commit that a name ends with. */
const COPIED = /(?:sha256:)?\b[0-9a-f]{12,}\b|@[^@ ]+\d$/;

test.each(tables)('$name cuts no digest, no commit and no version', (table) => {
  const narrow = shown(table, false).split('\n');
  const headings = table.columns.filter(({ heading }) => ` ${narrow[0]} `.includes(` ${heading} `));
  for (const { heading } of headings) {
    const copied = COPIED.exec(table.row[table.columns.findIndex((column) => column.heading === heading)]!)?.[0];
    if (copied !== undefined) expect(narrow[1]).toContain(copied);
  }
});
