import { describe, expect, test } from 'vitest';
import type { VexDocument } from '../vex-document/vex-document.ts';
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

const helped = (purl: string) => ({ product_identification_helper: { purl } });
const DOCUMENT = {
  category: 'csaf_vex',
  csaf_version: '2.0',
  publisher: { category: 'vendor', name: 'Acme PSIRT', namespace: 'https://psirt.example.com' },
  title: 'VEX',
  tracking: {
    id: 'ACME-1',
    version: '3.1.0',
    status: 'final',
    current_release_date: '2026-01-30T12:00:00.000Z',
    initial_release_date: '2026-01-01T12:00:00.000Z',
    generator: { engine: { name: 'Editor', version: '1.0' } },
  },
};
const TREE = {
  branches: [
    {
      category: 'vendor',
      name: 'Acme',
      branches: [
        {
          category: 'product_version',
          name: '1',
          product: { product_id: 'P1', name: 'App 1', ...helped('pkg:npm/app@1') },
        },
        { category: 'product_version', name: '2', product: { product_id: 'P2', name: 'App 2' } },
      ],
    },
  ],
  full_product_names: [{ product_id: 'LIB', name: 'Lib', ...helped('pkg:npm/lib@2') }],
  relationships: [
    {
      category: 'default_component_of',
      product_reference: 'LIB',
      relates_to_product_reference: 'P1',
      full_product_name: { product_id: 'LIB-IN-P1', name: 'Lib in App 1' },
    },
  ],
  product_groups: [{ group_id: 'G', product_ids: ['P1', 'P2'] }],
};
const APP_1 = { name: 'App 1', purl: 'pkg:npm/app@1' };
const APP_2 = { id: 'https://psirt.example.com#ACME-1:P2', name: 'App 2' };
const LIB = { name: 'Lib', purl: 'pkg:npm/lib@2' };

const csaf = (vulnerability: object, tree: object = TREE) => ({
  document: DOCUMENT,
  product_tree: tree,
  vulnerabilities: [{ cve: 'CVE-2021-44228', ...vulnerability }],
});
const fixed = (...ids: string[]) => ({ product_status: { fixed: ids } });

test('the document says who, when and which version', () => {
  expect(read(csaf(fixed('P1')))).toEqual({
    shape: 'csaf',
    id: 'https://psirt.example.com#ACME-1',
    author: 'Acme PSIRT',
    timestamp: '2026-01-30T12:00:00.000Z',
    version: 3,
    tooling: 'Editor 1.0',
    statements: [
      {
        vulnerability: { name: 'CVE-2021-44228' },
        timestamp: '2026-01-30T12:00:00.000Z',
        products: [APP_1],
        status: 'fixed',
      },
    ],
  });
});

describe('products', () => {
  const productsOf = (ids: string[], tree: object = TREE) => read(csaf(fixed(...ids), tree)).statements[0]?.products;

  test('are found in branches and names, and in compositions as a component of a product', () => {
    expect(productsOf(['P2', 'LIB', 'LIB-IN-P1'])).toEqual([APP_2, LIB, { ...APP_1, subcomponents: [LIB] }]);
  });

  test.each([
    ['pkg:npm/app', 'vers:npm/<2', 'pkg:npm/app?vers=vers%3Anpm%2F%3C2'],
    ['pkg:npm/app?os=linux', '<2', 'pkg:npm/app?os=linux&vers=%3C2'],
    ['pkg:npm/app@1', 'vers:npm/<2', 'pkg:npm/app@1'],
    ['pkg:npm/app', 'vers:all/*', 'pkg:npm/app'],
    ['pkg:npm/app', '*', 'pkg:npm/app'],
    ['PKG:npm/app', '<2', 'PKG:npm/app?vers=%3C2'],
  ])('%s in the range of versions %s is %s, and not every version', (purl, range, limited) => {
    const product = { product_id: 'R', name: 'App', ...helped(purl) };
    const leaf = { category: 'architecture', name: 'x86_64', product };
    const branches = [{ category: 'product_version_range', name: range, branches: [leaf] }];
    expect(productsOf(['R'], { branches })).toEqual([{ name: 'App', purl: limited }]);
  });

  test.each([
    ['product_version', 'pkg:npm/app', '2.0', 'pkg:npm/app@2.0'],
    ['product_version', 'pkg:npm/app?os=linux', '2.0', 'pkg:npm/app@2.0?os=linux'],
    ['service_pack', 'pkg:npm/app', 'SP1', 'pkg:npm/app@SP1'],
    ['patch_level', 'pkg:npm/app', 'p3', 'pkg:npm/app@p3'],
    ['product_version', 'pkg:npm/app@1', '2.0', 'pkg:npm/app@1'],
    ['product_version', 'pkg:npm/app', '*', 'pkg:npm/app'],
    ['product_version', 'pkg:rpm/acme/app?arch=src', 'app', 'pkg:rpm/acme/app?arch=src'],
    ['product_version', 'pkg:oci/app', 'shop/app', 'pkg:oci/app'],
    ['architecture', 'pkg:npm/app', 'x86_64', 'pkg:npm/app'],
  ])('below a branch %s, %s of %s is %s, and not every version', (category, purl, name, limited) => {
    const branches = [{ category, name, product: { product_id: 'V', name: 'App', ...helped(purl) } }];
    expect(productsOf(['V'], { branches })).toEqual([{ name: 'App', purl: limited }]);
  });

  test('a composition of compositions is its last component in its outermost product', () => {
    const relationships = [
      ...TREE.relationships,
      {
        product_reference: 'P2',
        relates_to_product_reference: 'LIB-IN-P1',
        full_product_name: { product_id: 'DEEP', name: 'deep' },
      },
    ];
    expect(productsOf(['DEEP'], { ...TREE, relationships })).toEqual([{ ...APP_1, subcomponents: [APP_2] }]);
  });

  test('a path of CSAF 2.1 is its first component in its last product', () => {
    const step = (next: string) => ({ category: 'installed_on', next_product_reference: next });
    const path = (id: string, ...steps: string[]) => ({
      beginning_product_reference: 'LIB',
      full_product_name: { product_id: id, name: id },
      subpaths: steps.map(step),
    });
    const { relationships: _, ...tree } = TREE;
    const product_paths = [path('ONE', 'P1'), path('TWO', 'P2', 'P1')];
    expect(productsOf(['ONE'], { ...tree, product_paths })).toEqual([{ ...APP_1, subcomponents: [LIB] }]);
    expect(productsOf(['TWO'], { ...tree, product_paths })).toEqual([{ ...APP_1, subcomponents: [LIB] }]);
  });

  test('compositions in a circle are no products, and end', () => {
    const circle = (id: string, other: string) => ({
      product_reference: other,
      relates_to_product_reference: other,
      full_product_name: { product_id: id, name: id },
    });
    const tree = { relationships: [circle('A', 'B'), circle('B', 'A')] };
    expect(refusal(csaf(fixed('A'), tree))).toEqual([
      '/vulnerabilities/0/product_status/fixed/0 vex.reference_unknown',
    ]);
  });

  test('several package URLs are several products; hashes and CPEs identify too', () => {
    const tree = {
      full_product_names: [
        {
          product_id: 'P',
          name: 'P',
          product_identification_helper: {
            purls: ['pkg:npm/a@1', 'pkg:npm/b@1'],
            cpe: 'cpe:/a:x:y',
            hashes: [{ filename: 'f', file_hashes: [{ algorithm: 'sha256', value: 'ab' }] }],
            serial_numbers: ['1'],
          },
        },
      ],
    };
    const same = { name: 'P', cpe22: 'cpe:/a:x:y', hashes: { 'sha-256': 'ab' } };
    expect(productsOf(['P'], tree)).toEqual([
      { ...same, purl: 'pkg:npm/a@1' },
      { ...same, purl: 'pkg:npm/b@1' },
    ]);
    expect(notesOf(csaf(fixed('P'), tree))).toEqual([
      '/product_tree/full_product_names/0/product_identification_helper/serial_numbers vex.not_held',
    ]);
  });

  test('one that the tree does not have is a fault of the document', () => {
    expect(refusal(csaf(fixed('P9', 'constructor')))).toEqual([
      '/vulnerabilities/0/product_status/fixed/0 vex.reference_unknown',
      '/vulnerabilities/0/product_status/fixed/1 vex.reference_unknown',
    ]);
  });
});

describe('statements', () => {
  test.each([
    ['known_not_affected', 'not_affected', 0],
    ['known_affected', 'affected', 0],
    ['fixed', 'fixed', 0],
    ['under_investigation', 'under_investigation', 0],
    ['first_affected', 'affected', 1],
    ['last_affected', 'affected', 1],
    ['first_fixed', 'fixed', 1],
  ])('%s is %s', (list, status, notes) => {
    const document = csaf({ product_status: { [list]: ['P1'] } });
    expect(read(document).statements).toMatchObject([{ status, products: [APP_1] }]);
    expect(notesOf(document)).toHaveLength(notes);
  });

  test.each(['recommended', 'unknown', 'constructor'])('a list called %s is none of the statuses', (list) => {
    const document = csaf({ product_status: { [list]: ['P1'] } });
    expect(read(document).statements).toEqual([]);
    expect(notesOf(document)).toEqual([
      `/vulnerabilities/0/product_status/${list} vex.not_held`,
      '/vulnerabilities/0 vex.no_statement',
    ]);
  });

  test('that name no product, or contradict each other, are not held without a word', () => {
    const document = csaf({
      product_status: { known_not_affected: ['P1', 'P2'] },
      flags: [
        { label: 'component_not_present', group_ids: ['G'] },
        { label: 'vulnerable_code_not_present', product_ids: ['P1'] },
        { label: 'component_not_present' },
      ],
      remediations: [{ category: 'workaround', details: 'Stop it', group_ids: ['unknown'] }],
    });
    expect(read(document).statements.map(({ justification }) => justification)).toEqual([
      'vulnerable_code_not_present',
      'component_not_present',
    ]);
    expect(notesOf(document)).toEqual([
      '/vulnerabilities/0/flags/1 vex.not_held',
      '/vulnerabilities/0/flags/2 vex.not_held',
      // The group is none, and so nothing is named.
      '/vulnerabilities/0/remediations/0 vex.not_held',
      '/vulnerabilities/0/remediations/0 vex.not_held',
    ]);
  });

  test('flags, impacts and remediations belong to the products that they name, themselves or by their group', () => {
    const document = csaf({
      product_status: { known_not_affected: ['P1', 'P2', 'LIB'], known_affected: ['LIB-IN-P1'] },
      flags: [{ label: 'component_not_present', group_ids: ['G'] }],
      threats: [{ category: 'impact', details: 'left out\n', product_ids: ['P1', 'LIB-IN-P1'] }],
      remediations: [
        { category: 'vendor_fix', details: 'update', date: '2026-02-01T00:00:00Z', product_ids: ['LIB-IN-P1'] },
      ],
    });
    expect(read(document).statements).toMatchObject([
      {
        status: 'not_affected',
        products: [APP_1],
        justification: 'component_not_present',
        impact_statement: 'left out',
      },
      { status: 'not_affected', products: [APP_2], justification: 'component_not_present' },
      { status: 'not_affected', products: [LIB] },
      {
        status: 'affected',
        products: [{ ...APP_1, subcomponents: [LIB] }],
        status_notes: 'left out',
        action_statement: 'update',
        action_statement_timestamp: '2026-02-01T00:00:00Z',
      },
    ]);
    expect(read(document).statements[2]).not.toHaveProperty('justification');
  });

  test('several remediations are named by their kind, with their addresses', () => {
    const remediations = [
      { category: 'vendor_fix', details: 'update', url: 'https://example.com/a', product_ids: ['P1'] },
      { category: 'workaround', details: 'turn it off', product_ids: ['P1'] },
    ];
    const [affected] = read(csaf({ product_status: { known_affected: ['P1'] }, remediations })).statements;
    expect(affected?.action_statement).toBe('vendor_fix: update (https://example.com/a)\nworkaround: turn it off');
    const [done] = read(csaf({ ...fixed('P1'), remediations })).statements;
    expect(done).toMatchObject({ status_notes: expect.stringContaining('workaround') });
    expect(done).not.toHaveProperty('action_statement');
  });

  test('a vulnerability without a CVE has its other id as its name', () => {
    const document = csaf({
      cve: undefined,
      ids: [
        { system_name: 'Acme', text: 'ACME-7' },
        { system_name: 'GitHub', text: 'GHSA-jfh8-c2jp-5v3q' },
      ],
      notes: [
        { category: 'description', text: 'Log4Shell' },
        { category: 'other', text: 'x' },
      ],
      ...fixed('P1'),
    });
    expect(read(document).statements[0]?.vulnerability).toEqual({
      name: 'ACME-7',
      aliases: ['GHSA-jfh8-c2jp-5v3q'],
      description: 'Log4Shell',
    });
    expect(notesOf(document)).toEqual(['/vulnerabilities/0/notes/1 vex.not_held']);
  });
});

test.each([
  ['an older version', { csaf_version: '1.2' }, '/document/csaf_version vex.version_unsupported'],
  ['what was withdrawn', { category: 'csaf_withdrawn' }, '/document/category vex.category_unsupported'],
  ['a report of no products', { category: 'csaf_base' }, '/document/category vex.category_unsupported'],
  ['no category', { category: undefined }, '/document/category vex.category_unsupported'],
])('%s is refused with its reason', (_title, members, issue) => {
  expect(refusal({ ...csaf(fixed('P1')), document: { ...DOCUMENT, ...members } })).toEqual([issue]);
});

test('version 2.1 is read, and a document without vulnerabilities says nothing', () => {
  const document = { ...DOCUMENT, csaf_version: '2.1', distribution: { tlp: { label: 'CLEAR' } } };
  expect(notesOf({ document, product_tree: TREE })).toEqual([
    '/document/distribution vex.not_held',
    ' vex.no_statement',
  ]);
});

test.each(['csaf_security_advisory', 'csaf_deprecated_security_advisory'])(
  'an advisory of the category %s says of products what VEX says, and it is noted that it is one',
  (category) => {
    const said = csaf({ product_status: { known_not_affected: ['P1'], known_affected: ['P2'] } });
    const advisory = { ...said, document: { ...DOCUMENT, category } };
    expect(read(advisory).statements).toEqual(read(said).statements);
    expect(notesOf(advisory)).toEqual(['/document/category vex.read_as']);
  },
);

test('a vulnerability of an advisory that has no name is passed over, since nothing could be found by it', () => {
  const { vulnerabilities, ...said } = csaf(fixed('P1'));
  const advisory = {
    ...said,
    document: { ...DOCUMENT, category: 'csaf_security_advisory' },
    vulnerabilities: [{ title: 'Weak passwords', ...fixed('P1') }, ...vulnerabilities],
  };
  expect(read(advisory).statements.map(({ vulnerability }) => vulnerability.name)).toEqual(['CVE-2021-44228']);
  expect(notesOf(advisory)).toContain('/vulnerabilities/0 vex.no_statement');
});

test.each([
  [
    'a flag of what is affected',
    { flags: [{ label: 'component_not_present', product_ids: ['P1'] }] },
    '/product_status/known_affected/0',
  ],
  [
    'an impact on a product without a status',
    { threats: [{ category: 'impact', details: 'x', product_ids: ['P2'] }] },
    '/threats/0',
  ],
  [
    'a flag of a product without a status',
    { flags: [{ label: 'component_not_present', product_ids: ['P2'] }] },
    '/flags/0',
  ],
  [
    'a remediation for a product without a status',
    { remediations: [{ category: 'mitigation', details: 'x', product_ids: ['P1', 'P2'] }] },
    '/remediations/0',
  ],
  [
    'a group that is not there',
    { remediations: [{ category: 'mitigation', details: 'x', product_ids: ['P1'], group_ids: ['?'] }] },
    '/remediations/0',
  ],
])('%s is noted, and not lost without a word', (_what, members, path) => {
  const document = csaf({ product_status: { known_affected: ['P1'] }, ...members });
  expect(notesOf(document)).toEqual([`/vulnerabilities/0${path} vex.not_held`]);
});

test('a vulnerability that has no name refuses the document', () => {
  expect(refusal(csaf({ cve: undefined, ...fixed('P1') }))).toEqual(['/vulnerabilities/0 vex.field_missing']);
});

test('thousands of products in a thousand texts are gathered without comparing each with each', () => {
  const ids = Array.from({ length: 20_000 }, (_, index) => `P${index}`);
  const tree = { full_product_names: ids.map((id) => ({ product_id: id, name: id, ...helped(`pkg:npm/${id}`) })) };
  const threats = Array.from({ length: 1_000 }, (_, at) => ({
    category: 'impact',
    details: `impact ${at}`,
    product_ids: ids.filter((_id, index) => index % 1_000 === at),
  }));
  const { statements } = read(csaf({ product_status: { known_not_affected: ids }, threats }, tree));
  expect(statements).toHaveLength(1_000);
  expect(statements.every(({ products }) => products.length === 20)).toBe(true);
});

describe('a few megabytes that would be more than any machine holds', () => {
  const ids = Array.from({ length: 2_000 }, (_, index) => `p${index}`);
  const full_product_names = ids.map((id) => ({ product_id: id, name: id }));
  const product_groups = [{ group_id: 'all', product_ids: ids }];
  const status = { product_status: { known_affected: ids } };
  const every = (entry: object) => ids.map((id) => ({ ...entry, details: id, group_ids: ['all'] }));
  const purls = (prefix: string) => ({
    product_identification_helper: { purls: ids.map((id) => `pkg:npm/${prefix}${id}`) },
  });

  test.each<[string, object, object]>([
    ['remediations of groups', { ...status, remediations: every({ category: 'workaround' }) }, {}],
    ['impacts of groups', { ...status, threats: every({ category: 'impact' }) }, {}],
    ['flags of groups', { ...status, flags: every({ label: 'component_not_present' }) }, {}],
    [
      'components by thousands of package URLs in products by as many',
      { product_status: { known_not_affected: ['c'] } },
      {
        full_product_names: [
          { product_id: 'a', name: 'a', ...purls('a') },
          { product_id: 'b', name: 'b', ...purls('b') },
        ],
        relationships: [
          {
            product_reference: 'a',
            relates_to_product_reference: 'b',
            full_product_name: { product_id: 'c', name: 'c' },
          },
        ],
      },
    ],
    [
      'long texts, put together differently for each product',
      {
        ...status,
        threats: ids.slice(0, 60).map((id, index) => ({
          category: 'impact',
          details: `${id}${'.'.repeat(20_000)}`,
          product_ids: ids.filter((_, number) => number % 61 !== index),
        })),
      },
      {},
    ],
  ])('are refused: %s', (_what, vulnerability, tree) => {
    const codes = refusal(csaf(vulnerability, { full_product_names, product_groups, ...tree }));
    expect(codes.map((one) => one.split(' ')[1])).toEqual(['vex.too_large']);
  });

  test('a text that all products share is there once, and so is their statement', () => {
    const details = 'x'.repeat(1_000_000);
    const { statements } = read(
      csaf(
        { ...status, threats: [{ category: 'impact', details, group_ids: ['all'] }] },
        { full_product_names, product_groups },
      ),
    );
    expect(statements.map(({ products, status_notes }) => [products.length, status_notes])).toEqual([[2_000, details]]);
  });

  test('a product that is listed again and again is listed once', () => {
    const again = ids.map(() => 'P1');
    expect(read(csaf({ product_status: { fixed: again } })).statements[0]?.products).toEqual([APP_1]);
  });
});
