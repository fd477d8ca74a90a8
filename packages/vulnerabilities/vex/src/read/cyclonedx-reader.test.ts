import { describe, expect, test } from 'vitest';
import { UNKNOWN_TIME, type VexDocument } from '../vex-document/vex-document.ts';
import { readVexDocument } from './read-vex-document.ts';

const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const read = (value: unknown): VexDocument => {
  const result = readVexDocument(bytesOf(value));
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.value;
};
const refusal = (value: unknown) => {
  const result = readVexDocument(bytesOf(value));
  return result.ok ? [] : result.issues.map(({ path, code }) => `${path} ${code}`);
};
const notesOf = (value: unknown) => (read(value).notes ?? []).map(({ path, code }) => `${path} ${code}`);

const VULNERABILITY = {
  id: 'CVE-2021-44228',
  analysis: { state: 'not_affected', justification: 'code_not_reachable', detail: 'not called' },
  affects: [{ ref: 'lib' }],
};
const BOM = {
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
  version: 2,
  metadata: {
    timestamp: '2026-01-30T12:00:00+01:00',
    authors: [{ name: 'Dana', email: 'dana@example.com' }],
    component: { type: 'application', name: 'app', version: '1.0', 'bom-ref': 'app', purl: 'pkg:npm/app@1.0' },
  },
  components: [
    {
      type: 'library',
      name: 'lib',
      'bom-ref': 'lib',
      purl: 'pkg:npm/lib@2.0',
      cpe: 'cpe:2.3:a:x:lib:2.0:*:*:*:*:*:*:*',
      hashes: [{ alg: 'SHA-256', content: 'ab'.repeat(32) }],
      components: [{ type: 'library', name: 'inner', 'bom-ref': 'inner', purl: 'pkg:npm/inner@1' }],
    },
    { type: 'library', name: 'plain', version: '3', 'bom-ref': 'plain' },
  ],
  vulnerabilities: [VULNERABILITY],
};
const LIB = {
  purl: 'pkg:npm/lib@2.0',
  cpe23: 'cpe:2.3:a:x:lib:2.0:*:*:*:*:*:*:*',
  hashes: { 'sha-256': 'ab'.repeat(32) },
};
const withVulnerability = (members: object, bom: object = BOM) => ({
  ...bom,
  vulnerabilities: [{ ...VULNERABILITY, ...members }],
});
const analysed = (analysis: object, members: object = {}) => withVulnerability({ ...members, analysis });
const statementOf = (document: unknown) => read(document).statements[0]!;

test('a document becomes one of statements, each on a component in its product', () => {
  expect(read(BOM)).toEqual({
    shape: 'cyclonedx',
    id: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
    author: 'Dana <dana@example.com>',
    timestamp: '2026-01-30T11:00:00Z',
    version: 2,
    statements: [
      {
        vulnerability: { name: 'CVE-2021-44228' },
        timestamp: '2026-01-30T11:00:00Z',
        products: [{ purl: 'pkg:npm/app@1.0', subcomponents: [LIB] }],
        status: 'not_affected',
        impact_statement: 'not called',
        justification: 'vulnerable_code_not_in_execute_path',
      },
    ],
  });
});

test.each([
  ['not_affected', 'not_affected', 0],
  ['exploitable', 'affected', 0],
  ['resolved', 'fixed', 0],
  ['in_triage', 'under_investigation', 0],
  ['resolved_with_pedigree', 'fixed', 1],
  ['false_positive', 'not_affected', 1],
])('the state %s is the status %s', (state, status, notes) => {
  const document = analysed({ state });
  expect(statementOf(document).status).toBe(status);
  expect(notesOf(document)).toHaveLength(notes);
});

test.each([
  ['code_not_present', 'vulnerable_code_not_present', 0],
  ['code_not_reachable', 'vulnerable_code_not_in_execute_path', 0],
  ['requires_configuration', 'vulnerable_code_cannot_be_controlled_by_adversary', 1],
  ['requires_dependency', 'vulnerable_code_cannot_be_controlled_by_adversary', 1],
  ['requires_environment', 'vulnerable_code_cannot_be_controlled_by_adversary', 0],
  ['protected_by_compiler', 'inline_mitigations_already_exist', 1],
  ['protected_at_runtime', 'inline_mitigations_already_exist', 1],
  ['protected_at_perimeter', 'inline_mitigations_already_exist', 1],
  ['protected_by_mitigating_control', 'inline_mitigations_already_exist', 0],
])('%s is %s, and where that says less it is noted', (justification, read, notes) => {
  const document = analysed({ state: 'not_affected', justification });
  expect(statementOf(document).justification).toBe(read);
  expect(notesOf(document)).toHaveLength(notes);
});

describe('a report of vulnerabilities', () => {
  test('has no statement, and says so', () => {
    const document = { ...BOM, vulnerabilities: [{ id: 'CVE-1' }, { id: 'CVE-2', analysis: {} }] };
    expect(read(document).statements).toEqual([]);
    expect(read(document).notes).toMatchObject([{ code: 'vex.no_statement', place_count: 2 }]);
  });

  test('that analyses what has no id is about nothing', () => {
    expect(notesOf(withVulnerability({ id: undefined }))).toEqual(['/vulnerabilities/0 vex.no_statement']);
  });
});

test.each([
  ['a version before vulnerabilities', { ...BOM, specVersion: '1.3' }, '/specVersion vex.version_unsupported'],
  ['a version of the future', { ...BOM, specVersion: '2.0' }, '/specVersion vex.version_unsupported'],
  ['an unknown state', analysed({ state: 'maybe' }), '/vulnerabilities/0/analysis/state vex.status_unknown'],
  [
    'an unknown justification',
    analysed({ state: 'not_affected', justification: 'component_not_present' }),
    '/vulnerabilities/0/analysis/justification vex.justification_unknown',
  ],
  ['no reference', withVulnerability({ affects: [{}] }), '/vulnerabilities/0/affects/0 vex.field_missing'],
])('%s refuses the document', (_title, document, issue) => {
  expect(refusal(document)).toEqual([issue]);
});

describe('what a statement is about', () => {
  const affecting = (affects: object[], bom: object = BOM) => statementOf(withVulnerability({ affects }, bom)).products;
  const withoutRoot = { ...BOM, metadata: {} };
  const unknownRoot = { ...BOM, metadata: { component: { type: 'application', name: 'app', 'bom-ref': 'app' } } };

  test('the documented artifact itself', () => {
    expect(affecting([{ ref: 'app' }])).toEqual([{ purl: 'pkg:npm/app@1.0' }]);
  });

  test('several components of one product are its subcomponents', () => {
    expect(affecting([{ ref: 'lib' }, { ref: 'inner' }])).toEqual([
      { purl: 'pkg:npm/app@1.0', subcomponents: [LIB, { purl: 'pkg:npm/inner@1' }] },
    ]);
  });

  test('without a product that could be found, the component, or what it is inside of', () => {
    expect(affecting([{ ref: 'lib' }], withoutRoot)).toEqual([LIB]);
    expect(affecting([{ ref: 'lib' }], unknownRoot)).toEqual([LIB]);
    expect(affecting([{ ref: 'inner' }], withoutRoot)).toEqual([
      { ...LIB, subcomponents: [{ purl: 'pkg:npm/inner@1' }] },
    ]);
  });

  test('a component without identifiers keeps a name for people, and a link as its id', () => {
    expect(affecting([{ ref: 'plain' }], withoutRoot)).toEqual([
      { id: 'urn:cdx:3e671687-395b-41f5-a30f-a58921a69b79/2#plain', name: 'plain 3' },
    ]);
  });

  test('without a serial number its reference is the id, as an IRI', () => {
    const { serialNumber: _, ...anonymous } = BOM;
    const components = [
      { type: 'library', name: 'plain', 'bom-ref': 'the lib' },
      { type: 'library', name: 'plain', 'bom-ref': 'urn:lib' },
    ];
    const affects = [{ ref: 'the lib' }, { ref: 'urn:lib' }, { ref: 'out side' }];
    const document = { ...anonymous, metadata: {}, components, vulnerabilities: [{ ...VULNERABILITY, affects }] };
    expect(read(document).statements[0]?.products).toEqual([
      { id: 'bom-ref:the%20lib', name: 'plain' },
      { id: 'urn:lib', name: 'plain' },
      { id: 'bom-ref:out%20side' },
    ]);
  });

  test('a link to this very document leads to its component', () => {
    expect(affecting([{ ref: 'urn:cdx:3e671687-395b-41f5-a30f-a58921a69b79/2#app' }])).toEqual([
      { purl: 'pkg:npm/app@1.0' },
    ]);
  });

  test('a link to another document stays one, with the package URL that it may end in', () => {
    const [plain, purl] = ['urn:cdx:0000/1#product-ABC', 'urn:cdx:0000/1#pkg:npm/abc@1'];
    expect(affecting([{ ref: plain }, { ref: purl }, { ref: 'pkg:npm/x@1' }, { ref: plain }])).toEqual([
      { id: plain },
      { purl: 'pkg:npm/abc@1' },
      { purl: 'pkg:npm/x@1' },
      { id: plain },
    ]);
    expect(notesOf(withVulnerability({ affects: [{ ref: plain }] }))).toEqual([
      '/vulnerabilities/0/affects/0 vex.reference_outside',
    ]);
  });

  test('a reference that stands in a link as it is gets the percent signs that an IRI needs', () => {
    expect(affecting([{ ref: 'urn:cdx:0000/1#app@1|lib@1' }, { ref: 'urn:cdx:|' }])).toEqual([
      { id: 'urn:cdx:0000/1#app%401%7Clib%401' },
      { id: 'bom-ref:urn%3Acdx%3A%7C' },
    ]);
  });

  test('versions and ranges limit the package URL', () => {
    const versions = [
      { version: '2.0' },
      { version: '2.1', status: 'unaffected' },
      { range: 'vers:npm/>=3', status: 'unaffected' },
    ];
    expect(affecting([{ ref: 'lib', versions }], withoutRoot)).toEqual([
      LIB,
      { purl: 'pkg:npm/lib@2.1' },
      { purl: 'pkg:npm/lib?vers=vers%3Anpm%2F%3E%3D3' },
    ]);
  });

  test('without a package URL they stand beside the id', () => {
    const versions = [{ version: '3' }, { range: 'vers:generic/<2' }, { version: '3' }];
    expect(affecting([{ ref: 'plain', versions }], withoutRoot)).toMatchObject([
      { versions: ['3', 'vers:generic/<2'] },
    ]);
  });

  test('versions that are all listed as affected by what the state says is not_affected are what the state says', () => {
    const affects = [{ ref: 'lib', versions: [{ version: '2.1', status: 'affected' }, { version: '2.2' }] }];
    const document = withVulnerability({ affects });
    expect(read(document).statements[0]?.products[0]?.subcomponents).toEqual([
      { purl: 'pkg:npm/lib@2.1' },
      { purl: 'pkg:npm/lib@2.2' },
    ]);
    expect(notesOf(document)).toEqual(['/vulnerabilities/0/affects vex.read_as']);
  });

  test('versions that are all listed as affected by what is resolved are not called fixed', () => {
    const affects = [{ ref: 'lib', versions: [{ version: '2.1', status: 'affected' }] }];
    expect(read(withVulnerability({ affects, analysis: { state: 'resolved' } })).statements[0]?.products).toEqual([]);
  });

  test('versions of which something else is said are left out: nothing more is claimed than the document claims', () => {
    const versions = [
      { version: '2.1', status: 'affected' },
      { version: '2.2', status: 'unknown' },
    ];
    const document = withVulnerability({ affects: [{ ref: 'lib', versions }] });
    expect(statementOf(document).products).toEqual([]);
    expect(notesOf(document)).toEqual([
      '/vulnerabilities/0/affects/0/versions/0/status vex.not_held',
      '/vulnerabilities/0 vex.products_missing',
    ]);
  });

  test('components nested in thousands are found in one pass', () => {
    const components = Array.from({ length: 20_000 }, (_, index) => ({
      type: 'library',
      name: `c${index}`,
      'bom-ref': `r${index}`,
      purl: `pkg:npm/c${index}@1`,
    }));
    const affects = components.map((component) => ({ ref: component['bom-ref'] }));
    const [product] = affecting(affects, { ...BOM, components });
    expect(product?.subcomponents).toHaveLength(20_000);
  });
});

describe('texts', () => {
  const state = 'exploitable';
  test.each([
    [
      'a recommendation is what to do',
      { state, detail: 'd' },
      { recommendation: 'r' },
      { action_statement: 'r', status_notes: 'd' },
    ],
    ['else the detail is', { state, detail: 'd' }, {}, { action_statement: 'd' }],
    [
      'else the responses are, in words',
      { state, response: ['update'] },
      {},
      { action_statement: 'Update to another version.' },
    ],
    ['a detail of what is fixed is a note', { state: 'resolved', detail: 'd' }, {}, { status_notes: 'd' }],
  ])('%s', (_title, analysis, members, texts) => {
    const { action_statement, status_notes, impact_statement } = statementOf(analysed(analysis, members));
    expect({ action_statement, status_notes, impact_statement }).toEqual({
      action_statement: undefined,
      status_notes: undefined,
      impact_statement: undefined,
      ...texts,
    });
  });

  test('what has no place is noted', () => {
    const analysis = { ...VULNERABILITY.analysis, response: ['will_not_fix'] };
    const members = { recommendation: 'r', ratings: [{ score: 1 }], properties: [{ name: 'x', value: 'y' }] };
    expect(notesOf(analysed(analysis, members))).toEqual([
      '/vulnerabilities/0/ratings vex.not_held',
      '/vulnerabilities/0/properties/0 vex.not_held',
      '/vulnerabilities/0/recommendation vex.not_held',
      '/vulnerabilities/0/analysis/response vex.not_held',
    ]);
  });
});

test('an analysis was known when it was last changed', () => {
  const at = (times: object) => statementOf(analysed({ state: 'in_triage', ...times })).timestamp;
  expect(at({ firstIssued: '2026-02-01T00:00:00Z' })).toBe('2026-02-01T00:00:00Z');
  expect(at({ firstIssued: '2026-02-01T00:00:00Z', lastUpdated: '2026-03-01T00:00:00Z' })).toBe('2026-03-01T00:00:00Z');
  expect(statementOf({ ...BOM, metadata: undefined }).timestamp).toBe(UNKNOWN_TIME);
});

test('other names are aliases, and a source is the id of the vulnerability', () => {
  const document = withVulnerability({
    source: { name: 'NVD', url: 'https://nvd.example/CVE-2021-44228' },
    references: [{ id: 'ghsa-JFH8-c2jp-5v3q', source: {} }],
    description: 'Log4Shell',
  });
  expect(statementOf(document).vulnerability).toEqual({
    name: 'CVE-2021-44228',
    id: 'https://nvd.example/CVE-2021-44228',
    description: 'Log4Shell',
    aliases: ['GHSA-jfh8-c2jp-5v3q'],
  });
});

test('what to do is the recommendation and the workaround, where it is affected', () => {
  const advice = { recommendation: 'update', workaround: 'turn it off' };
  const affected = analysed({ state: 'exploitable', detail: 'reachable' }, advice);
  expect(statementOf(affected)).toMatchObject({ action_statement: 'update\nturn it off', status_notes: 'reachable' });
  const { workaround } = advice;
  expect(statementOf(analysed({ state: 'exploitable' }, { workaround })).action_statement).toBe('turn it off');
  const fixed = analysed({ state: 'resolved' }, { workaround });
  expect(statementOf(fixed)).not.toHaveProperty('action_statement');
  expect(notesOf(fixed)).toEqual(['/vulnerabilities/0/workaround vex.not_held']);
});

test('one component in more versions than fit into a call is in all of them', () => {
  const versions = Array.from({ length: 200_000 }, (_, index) => ({ version: `${index}`, status: 'unaffected' }));
  const affects = [
    { ref: 'plain', versions },
    { ref: 'lib', versions },
  ];
  const [product] = read({ ...BOM, vulnerabilities: [{ ...VULNERABILITY, affects }] }).statements[0]?.products ?? [];
  expect(product?.subcomponents).toHaveLength(versions.length + 1);
});
