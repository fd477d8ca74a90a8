import { describe, expect, test } from 'vitest';
import type { VexProfile } from '../vex-document/vex-document.ts';
import { validateVexDocument } from './validate-vex-document.ts';

const AT = '2026-11-21T12:00:00Z';
const bytesOf = (value: unknown) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
const reportOf = (value: unknown, profile?: VexProfile) =>
  validateVexDocument(bytesOf(value), { at: AT, ...(profile && { profile }) });
const issuesOf = (value: unknown, profile?: VexProfile) =>
  reportOf(value, profile).issues.map(({ severity, path, code }) => `${severity} ${path} ${code}`);

const STATEMENT = {
  vulnerability: { name: 'CVE-2021-44228' },
  timestamp: '2026-01-30T12:00:00Z',
  products: [{ '@id': 'pkg:npm/app@1.0.0' }],
  status: 'not_affected',
  justification: 'component_not_present',
};
const DOCUMENT = {
  '@context': 'https://openvex.dev/ns/v0.2.0',
  '@id': 'https://example.com/vex/1',
  author: 'Dana',
  timestamp: '2026-01-30T12:00:00.5+01:00',
  version: 1,
  statements: [STATEMENT],
};
const withMembers = (members: object) => ({ ...DOCUMENT, ...members });
const withStatement = (members: object) => withMembers({ statements: [{ ...STATEMENT, ...members }] });
const withProduct = (product: unknown) => withStatement({ products: [product] });
const withStatements = (...statements: object[]) =>
  withMembers({ statements: statements.map((one) => ({ ...STATEMENT, ...one })) });

describe('OpenVEX v0.2.0', () => {
  test('a complete document is valid', () => {
    const full = withStatement({
      '@id': 'https://example.com/vex/1#1',
      version: 1,
      vulnerability: { '@id': 'urn:x:1', name: 'CVE-2021-44228', description: 'd', aliases: [] },
      last_updated: '2026-01-31T12:00:00Z',
      products: [
        {
          '@id': 'https://example.com/p',
          identifiers: { purl: 'pkg:npm/app', cpe22: 'cpe:/a:b:c', cpe23: 'cpe:2.3:a' },
          hashes: { 'sha-256': 'ab' },
          subcomponents: [{ '@id': 'pkg:npm/left-pad@1' }],
        },
      ],
      supplier: 's',
      status_notes: 'n',
      impact_statement: 'i',
    });
    expect(reportOf({ ...full, role: 'r', tooling: 't', last_updated: '2026-01-31T00:00:00Z' })).toMatchObject({
      valid: true,
      shape: 'openvex',
      issues: [],
      document: { statements: [{ status: 'not_affected' }] },
    });
  });

  test.each(['@context', '@id', 'author', 'timestamp', 'version', 'statements'])('%s has to be there', (name) => {
    const { [name]: _, ...rest } = DOCUMENT as Record<string, unknown>;
    expect(issuesOf(rest)).toEqual(['error  vex.field_missing']);
  });

  test.each(['vulnerability', 'products', 'status'])('%s of a statement has to be there', (name) => {
    expect(issuesOf(withStatement({ [name]: undefined }))).toContain('error /statements/0 vex.field_missing');
  });

  test.each([
    ['another context', withMembers({ '@context': 'https://openvex.dev/ns' }), '/@context vex.version_unsupported'],
    ['an id that is no IRI', withMembers({ '@id': 'my-vexdoc' }), '/@id vex.id_not_iri'],
    ['an author without a name', withMembers({ author: ' ' }), '/author vex.field_empty'],
    ['version 0', withMembers({ version: 0 }), '/version vex.field_type'],
    ['a version as text', withMembers({ version: '1' }), '/version vex.field_type'],
    ['an unknown member', withMembers({ autor: 'x' }), '/autor vex.field_unknown'],
    ['a null', withMembers({ role: null }), '/role vex.field_type'],
    ['no statement', withMembers({ statements: [] }), '/statements vex.field_empty'],
    ['a day for a time', withMembers({ timestamp: '2026-01-30' }), '/timestamp vex.timestamp_invalid'],
    ['a day that is not', withMembers({ timestamp: '2026-02-30T00:00:00Z' }), '/timestamp vex.timestamp_invalid'],
    ['the future', withMembers({ timestamp: '2026-11-21T12:00:01Z' }), '/timestamp vex.timestamp_future'],
    [
      'the future elsewhere',
      withStatement({ timestamp: '2026-11-21T12:00:00-01:00' }),
      '/statements/0/timestamp vex.timestamp_future',
    ],
    ['no product', withStatement({ products: [] }), '/statements/0/products vex.field_empty'],
    ['a product as text', withProduct('pkg:npm/a'), '/statements/0/products/0 vex.field_type'],
    [
      'a vulnerability as text',
      withStatement({ vulnerability: 'CVE-1' }),
      '/statements/0/vulnerability vex.field_type',
    ],
    [
      'an unknown member of a product',
      withProduct({ '@id': 'pkg:npm/a', purl: 'x' }),
      '/statements/0/products/0/purl vex.field_unknown',
    ],
    [
      'an unknown hash',
      withProduct({ '@id': 'pkg:npm/a', hashes: { sha256: 'x' } }),
      '/statements/0/products/0/hashes/sha256 vex.field_unknown',
    ],
    [
      'an unknown identifier',
      withProduct({ identifiers: { purl: 'pkg:npm/a', swid: 'x' } }),
      '/statements/0/products/0/identifiers/swid vex.field_unknown',
    ],
    [
      'a package URL without a name',
      withProduct({ '@id': 'pkg:npm' }),
      '/statements/0/products/0/@id vex.purl_invalid',
    ],
    [
      'a package URL that is none',
      withProduct({ identifiers: { purl: 'left-pad' } }),
      '/statements/0/products/0/identifiers/purl vex.purl_invalid',
    ],
    ['version 0 of a statement', withStatement({ version: 0 }), '/statements/0/version vex.field_type'],
    [
      'a product that only a hash names',
      withProduct({ hashes: { 'sha-256': 'ab' } }),
      '/statements/0/products/0 vex.field_missing',
    ],
    [
      'identifiers that are none',
      withProduct({ '@id': 'pkg:npm/a', identifiers: {} }),
      '/statements/0/products/0/identifiers vex.field_missing',
    ],
    [
      'a component that nothing names',
      withProduct({ '@id': 'pkg:npm/a', subcomponents: [{ hashes: { md5: 'ab' } }] }),
      '/statements/0/products/0/subcomponents/0 vex.field_missing',
    ],
    [
      'the same product twice, in another order of members',
      withStatement({
        products: [
          { '@id': 'pkg:npm/a', identifiers: { purl: 'pkg:npm/a' } },
          { identifiers: { purl: 'pkg:npm/a' }, '@id': 'pkg:npm/a' },
        ],
      }),
      '/statements/0/products/1 vex.entry_repeated',
    ],
    [
      'the same component twice',
      withProduct({ '@id': 'pkg:npm/a', subcomponents: [{ '@id': 'pkg:npm/b' }, { '@id': 'pkg:npm/b' }] }),
      '/statements/0/products/0/subcomponents/1 vex.entry_repeated',
    ],
    [
      'the same alias twice',
      withStatement({ vulnerability: { name: 'CVE-1', aliases: ['GHSA-1', 'GHSA-1'] } }),
      '/statements/0/vulnerability/aliases/1 vex.entry_repeated',
    ],
    ['the same statement twice', withStatements({}, {}), '/statements/1 vex.entry_repeated'],
    ['a name of the prototype', withMembers({ constructor: 'x' }), '/constructor vex.field_unknown'],
  ])('%s is an error', (_title, document, issue) => {
    expect(issuesOf(document)).toContain(`error ${issue}`);
  });

  test.each([
    ['fixed', {}, []],
    ['under_investigation', {}, []],
    ['affected', { action_statement: 'update' }, []],
    ['affected', {}, [' vex.action_missing']],
    ['affected', { action_statement: ' ' }, [' vex.action_missing']],
    ['affected', { action_statement: 'a', impact_statement: 'i' }, ['/impact_statement vex.text_misplaced']],
    [
      'affected',
      { action_statement: 'a', justification: 'component_not_present' },
      ['/justification vex.text_misplaced'],
    ],
    ['not_affected', {}, [' vex.justification_missing']],
    ['not_affected', { impact_statement: 'i' }, [' vex.justification_missing']],
    [
      'not_affected',
      { justification: 'component_not_present', action_statement: 'a' },
      ['/action_statement vex.text_misplaced'],
    ],
    ['fixed', { justification: 'component_not_present' }, ['/justification vex.text_misplaced']],
    [
      'fixed',
      { impact_statement: 'i', action_statement: 'a' },
      ['/impact_statement vex.text_misplaced', '/action_statement vex.text_misplaced'],
    ],
    ['under_investigation', { impact_statement: 'i' }, ['/impact_statement vex.text_misplaced']],
    ['not_affected', { justification: 'not_reachable' }, ['/justification vex.justification_unknown']],
    ['exploitable', {}, ['/status vex.status_unknown']],
  ])('%s with %j', (status, members, wanted) => {
    const { justification: _, ...bare } = STATEMENT;
    const document = withMembers({ statements: [{ ...bare, status, ...members }] });
    const errors = issuesOf(document).filter((issue) => issue.startsWith('error') && !issue.includes('field_empty'));
    expect(errors).toEqual(wanted.map((issue) => `error /statements/0${issue}`));
  });

  test('what is odd and allowed is a warning', () => {
    expect(issuesOf(withProduct({ '@id': 'nginx' }))).toEqual(['warning /statements/0/products/0/@id vex.id_not_iri']);
    expect(issuesOf(withStatement({ supplier: '' }))).toEqual(['warning /statements/0/supplier vex.field_empty']);
    const placeholder = {
      status: 'affected',
      justification: undefined,
      action_statement: 'No action statement provided',
    };
    expect(issuesOf(withStatement(placeholder))).toEqual(['warning /statements/0 vex.action_missing']);
  });

  test('what was meant is said', () => {
    const { issues } = reportOf(withMembers({ autor: 'x' }));
    expect(issues[0]?.message).toContain('"author"');
    expect(reportOf(withStatement({ status: 'Not Affected' })).issues[0]?.message).toContain('"not_affected"');
  });

  test('nothing is in the future where nobody says what time it is', () => {
    const document = withMembers({ timestamp: '2999-01-01T00:00:00Z' });
    expect(validateVexDocument(bytesOf(document)).issues).toEqual([]);
  });
});

describe('statements about the same', () => {
  const affected = { status: 'affected', justification: undefined, action_statement: 'update' };

  test('contradict each other at one time, in either spelling of it', () => {
    expect(issuesOf(withStatements({}, affected))).toEqual(['error /statements/1 vex.statement_contradicts']);
    const spelt = { ...affected, timestamp: '2026-01-30T13:00:00.00+01:00' };
    expect(issuesOf(withStatements({}, spelt))).toEqual(['error /statements/1 vex.statement_contradicts']);
    const zeros = { ...affected, timestamp: '2026-01-30T12:00:00.000Z' };
    expect(issuesOf(withStatements({}, zeros))).toEqual(['error /statements/1 vex.statement_contradicts']);
  });

  test('do not where one is later, or about another product, component or vulnerability', () => {
    const others = [
      { timestamp: '2026-01-30T12:00:00.1Z' },
      { products: [{ '@id': 'pkg:npm/app@1.0.1' }] },
      { products: [{ '@id': 'pkg:npm/app@1.0.0', subcomponents: [{ '@id': 'pkg:npm/lib' }] }] },
      { vulnerability: { name: 'CVE-2021-45046' } },
    ];
    expect(issuesOf(withStatements({}, ...others.map((one) => ({ ...affected, ...one }))))).toEqual([]);
  });

  test('may repeat each other, or differ in the justification, with a warning', () => {
    expect(issuesOf(withStatements({}, { supplier: 'Acme' }))).toEqual([
      'warning /statements/1 vex.statement_repeated',
    ]);
    expect(issuesOf(withStatements({}, { justification: 'vulnerable_code_not_present' }))).toEqual([
      'warning /statements/1 vex.statement_contradicts',
    ]);
  });

  test('are compared in one pass, and listed up to a bound', () => {
    const statements = Array.from({ length: 20_000 }, (_, index) => ({ supplier: `s${index}` }));
    const { issues, valid } = reportOf(withStatements(...statements));
    expect(valid).toBe(true);
    expect(issues).toHaveLength(1_001);
    expect(issues.at(-1)).toMatchObject({ code: 'vex.more_issues', message: expect.stringContaining('18999') });
  });
});

describe('the contract’s shape', () => {
  const SPEC = {
    '@context': 'https://openvex.dev/ns/v0.2.0',
    statements: [
      {
        vulnerability: { id: 'CVE-2021-44228' },
        timestamp: '2026-01-30T12:00:00Z',
        components: [{ identifiers: { purl: 'pkg:npm/app@1' } }],
        status: 'not_affected',
        justification: 'component_not_present',
        details: 'it is not there',
      },
    ],
  };
  const spec = (members: object) => ({ ...SPEC, statements: [{ ...SPEC.statements[0], ...members }] });

  test('is valid for its own profile, and for no other', () => {
    expect(reportOf(SPEC, 'spec')).toMatchObject({ valid: true, issues: [], document: { shape: 'spec' } });
    const issues = issuesOf(SPEC);
    expect(issues).toContain('error /statements/0/components vex.field_unknown');
    expect(issues.at(-1)).toBe('note  vex.read_as');
  });

  test.each([
    ['no time', { timestamp: undefined }, 'error /statements/0 vex.field_missing'],
    [
      'a time that is not in UTC',
      { timestamp: '2026-01-30T12:00:00+01:00' },
      'error /statements/0/timestamp vex.timestamp_invalid',
    ],
    ['no components', { components: [] }, 'error /statements/0/components vex.field_empty'],
    [
      'no package URL',
      { components: [{ identifiers: {} }] },
      'error /statements/0/components/0/identifiers vex.field_missing',
    ],
    ['no justification', { justification: undefined }, 'error /statements/0 vex.justification_missing'],
    [
      'no action',
      { status: 'affected', justification: undefined, details: undefined },
      'error /statements/0 vex.action_missing',
    ],
    ['a justification of what is fixed', { status: 'fixed' }, 'error /statements/0 vex.text_misplaced'],
    [
      'a member of OpenVEX',
      { impact_statement: 'it is not there' },
      'warning /statements/0/impact_statement vex.field_unknown',
    ],
    ['two texts', { impact_statement: 'a', status_notes: 'b' }, 'warning /statements/0/status_notes vex.field_unknown'],
  ])('%s is said', (_title, members, issue) => {
    expect(issuesOf(spec(members), 'spec')).toContain(issue);
  });

  test('a conflict that no rule of form finds is an error, too', () => {
    const { valid, issues } = reportOf(spec({ vulnerability: { id: 'CVE-1', name: 'CVE-2' } }), 'spec');
    expect(valid).toBe(false);
    expect(issues.map(({ code }) => code)).toContain('vex.conflict');
  });
});

describe('other families', () => {
  const BOM = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    metadata: { timestamp: '2026-01-30T12:00:00Z' },
    components: [{ type: 'library', name: 'a', 'bom-ref': 'a', purl: 'pkg:npm/a@1' }],
    vulnerabilities: [
      { id: 'CVE-1', analysis: { state: 'not_affected' }, affects: [{ ref: 'a' }], cwes: [1] },
      { id: 'CVE-2', analysis: { state: 'exploitable', firstIssued: '2999-01-01T00:00:00Z' }, affects: [{ ref: 'a' }] },
    ],
  };

  test('CycloneDX leaves reasons open, and time is time there, too', () => {
    expect(issuesOf(BOM)).toEqual([
      'error /vulnerabilities/1 vex.timestamp_future',
      'warning /vulnerabilities/0 vex.justification_missing',
      'warning /vulnerabilities/1 vex.action_missing',
      'note /vulnerabilities/0/cwes vex.not_held',
    ]);
  });

  test('the place of a statement is its place in the document, whatever was passed over', () => {
    const report = { id: 'CVE-0', affects: [] };
    expect(issuesOf({ ...BOM, vulnerabilities: [report, BOM.vulnerabilities[0]] })).toContain(
      'warning /vulnerabilities/1 vex.justification_missing',
    );
  });

  test('a family is not held against the profile of another', () => {
    expect(issuesOf(BOM, 'openvex')).toEqual(['error  vex.not_vex']);
    expect(issuesOf(DOCUMENT, 'cyclonedx')).toEqual(['error  vex.not_vex']);
  });

  test('what cannot be read is not valid', () => {
    expect(issuesOf('{')).toEqual(['error  json.syntax']);
    expect(issuesOf('<bom/>')).toEqual(['error  vex.not_vex']);
    expect(issuesOf({ runs: [] })).toEqual(['error  vex.not_vex']);
    expect(issuesOf({ ...BOM, vulnerabilities: [{ id: 'X', analysis: { state: 'x' } }] })).toEqual([
      'error /vulnerabilities/0/analysis/state vex.status_unknown',
    ]);
    expect(issuesOf({ document: { csaf_version: '1.2' } })).toEqual([
      'error /document/csaf_version vex.version_unsupported',
    ]);
  });
});
