import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UNKNOWN_TIME, type VexDocument } from '../vex-document/vex-document.ts';
import { readVexDocument } from './read-vex-document.ts';

const bytesOf = (value: unknown) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
const read = (value: unknown): VexDocument => {
  const result = readVexDocument(bytesOf(value));
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.value;
};
const refusal = (value: unknown) => {
  const result = readVexDocument(bytesOf(value));
  return result.ok ? [] : result.issues.map(({ path, code }) => `${path} ${code}`);
};
const notesOf = (value: unknown) =>
  (read(value).notes ?? []).map(({ path, code, place_count }) => `${path} ${code} ${place_count}`);

const STATEMENT = {
  vulnerability: { name: 'CVE-2021-44228' },
  products: [{ '@id': 'pkg:npm/app@1.0.0' }],
  status: 'under_investigation',
};
const DOCUMENT = {
  '@context': 'https://openvex.dev/ns/v0.2.0',
  '@id': 'https://example.com/vex/1',
  author: 'Dana <dana@example.com>',
  role: 'maintainer',
  timestamp: '2026-01-30T12:00:00Z',
  last_updated: '2026-02-01T12:00:00Z',
  version: 3,
  tooling: 'by hand',
  statements: [STATEMENT],
};
const withStatement = (members: object) => ({ ...DOCUMENT, statements: [{ ...STATEMENT, ...members }] });
const SPEC = {
  '@context': 'https://openvex.dev/ns/v0.2.0',
  tooling: 'colophon',
  statements: [
    {
      vulnerability: { id: 'CVE-2021-44228' },
      timestamp: '2026-01-30T12:00:00Z',
      components: [{ identifiers: { purl: 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1' } }],
      status: 'not_affected',
      justification: 'vulnerable_code_not_in_execute_path',
      details: 'JNDI lookups are not reached.',
    },
  ],
};

describe('OpenVEX v0.2.0', () => {
  test('every member has its place, and nothing is noted', () => {
    const full = withStatement({
      '@id': 'https://example.com/vex/1#1',
      version: 2,
      vulnerability: {
        '@id': 'https://nvd.example/CVE-2021-44228',
        name: 'CVE-2021-44228',
        description: 'Log4Shell',
        aliases: ['GHSA-jfh8-c2jp-5v3q'],
      },
      timestamp: '2026-01-31T00:00:00+01:00',
      last_updated: '2026-02-01T00:00:00Z',
      products: [
        {
          '@id': 'pkg:oci/app',
          identifiers: { purl: 'pkg:oci/app', cpe22: 'cpe:/a:b:c', cpe23: 'cpe:2.3:a:b:c:*:*:*:*:*:*:*:*' },
          hashes: { 'sha-256': 'ab'.repeat(32) },
          subcomponents: [{ '@id': 'pkg:npm/left-pad@1.3.0' }],
        },
      ],
      status: 'affected',
      supplier: 'Acme',
      status_notes: 'seen in production',
      action_statement: 'update',
      action_statement_timestamp: '2026-02-02T00:00:00Z',
    });
    expect(read(full)).toEqual({
      shape: 'openvex',
      id: 'https://example.com/vex/1',
      author: 'Dana <dana@example.com>',
      role: 'maintainer',
      timestamp: '2026-01-30T12:00:00Z',
      last_updated: '2026-02-01T12:00:00Z',
      version: 3,
      tooling: 'by hand',
      statements: [
        {
          id: 'https://example.com/vex/1#1',
          version: 2,
          vulnerability: {
            id: 'https://nvd.example/CVE-2021-44228',
            name: 'CVE-2021-44228',
            description: 'Log4Shell',
            aliases: ['GHSA-jfh8-c2jp-5v3q'],
          },
          timestamp: '2026-01-30T23:00:00Z',
          last_updated: '2026-02-01T00:00:00Z',
          products: [
            {
              id: 'pkg:oci/app',
              purl: 'pkg:oci/app',
              cpe22: 'cpe:/a:b:c',
              cpe23: 'cpe:2.3:a:b:c:*:*:*:*:*:*:*:*',
              hashes: { 'sha-256': 'ab'.repeat(32) },
              subcomponents: [{ id: 'pkg:npm/left-pad@1.3.0' }],
            },
          ],
          status: 'affected',
          supplier: 'Acme',
          status_notes: 'seen in production',
          action_statement: 'update',
          action_statement_timestamp: '2026-02-02T00:00:00Z',
        },
      ],
    });
  });

  test('a statement without a time has its document’s, and not the time of a change', () => {
    expect(read(DOCUMENT).statements[0]?.timestamp).toBe('2026-01-30T12:00:00Z');
    expect(read({ ...DOCUMENT, timestamp: undefined }).statements[0]?.timestamp).toBe('2026-02-01T12:00:00Z');
  });

  test('a statement that no time can be found for is older than all others, and that is noted', () => {
    const timeless = { ...DOCUMENT, timestamp: null, last_updated: undefined };
    expect(read(timeless).statements[0]?.timestamp).toBe(UNKNOWN_TIME);
    expect(notesOf(timeless)).toEqual(['/statements/0 vex.time_unknown 1']);
  });

  test('ids in lower case and with blanks are the ids that are meant', () => {
    const { vulnerability } = read(withStatement({ vulnerability: { name: ' cve-2021-44228' } })).statements[0]!;
    expect(vulnerability.name).toBe('CVE-2021-44228');
  });

  test('what is unknown is noted once, with its places counted', () => {
    const statement = { ...STATEMENT, statement: 'an example', products: [{ '@id': 'a:b', weight: 3 }] };
    expect(notesOf({ ...DOCUMENT, statements: [statement, statement] })).toEqual([
      '/statements/0/statement vex.not_held 2',
      '/statements/0/products/0/weight vex.not_held 2',
    ]);
  });

  test('a member called __proto__ is a member, and no prototype', () => {
    const text = JSON.stringify(withStatement({})).replace('"status"', '"__proto__":{"status":"fixed"},"status"');
    const [statement] = read(text).statements;
    expect(statement?.status).toBe('under_investigation');
    expect(notesOf(text)).toEqual(['/statements/0/__proto__ vex.not_held 1']);
  });

  test('as many different notes as a hostile document asks for are not listed', () => {
    const members = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`m${index}`, 1]));
    const { notes = [] } = read(withStatement(members));
    expect(notes).toHaveLength(101);
    expect(notes.at(-1)?.place_count).toBe(4_900);
  });

  test.each([
    ['no statements', { ...DOCUMENT, statements: undefined }, ' vex.field_missing'],
    ['statements that are null', { ...DOCUMENT, statements: null }, ' vex.field_missing'],
    ['statements that are an object', { ...DOCUMENT, statements: {} }, '/statements vex.field_type'],
    ['a statement that is none', { ...DOCUMENT, statements: ['x'] }, '/statements/0 vex.field_type'],
    ['no vulnerability', withStatement({ vulnerability: undefined }), '/statements/0 vex.field_missing'],
    [
      'a vulnerability of another type',
      withStatement({ vulnerability: 7 }),
      '/statements/0/vulnerability vex.field_type',
    ],
    ['no name', withStatement({ vulnerability: { aliases: [] } }), '/statements/0/vulnerability vex.field_missing'],
    ['a blank name', withStatement({ vulnerability: { name: ' ' } }), '/statements/0/vulnerability vex.field_missing'],
    ['no status', withStatement({ status: null }), '/statements/0 vex.field_missing'],
    ['an unknown status', withStatement({ status: 'Fixed' }), '/statements/0/status vex.status_unknown'],
    ['a status of another type', withStatement({ status: 1 }), '/statements/0/status vex.field_type'],
    [
      'an unknown justification',
      withStatement({ justification: 'x' }),
      '/statements/0/justification vex.justification_unknown',
    ],
    ['no time', withStatement({ timestamp: 'soon' }), '/statements/0/timestamp vex.timestamp_invalid'],
    ['a product that names nothing', withStatement({ products: [{}] }), '/statements/0/products/0 vex.field_missing'],
    ['a product that is null', withStatement({ products: [null] }), '/statements/0/products/0 vex.field_type'],
    ['a version that is none', { ...DOCUMENT, version: 'one' }, '/version vex.field_type'],
    [
      'an alias that is none',
      withStatement({ vulnerability: { name: 'X', aliases: [1] } }),
      '/statements/0/vulnerability/aliases/0 vex.field_type',
    ],
  ])('%s refuse the document', (_title, document, issue) => {
    expect(refusal(document)).toEqual([issue]);
  });

  test('the word that was meant is said', () => {
    const result = readVexDocument(bytesOf(withStatement({ status: 'Not Affected' })));
    expect(result).toMatchObject({ issues: [{ message: expect.stringContaining('"not_affected"') }] });
  });

  test('issues are counted beyond a hundred', () => {
    const many = { ...DOCUMENT, statements: Array.from({ length: 150 }, () => ({ ...STATEMENT, status: 'x' })) };
    const result = readVexDocument(bytesOf(many));
    expect(result.ok ? 0 : result.issues).toHaveLength(101);
    expect(result).toMatchObject({
      issues: { 100: { code: 'vex.more_issues', message: expect.stringContaining('50') } },
    });
  });
});

describe('OpenVEX before 0.2.0', () => {
  const OLD = {
    id: 'my-vexdoc',
    format: 'text/vex+json',
    author: 'Dana',
    version: '2',
    supplier: 'Acme',
    timestamp: '2022-12-22T16:36:43-05:00',
    statements: [
      {
        vulnerability: 'cve-2021-44228',
        vuln_description: 'Log4Shell',
        products: ['pkg:apk/wolfi/bash@1.0.0', 'nginx'],
        subcomponents: ['pkg:npm/left-pad@1.3.0'],
        status: 'fixed',
        status_notes: '',
      },
    ],
  };

  test('texts stand for objects, and there is no @context', () => {
    expect(read(OLD)).toMatchObject({
      shape: 'openvex',
      id: 'my-vexdoc',
      version: 2,
      statements: [
        {
          vulnerability: { name: 'CVE-2021-44228', description: 'Log4Shell' },
          timestamp: '2022-12-22T21:36:43Z',
          products: [
            { id: 'pkg:apk/wolfi/bash@1.0.0', subcomponents: [{ id: 'pkg:npm/left-pad@1.3.0' }] },
            { id: 'nginx', subcomponents: [{ id: 'pkg:npm/left-pad@1.3.0' }] },
          ],
          supplier: 'Acme',
        },
      ],
    });
    expect(read(OLD).statements[0]).not.toHaveProperty('status_notes');
  });

  test.each(['https://openvex.dev/ns', 'https://openvex.dev/ns/v0.0.1', ['https://openvex.dev/ns/v0.2.0']])(
    'the context %s is known',
    (context) => {
      expect(read({ ...DOCUMENT, '@context': context }).statements).toHaveLength(1);
    },
  );

  test('a later version is refused: nobody knows what it says', () => {
    expect(refusal({ ...DOCUMENT, '@context': 'https://openvex.dev/ns/v0.3.0' })).toEqual([
      '/@context vex.version_unsupported',
    ]);
  });

  test('a statement without products is read, and said to match nothing', () => {
    expect(notesOf(withStatement({ products: undefined }))).toEqual(['/statements/0 vex.products_missing 1']);
  });

  test('a document without statements is read, and said to say nothing', () => {
    expect(notesOf({ ...DOCUMENT, statements: [] })).toEqual([' vex.no_statement 1']);
  });
});

describe('the contract’s shape (§2.6)', () => {
  test('is read, and never silently empty', () => {
    expect(read(SPEC)).toEqual({
      shape: 'spec',
      tooling: 'colophon',
      statements: [
        {
          vulnerability: { name: 'CVE-2021-44228' },
          timestamp: '2026-01-30T12:00:00Z',
          products: [{ purl: 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1' }],
          status: 'not_affected',
          impact_statement: 'JNDI lookups are not reached.',
          justification: 'vulnerable_code_not_in_execute_path',
        },
      ],
    });
  });

  test.each([
    ['not_affected', 'impact_statement'],
    ['affected', 'action_statement'],
    ['fixed', 'status_notes'],
    ['under_investigation', 'status_notes'],
  ])('details of %s are its %s', (status, member) => {
    const [statement] = read({ ...SPEC, statements: [{ ...SPEC.statements[0], status }] }).statements;
    expect(statement).toHaveProperty(member, 'JNDI lookups are not reached.');
  });

  const both = (members: object) => ({ ...SPEC, statements: [{ ...SPEC.statements[0], ...members }] });

  test('a document that says it in both shapes says it once', () => {
    const purl = 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1';
    const [statement] = read(
      both({
        vulnerability: { id: 'CVE-2021-44228', name: 'cve-2021-44228' },
        products: [{ '@id': purl }, { '@id': 'pkg:npm/app' }],
        components: [{ identifiers: { purl } }, { identifiers: { purl: 'pkg:npm/other' } }],
        impact_statement: 'JNDI lookups are not reached.',
      }),
    ).statements;
    expect(statement?.products).toEqual([{ id: purl }, { id: 'pkg:npm/app' }, { purl: 'pkg:npm/other' }]);
    expect(statement).not.toHaveProperty('status_notes');
  });

  test('two different texts are both kept while there is a place for both', () => {
    const [statement] = read(both({ impact_statement: 'another' })).statements;
    expect(statement).toMatchObject({ impact_statement: 'another', status_notes: 'JNDI lookups are not reached.' });
    expect(refusal(both({ impact_statement: 'another', status_notes: 'a third' }))).toEqual([
      '/statements/0/details vex.conflict',
    ]);
  });

  test('one vulnerability in two spellings is one', () => {
    const vulnerability = { id: 'ACME-1', name: 'acme-1' };
    expect(read(both({ vulnerability })).statements[0]?.vulnerability).toEqual({ name: 'acme-1' });
  });

  test('two different vulnerabilities are a conflict', () => {
    expect(refusal(both({ vulnerability: { id: 'CVE-2021-44228', name: 'CVE-2021-45046' } }))).toEqual([
      '/statements/0/vulnerability vex.conflict',
    ]);
  });
});

describe('what is no VEX document', () => {
  test.each([
    ['SARIF', { version: '2.1.0', runs: [] }],
    ['SPDX', { spdxVersion: 'SPDX-2.3' }],
    ['an SBOM', { bomFormat: 'CycloneDX', specVersion: '1.6' }],
    ['DSSE', { payloadType: 'application/vnd.in-toto+json', payload: '', signatures: [] }],
    ['in-toto', { _type: 'https://in-toto.io/Statement/v1', predicateType: 'https://openvex.dev/ns' }],
    ['Sigstore', { mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json', dsseEnvelope: {} }],
    ['XML', '<?xml version="1.0"?><bom/>'],
    ['Git LFS', 'version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 84563622\n'],
    ['OpenPGP', '-----BEGIN PGP SIGNATURE-----\n'],
    ['an empty file', ' \n'],
    ['HTML', '<!DOCTYPE html>\n<title>404</title>'],
    ['a list', [{ '@context': 'https://openvex.dev/ns/v0.2.0', statements: [] }]],
    ['SPDX', { '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld', '@graph': [] }],
  ])('is called what it is: %s', (name, value) => {
    const result = readVexDocument(bytesOf(value));
    expect(result).toMatchObject({ ok: false, issues: [{ path: '', code: 'vex.not_vex' }] });
    expect(result).toMatchObject({ issues: [{ message: expect.stringContaining(name) }] });
  });

  test.each([
    ['gzip', [0x1f, 0x8b, 8, 0]],
    ['zip', [0x50, 0x4b, 3, 4]],
    ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
    ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]],
    ['bzip2', [0x42, 0x5a, 0x68, 0x39]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0]],
    ['UTF-16', [0xfe, 0xff, 0, 0x7b]],
  ])('is called what it is packed in: %s', (name, bytes) => {
    const issue = { path: '', code: 'vex.not_vex', message: expect.stringContaining(name) };
    expect(readVexDocument(Uint8Array.from(bytes))).toMatchObject({ ok: false, issues: [issue] });
  });

  test.each([[[]], ['"text"'], ['null'], [{}], [{ statements: [] }], [{ statements: [{ effect: 'allow' }] }]])(
    '%j is none',
    (value) => {
      expect(refusal(value)).toEqual([' vex.not_vex']);
    },
  );

  test('bytes that are no JSON are refused as such', () => {
    expect(refusal('{')).toEqual([' json.syntax']);
    expect(refusal('{"statements": [], "statements": []}')).toEqual(['/statements json.duplicate_key']);
  });

  test('no JSON makes it throw', () => {
    const member = fc.constantFrom(
      ...['statements', 'vulnerability', 'products', 'status', '@context', 'bomFormat', 'vulnerabilities', 'document'],
      ...['analysis', 'affects', 'csaf_version', 'product_tree', 'branches', 'name', '@id', 'metadata', 'component'],
    );
    const scalar = fc.constantFrom(null, 1, '', 'x', 'CycloneDX', '2.0', 'csaf_vex', 'fixed', 'https://openvex.dev/ns');
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 6 }, scalar, tie('array'), tie('object')),
      array: fc.array(tie('value'), { maxLength: 3 }),
      object: fc.dictionary(member, tie('value'), { maxKeys: 6, noNullPrototype: true }),
    }));
    const rooted = fc.oneof(
      value,
      value.map((one) => ({ ...DOCUMENT, statements: one })),
      value.map((one) => ({ bomFormat: 'CycloneDX', specVersion: '1.6', vulnerabilities: one })),
      fc.tuple(value, value).map(([tree, vulnerabilities]) => ({
        document: { csaf_version: '2.0', category: 'csaf_vex', publisher: {}, tracking: {} },
        product_tree: tree,
        vulnerabilities,
      })),
    );
    fc.assert(
      fc.property(rooted, (document) => {
        const result = readVexDocument(bytesOf(document));
        expect(result.ok || result.issues.length > 0).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

test('what says far more than it writes out is refused', () => {
  const many = Array.from({ length: 2_000 }, (_, index) => `pkg:npm/p${index}@1`);
  const statement = { vulnerability: { name: 'CVE-2021-44228' }, status: 'fixed', products: many };
  const codes = (more: object) => {
    const result = readVexDocument(bytesOf({ ...DOCUMENT, statements: [{ ...statement, ...more }] }));
    return result.ok ? [] : result.issues.map(({ code }) => code);
  };
  expect(codes({})).toEqual([]);
  expect(codes({ subcomponents: many })).toEqual(['vex.too_large']);
  expect(codes({ vulnerability: { name: 'CVE-2021-44228', aliases: many } })).toEqual(['vex.too_large']);
});
