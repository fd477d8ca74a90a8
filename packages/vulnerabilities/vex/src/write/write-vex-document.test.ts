import { VEX_JUSTIFICATIONS, VEX_STATUSES } from '@colophon/records';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readVexDocument } from '../read/read-vex-document.ts';
import { validateVexDocument } from '../validate/validate-vex-document.ts';
import { UNKNOWN_TIME, type VexDocument, type VexStatement } from '../vex-document/vex-document.ts';
import { contentKey } from './content-key.ts';
import { NO_ACTION } from './openvex-writer.ts';
import { type VexWriting, writeVexDocument } from './write-vex-document.ts';

const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const read = (value: unknown): VexDocument => {
  const result = readVexDocument(bytesOf(value));
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.value;
};
const write = (document: VexDocument, profile: VexWriting['profile']) => writeVexDocument(document, { profile });
const lostPaths = (document: VexDocument, profile: VexWriting['profile']) =>
  write(document, profile).losses.map(({ path }) => path);

const STATEMENT: VexStatement = {
  vulnerability: { name: 'CVE-2021-44228' },
  timestamp: '2026-01-30T12:00:00Z',
  products: [{ id: 'pkg:npm/app@1' }],
  status: 'not_affected',
  justification: 'component_not_present',
};
const documentOf = (members: Partial<VexStatement> = {}): VexDocument => ({
  shape: 'openvex',
  id: 'https://example.com/vex/1',
  author: 'Dana',
  timestamp: '2026-01-30T12:00:00Z',
  version: 1,
  statements: [{ ...STATEMENT, ...members }],
});

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((one) => !one.includes('\0'));
const time = fc
  .date({ noInvalidDate: true, min: new Date('1990-01-01'), max: new Date('2030-01-01') })
  .map((date) => date.toISOString());
const purl = fc.constantFrom(
  'pkg:npm/a@1',
  'pkg:npm/%40b/c@2',
  'pkg:oci/d@sha256%3Aab?tag=1',
  'pkg:golang/x/y',
  'pkg:deb/d/e@1:2',
);
const vulnerabilityName = fc.constantFrom('CVE-2021-44228', 'GHSA-jfh8-c2jp-5v3q', 'openSUSE-SU-2020:0051-1');
const optional = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });
const plain = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));

/** A document in the contract's letter. */
const contractDocument = fc
  .record({
    tooling: optional(text),
    statements: fc.uniqueArray(
      fc
        .record({
          vulnerability: fc.record({ id: vulnerabilityName }),
          timestamp: time,
          components: fc
            .uniqueArray(purl, { maxLength: 3 })
            .map((purls) => purls.map((one) => ({ identifiers: { purl: one } }))),
          status: fc.constantFrom(...VEX_STATUSES),
          justification: fc.constantFrom(...VEX_JUSTIFICATIONS),
          details: optional(text),
        })
        .map(({ justification, ...rest }) => (rest.status === 'not_affected' ? { ...rest, justification } : rest)),
      { minLength: 1, maxLength: 4, selector: (one) => JSON.stringify(one) },
    ),
  })
  .map((document) => plain({ '@context': 'https://openvex.dev/ns/v0.2.0', ...document }));

const subject = fc
  .record({
    id: optional(fc.oneof(purl, fc.constant('https://example.com/p'), fc.constant('nginx'))),
    purl: optional(purl),
    cpe22: optional(fc.constant('cpe:/a:b:c')),
    cpe23: optional(fc.constant('cpe:2.3:a:b:c:*:*:*:*:*:*:*:*')),
    hashes: optional(
      fc.dictionary(fc.constantFrom('sha-256', 'md5', 'blake2s-256'), fc.constant('ab'.repeat(32)), {
        minKeys: 1,
        noNullPrototype: true,
      }),
    ),
  })
  .filter((one) => Object.values(one).some((member) => member !== undefined));
/** OpenVEX has a package URL in both places, and every entry once. */
const nameOf = ({ id, purl: own, ...rest }: { id: string | undefined; purl: string | undefined }) =>
  contentKey(plain({ id: id ?? own ?? null, own: own ?? null, ...rest }) as never);
const product = fc
  .tuple(subject, optional(fc.uniqueArray(subject, { minLength: 1, maxLength: 2, selector: nameOf })))
  .map(([one, subcomponents]) => ({ ...one, ...(subcomponents && { subcomponents }) }));

const statement = fc.record({
  id: optional(fc.constant('https://example.com/s')),
  version: optional(fc.integer({ min: 1, max: 9 })),
  vulnerability: fc.record({
    name: vulnerabilityName,
    id: optional(fc.constant('https://example.com/v')),
    description: optional(text),
    aliases: optional(fc.uniqueArray(fc.constantFrom('GO-2024-1', 'CVE-2020-1234'), { minLength: 1, maxLength: 2 })),
  }),
  timestamp: fc.oneof({ arbitrary: time, weight: 5 }, fc.constant(UNKNOWN_TIME)),
  last_updated: optional(time),
  products: fc.uniqueArray(product, { maxLength: 2, selector: nameOf }),
  status: fc.constantFrom(...VEX_STATUSES),
  supplier: optional(text),
  status_notes: optional(text),
  justification: optional(fc.constantFrom(...VEX_JUSTIFICATIONS)),
  impact_statement: optional(text),
  action_statement: optional(text),
  action_statement_timestamp: optional(time),
});
const model = fc
  .record({
    id: optional(fc.constantFrom('https://example.com/vex/1', 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79')),
    author: optional(text),
    role: optional(text),
    timestamp: optional(time),
    last_updated: optional(time),
    version: fc.integer({ min: 1, max: 9 }),
    tooling: optional(text),
    statements: fc.uniqueArray(statement, {
      minLength: 1,
      maxLength: 3,
      selector: ({ vulnerability, timestamp }) => `${vulnerability.name} ${timestamp}`,
    }),
  })
  .map((document) => plain({ shape: 'openvex', ...document }) as VexDocument);

/** A statement in which every text belongs to its status, as OpenVEX wants it. */
function fitting({
  justification,
  impact_statement,
  action_statement,
  action_statement_timestamp,
  ...rest
}: VexStatement): VexStatement {
  if (rest.status === 'not_affected')
    return {
      ...rest,
      justification: justification ?? 'component_not_present',
      ...(impact_statement && { impact_statement }),
    };
  if (rest.status !== 'affected') return rest;
  return {
    ...rest,
    // Blanks alone say nothing.
    action_statement: action_statement?.trim() ? action_statement : 'update',
    ...(action_statement_timestamp && { action_statement_timestamp }),
  };
}

/** Reading cannot tell a package URL in `@id` from one in both places. */
const identified = (value: VexDocument['statements']): unknown =>
  plain(value).map((one) => ({
    ...one,
    products: one.products.map(({ subcomponents, ...own }) => ({
      ...own,
      id: own.id ?? own.purl,
      ...(subcomponents && { subcomponents: subcomponents.map((sub) => ({ ...sub, id: sub.id ?? sub.purl })) }),
    })),
  }));

describe('the contract’s shape', () => {
  test('becomes OpenVEX and is itself again', () => {
    fc.assert(
      fc.property(contractDocument, (document) => {
        const openvex = write(read(document), 'openvex').document;
        expect(write(read(openvex), 'spec').document).toEqual(document);
        expect(write(read(document), 'spec')).toEqual({ document, losses: [] });
      }),
      { numRuns: 300 },
    );
  });

  test('an empty document, too', () => {
    const document = { '@context': 'https://openvex.dev/ns/v0.2.0', statements: [] };
    expect(write(read(document), 'spec').document).toEqual(document);
  });

  test('that does not say what to do gets the text that others write for nothing', () => {
    const { justification: _, ...bare } = STATEMENT;
    const document: VexDocument = { ...documentOf(), statements: [{ ...bare, status: 'affected' }] };
    const { document: openvex, losses } = write(document, 'openvex');
    expect(openvex).toMatchObject({ statements: [{ action_statement: NO_ACTION }] });
    expect(losses.map(({ path }) => path)).toEqual(['/statements/0/action_statement']);
    expect(JSON.stringify(write(read(openvex), 'spec').document)).not.toContain(NO_ACTION);
  });

  test('loses exactly what it has no place for', () => {
    const full: VexDocument = {
      ...documentOf({
        id: 'https://example.com/s',
        version: 2,
        vulnerability: { name: 'CVE-1', id: 'https://example.com/v', description: 'd', aliases: ['a'] },
        last_updated: '2026-01-31T00:00:00Z',
        products: [
          { id: 'https://example.com/p', purl: 'pkg:npm/a', cpe22: 'x', cpe23: 'y', hashes: { md5: 'z' }, name: 'n' },
          { id: 'pkg:npm/b', subcomponents: [{ id: 'pkg:npm/c' }] },
          { id: 'nginx' },
        ],
        supplier: 's',
        status_notes: 'n',
        impact_statement: 'i',
        action_statement: 'a',
        action_statement_timestamp: '2026-01-31T00:00:00Z',
      }),
      role: 'r',
      last_updated: '2026-01-31T00:00:00Z',
      tooling: 't',
    };
    expect(lostPaths(full, 'spec').sort()).toEqual([
      '/@id',
      '/author',
      '/last_updated',
      '/role',
      '/statements/0/@id',
      '/statements/0/action_statement',
      '/statements/0/action_statement_timestamp',
      '/statements/0/last_updated',
      '/statements/0/products/0/@id',
      '/statements/0/products/0/hashes',
      '/statements/0/products/0/identifiers/cpe22',
      '/statements/0/products/0/identifiers/cpe23',
      '/statements/0/products/0/name',
      '/statements/0/products/1/subcomponents',
      '/statements/0/products/2',
      '/statements/0/status_notes',
      '/statements/0/supplier',
      '/statements/0/version',
      '/statements/0/vulnerability/@id',
      '/statements/0/vulnerability/aliases',
      '/statements/0/vulnerability/description',
      '/timestamp',
      '/version',
    ]);
    expect(write(full, 'spec').document).toEqual({
      '@context': 'https://openvex.dev/ns/v0.2.0',
      tooling: 't',
      statements: [
        {
          vulnerability: { id: 'CVE-1' },
          timestamp: '2026-01-30T12:00:00Z',
          components: [{ identifiers: { purl: 'pkg:npm/a' } }, { identifiers: { purl: 'pkg:npm/b' } }],
          status: 'not_affected',
          justification: 'component_not_present',
          details: 'i',
        },
      ],
    });
  });

  test('says that something in a statement is lost where, and only where, it is not read back', () => {
    fc.assert(
      fc.property(model, (document) => {
        const written = write(document, 'spec');
        const isLost = written.losses.some(({ path }) => path.startsWith('/statements/'));
        const back = read(written.document).statements;
        const isSame = JSON.stringify(identified(back)) === JSON.stringify(identified(document.statements));
        // The text that stands for nothing is none.
        fc.pre(!JSON.stringify(document).includes(NO_ACTION));
        expect(isLost).toBe(!isSame);
      }),
      { numRuns: 300 },
    );
  });
});

describe('OpenVEX', () => {
  test('is what it was when it is read again', () => {
    fc.assert(
      fc.property(model, (document) => {
        const whole = { ...document, statements: document.statements.map(fitting) };
        const { document: written, losses } = write(whole, 'openvex');
        expect(losses).toEqual([]);
        const back = read(written);
        expect(identified(back.statements)).toEqual(identified(whole.statements));
        expect(back).toMatchObject({ ...whole, statements: expect.anything() });
      }),
      { numRuns: 300 },
    );
  });

  test('that is written is valid', () => {
    const complete = model.map((document) => ({
      ...document,
      statements: document.statements.map((one, index) => ({
        ...fitting(one),
        products: [{ id: `pkg:npm/p${index}@1` }],
      })),
    }));
    fc.assert(
      fc.property(complete, (document) => {
        const { issues } = validateVexDocument(bytesOf(write(document, 'openvex').document), { profile: 'openvex' });
        // Text of blanks alone is text that was there.
        const errors = issues.filter(({ severity, code }) => severity === 'error' && code !== 'vex.field_empty');
        expect(errors).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('has every entry once, and says what was there twice', () => {
    const twice = { id: 'pkg:npm/b@1' };
    const products = [
      { id: 'pkg:npm/a@1', subcomponents: [twice, twice] },
      { id: 'pkg:npm/c@1' },
      { id: 'pkg:npm/c@1' },
    ];
    const one = documentOf({ products, vulnerability: { name: 'CVE-1', aliases: ['GHSA-1', 'GHSA-1'] } });
    const { document, losses } = write({ ...one, statements: [...one.statements, ...one.statements] }, 'openvex');
    expect(document['statements']).toEqual([
      expect.objectContaining({
        vulnerability: { name: 'CVE-1', aliases: ['GHSA-1'] },
        products: [{ '@id': 'pkg:npm/a@1', subcomponents: [{ '@id': 'pkg:npm/b@1' }] }, { '@id': 'pkg:npm/c@1' }],
      }),
    ]);
    // In both statements three, and the second statement.
    expect(losses).toEqual([
      expect.objectContaining({ place_count: 7, path: '/statements/0/vulnerability/aliases/1' }),
    ]);
  });

  test('has no id that is no IRI, and no version before the first', () => {
    const { document, losses } = write(
      documentOf({ id: 'my id', version: 0, vulnerability: { name: 'CVE-1', id: 'nvd.example/x y' } }),
      'openvex',
    );
    expect(validateVexDocument(bytesOf(document), { profile: 'openvex' }).issues).toEqual([]);
    expect(losses.map(({ path }) => path)).toEqual([
      '/statements/0/version',
      '/statements/0/@id',
      '/statements/0/vulnerability/@id',
    ]);
  });

  test('names a product by its hash where it has nothing else, and reads no name from that', () => {
    const products = [{ hashes: { md5: 'cd', 'sha-256': 'ab' } }];
    const { document, losses } = write(documentOf({ products }), 'openvex');
    expect(document).toMatchObject({ statements: [{ products: [{ '@id': 'hash://sha-256/ab' }] }] });
    expect(validateVexDocument(bytesOf(document), { profile: 'openvex' }).issues).toEqual([]);
    expect(losses).toEqual([]);
    expect(read(document).statements[0]?.products).toEqual(products);
  });

  test('has its members in the order of the standard', () => {
    const { document } = write(
      { ...documentOf({ supplier: 's', status_notes: 'n' }), role: 'r', tooling: 't' },
      'openvex',
    );
    expect(Object.keys(document)).toEqual([
      '@context',
      '@id',
      'author',
      'role',
      'timestamp',
      'version',
      'tooling',
      'statements',
    ]);
    const [one] = document['statements'] as readonly object[];
    expect(Object.keys(one!)).toEqual([
      'vulnerability',
      'timestamp',
      'products',
      'status',
      'supplier',
      'status_notes',
      'justification',
    ]);
  });

  test('without an id gets one that its content makes, whatever the time of day', () => {
    const { id: _, ...anonymous } = documentOf();
    const first = write(anonymous, 'openvex').document['@id'];
    expect(first).toMatch(/^https:\/\/openvex\.dev\/docs\/public\/vex-[0-9a-f]{64}$/);
    expect(writeVexDocument(anonymous, { profile: 'openvex', at: '2026-11-21T00:00:00Z' }).document['@id']).toBe(first);
    expect(write({ ...anonymous, version: 2 }, 'openvex').document['@id']).not.toBe(first);
  });

  test('takes an id that is no IRI for none, and says so', () => {
    const { document, losses } = write({ ...documentOf(), id: 'my vexdoc' }, 'openvex');
    expect(document['@id']).toMatch(/vex-[0-9a-f]{64}$/);
    expect(losses.map(({ path }) => path)).toEqual(['/@id']);
  });

  test('has an author and a time, given or made up as others do', () => {
    const bare: VexDocument = {
      shape: 'spec',
      statements: [STATEMENT, { ...STATEMENT, timestamp: '2026-03-01T00:00:00Z' }],
    };
    expect(write(bare, 'openvex').document).toMatchObject({
      author: 'Unknown Author',
      timestamp: '2026-03-01T00:00:00Z',
      version: 1,
    });
    const given = { profile: 'openvex', author: 'Dana', at: '2026-11-21T00:00:00Z' } as const;
    expect(writeVexDocument(bare, given).document).toMatchObject({ author: 'Dana', timestamp: '2026-11-21T00:00:00Z' });
  });

  test.each([
    [
      'affected',
      { impact_statement: 'i', action_statement: 'a', status_notes: 'n' },
      { status_notes: 'n\ni', action_statement: 'a' },
    ],
    ['not_affected', { action_statement: 'a' }, { status_notes: 'a', justification: 'component_not_present' }],
    ['fixed', { impact_statement: 'i', action_statement: 'a' }, { status_notes: 'i\na' }],
  ] as const)('moves what go-vex refuses in a statement that is %s to its notes', (status, texts, written) => {
    const { document, losses } = write(documentOf({ status, ...texts }), 'openvex');
    const [one] = document['statements'] as readonly Record<string, unknown>[];
    const { vulnerability: _v, timestamp: _t, products: _p, status: _s, ...rest } = one!;
    expect(rest).toEqual(written);
    expect(losses.length).toBeGreaterThan(0);
  });

  test('has an @id for a product that has a package URL alone: some scanners look nowhere else', () => {
    const { document } = write(documentOf({ products: [{ purl: 'pkg:npm/a@1' }] }), 'openvex');
    expect(document).toMatchObject({
      statements: [{ products: [{ '@id': 'pkg:npm/a@1', identifiers: { purl: 'pkg:npm/a@1' } }] }],
    });
  });

  test('has versions that stand apart in the @id, so that no statement is on all of them', () => {
    const products = [{ id: 'urn:cdx:1/1#p', versions: ['1', 'vers:generic/<2'] }];
    const { document, losses } = write(documentOf({ products }), 'openvex');
    expect(document).toMatchObject({
      statements: [{ products: [{ '@id': 'urn:cdx:1/1#p@1' }, { '@id': 'urn:cdx:1/1#p@vers%3Ageneric%2F%3C2' }] }],
    });
    expect(losses.map(({ path }) => path)).toEqual(['/statements/0/products/0']);
  });
});

describe('CycloneDX', () => {
  test('says everything that the model says, in members of its own or in properties', () => {
    fc.assert(
      fc.property(model, fc.constantFrom('1.6', '1.7'), (document, specVersion) => {
        const { document: written, losses } = writeVexDocument(document, { profile: 'cyclonedx', specVersion });
        expect(losses).toEqual([]);
        const back = read(written);
        expect(gathered(back.statements)).toEqual(gathered(document.statements));
        expect(back).toMatchObject({ ...document, shape: 'cyclonedx', statements: expect.anything() });
      }),
      { numRuns: 300 },
    );
  });

  test('has the places that its readers look at', () => {
    const { document } = write(
      documentOf({
        status: 'affected',
        action_statement: 'update',
        status_notes: 'seen',
        last_updated: '2026-02-01T00:00:00Z',
      }),
      'cyclonedx',
    );
    expect(document).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      serialNumber: expect.stringMatching(
        /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
      metadata: { timestamp: '2026-01-30T12:00:00Z', authors: [{ name: 'Dana' }] },
      components: [{ type: 'library', 'bom-ref': 'pkg:npm/app@1', name: 'app', version: '1', purl: 'pkg:npm/app@1' }],
      vulnerabilities: [
        {
          id: 'CVE-2021-44228',
          recommendation: 'update',
          analysis: {
            state: 'exploitable',
            detail: 'seen',
            firstIssued: '2026-01-30T12:00:00Z',
            lastUpdated: '2026-02-01T00:00:00Z',
          },
          affects: [{ ref: 'pkg:npm/app@1' }],
        },
      ],
    });
  });

  test.each([
    ['component_not_present', 'code_not_present', true],
    ['vulnerable_code_not_present', 'code_not_present', false],
    ['vulnerable_code_not_in_execute_path', 'code_not_reachable', false],
    ['vulnerable_code_cannot_be_controlled_by_adversary', 'requires_environment', false],
    ['inline_mitigations_already_exist', 'protected_by_mitigating_control', false],
  ] as const)('says %s as %s', (justification, word, isInProperty) => {
    const { document } = write(documentOf({ justification }), 'cyclonedx');
    expect(document).toMatchObject({ vulnerabilities: [{ analysis: { justification: word } }] });
    expect(JSON.stringify(document).includes('colophon:vex:justification')).toBe(isInProperty);
  });

  test('does not believe a property that the standard’s own word contradicts', () => {
    const { document } = write(documentOf(), 'cyclonedx');
    const changed = JSON.stringify(document).replace('"code_not_present"', '"code_not_reachable"');
    expect(read(JSON.parse(changed)).statements[0]?.justification).toBe('vulnerable_code_not_in_execute_path');
  });

  test.each([
    ['CVE-2021-44228', 'NVD'],
    ['GHSA-jfh8-c2jp-5v3q', 'GITHUB'],
    ['SNYK-JS-X-1', 'SNYK'],
    ['RUSTSEC-2024-0001', 'OSV'],
    ['ACME-1', undefined],
  ])('names who gave out %s, without which Dependency-Track passes it over', (name, source) => {
    const { document } = write(documentOf({ vulnerability: { name, aliases: [name] } }), 'cyclonedx');
    const [one] = document['vulnerabilities'] as readonly Record<string, unknown>[];
    expect(one).toMatchObject({ references: [{ source: source === undefined ? {} : { name: source } }] });
    expect(one!['source']).toEqual(source === undefined ? undefined : { name: source });
  });

  test('has the statement last that counts, and is read in the order that it had', () => {
    const times = ['2026-03-01T00:00:00Z', '2026-01-01T00:00:00.5Z', '2026-01-01T00:00:00Z', '2026-03-01T00:00:00Z'];
    const statements = times.map((timestamp, index) => ({ ...STATEMENT, timestamp, supplier: `s${index}` }));
    const { document } = write({ ...documentOf(), statements }, 'cyclonedx');
    const refs = (document['vulnerabilities'] as readonly Record<string, unknown>[]).map((one) => one['bom-ref']);
    expect(refs).toEqual(['statement-3', 'statement-2', 'statement-1', 'statement-4']);
    expect(read(document).statements).toEqual(
      read(write({ ...documentOf(), statements }, 'openvex').document).statements,
    );
  });

  test('is about the one product that everything is inside of', () => {
    const inside = { purl: 'pkg:npm/c@1' };
    const shop = { purl: 'pkg:oci/shop' };
    const statements = [
      { ...STATEMENT, products: [{ ...shop, subcomponents: [inside] }] },
      { ...STATEMENT, products: [shop] },
    ];
    const { document } = write({ ...documentOf(), statements }, 'cyclonedx');
    expect(document).toMatchObject({
      metadata: { component: { 'bom-ref': 'pkg:oci/shop' } },
      components: [{ 'bom-ref': 'pkg:npm/c@1' }],
      vulnerabilities: [{ affects: [{ ref: 'pkg:npm/c@1' }] }, { affects: [{ ref: 'pkg:oci/shop' }] }],
    });
    expect(read(document).statements.map(({ products }) => products)).toEqual(
      statements.map(({ products }) => products),
    );
    // Alone it may as well be a component of whatever the consumer looks at.
    const alone = write(documentOf({ products: [inside] }), 'cyclonedx').document;
    expect(alone).toMatchObject({ components: [{ 'bom-ref': 'pkg:npm/c@1' }] });
    expect(alone['metadata']).not.toHaveProperty('component');
  });

  test('has each component once, and one inside several products once in each', () => {
    const inside = { id: 'pkg:npm/c@1' };
    const products = ['pkg:npm/a@1', 'pkg:npm/b@1', 'pkg:npm/a@1'].map((id) => ({ id, subcomponents: [inside] }));
    const { document } = write(documentOf({ products }), 'cyclonedx');
    expect(document['components']).toMatchObject([
      { 'bom-ref': 'pkg:npm/a@1', components: [{ 'bom-ref': 'pkg:npm/c@1' }] },
      { 'bom-ref': 'pkg:npm/b@1', components: [{ 'bom-ref': 'pkg:npm/c@1#3' }] },
    ]);
    expect(document).toMatchObject({
      vulnerabilities: [{ affects: [{ ref: 'pkg:npm/c@1' }, { ref: 'pkg:npm/c@1#3' }] }],
    });
  });

  test('the same component in ten thousand products has as many references, made in one pass', () => {
    const products = Array.from({ length: 10_000 }, (_, index) => ({
      id: `pkg:npm/p${index}`,
      subcomponents: [{ id: 'pkg:npm/c@1' }],
    }));
    const { document } = write(documentOf({ products }), 'cyclonedx');
    expect(read(document).statements[0]?.products).toHaveLength(10_000);
  });
});

/** Products of one identity are one in CycloneDX, and each of its components is named once. */
function gathered(statements: VexDocument['statements']): unknown {
  return plain(statements).map(({ products, ...rest }) => {
    const lines = products.flatMap(({ subcomponents, ...own }) =>
      (subcomponents ?? [undefined]).map((sub) => JSON.stringify([sorted(own), sub && sorted(sub)])),
    );
    return { ...rest, products: [...new Set(lines)].sort() };
  });
}

function sorted(value: object): unknown {
  return Object.entries(value)
    .map(([name, member]) => [name, typeof member === 'object' ? sorted(member) : member])
    .sort();
}
