import { assessFindingsList } from '@colophon/findings';
import { anyText } from '@colophon/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { VexDocument, VexProduct, VexStatement } from '../vex-document/vex-document.ts';
import { type MatchableFinding, type MatchOptions, matchStatements } from './match-statements.ts';
import { covers, matchablePurl } from './matchable-purl.ts';
import { UNMATCHED_CODES } from './unmatched-statement.ts';

const CVE = 'CVE-2021-44228';
const LOG4J = 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1';
const IMAGE = `pkg:oci/app@sha256:${'a'.repeat(64)}?repository_url=registry.example/team/app`;

const finding = (purl: string | undefined = LOG4J, id = CVE, aliases: readonly string[] = []): MatchableFinding => ({
  id,
  aliases,
  component: { name: 'a component', ...(purl === undefined ? {} : { purl }) },
});
const statement = (changes: Partial<VexStatement> & { products?: readonly VexProduct[] } = {}): VexStatement => ({
  vulnerability: { name: CVE },
  timestamp: '2026-11-01T00:00:00Z',
  status: 'not_affected',
  products: [{ id: LOG4J }],
  ...changes,
});
const document = (statements: readonly VexStatement[], author = 'a vendor'): VexDocument => ({
  shape: 'openvex',
  author,
  statements,
});
const match = (
  findings: readonly MatchableFinding[],
  statements: readonly VexStatement[],
  options: MatchOptions = {},
) => matchStatements(findings, [document(statements)], options);
const isSaid = (product: VexProduct, options: MatchOptions = {}, found = finding()) =>
  match([found], [statement({ products: [product] })], options).decisions[0]?.statement !== undefined;

describe('the vulnerability', () => {
  test.each([
    ['by its name', { name: CVE }, finding()],
    ['in another case, with blanks', { name: ' cve-2021-44228 ' }, finding()],
    ['by an alias of the statement', { name: 'GHSA-jfh8-c2jp-5v3q', aliases: [CVE] }, finding()],
    ['by an alias of the finding', { name: 'GHSA-jfh8-c2jp-5v3q' }, finding(LOG4J, CVE, ['GHSA-jfh8-c2jp-5v3q'])],
    ['by its @id', { name: 'x', id: 'https://example.com/1' }, finding(LOG4J, 'https://example.com/1')],
  ])('is known %s', (_how, vulnerability, found) => {
    expect(match([found], [statement({ vulnerability })]).decisions[0]?.status).toBe('not_affected');
  });

  test('is another one by any other name', () => {
    const { decisions, unmatched } = match([finding()], [statement({ vulnerability: { name: 'CVE-2021-4422' } })]);
    expect(decisions).toEqual([{ finding: finding(), isSuppressed: false }]);
    expect(unmatched).toEqual([{ document: 0, statement: 0, code: 'vex.unmatched_vulnerability' }]);
  });

  test.each(['__proto__', 'constructor', ''])('may be called %j, and is nothing else then', (name) => {
    expect(match([finding()], [statement({ vulnerability: { name } })]).unmatched).toHaveLength(1);
  });
});

describe('the product', () => {
  test.each<[string, VexProduct, MatchOptions]>([
    ['is the component itself', { id: LOG4J }, {}],
    ['is the component itself by its identifier', { purl: LOG4J }, {}],
    ['is the component itself, whatever it has inside', { id: LOG4J, subcomponents: [{ id: 'pkg:npm/other' }] }, {}],
    ['is all of what was scanned', { id: 'pkg:oci/app' }, { products: [IMAGE] }],
    [
      'is a component in what was scanned',
      { id: 'pkg:oci/app', subcomponents: [{ purl: LOG4J }] },
      { products: [IMAGE] },
    ],
    ['is one of several scanned', { id: 'pkg:oci/app' }, { products: ['pkg:oci/other', IMAGE] }],
    ['is named as the caller names it', { id: 'registry.example/app:1' }, { products: ['registry.example/app:1'] }],
    [
      'is the package URL of an image that is named as it is pulled',
      { id: `pkg:oci/app@sha256:${'a'.repeat(64)}?repository_url=registry.example/team/app` },
      { products: [`registry.example/team/app:1@sha256:${'a'.repeat(64)}`] },
    ],
    ['is named by the digest of an image', { hashes: { 'sha-256': 'A'.repeat(64) } }, { products: [IMAGE] }],
    ['is named by a digest', { hashes: { 'sha-256': 'b'.repeat(64) } }, { products: [`sha256:${'b'.repeat(64)}`] }],
    [
      'is the component by another of its names',
      { id: 'urn:cdx:1/1#log4j' },
      { alsoKnownAs: new Map([[LOG4J, ['urn:cdx:1/1#log4j']]]) },
    ],
    [
      'is what was scanned by another of its names',
      { id: 'urn:cdx:1/1#app', subcomponents: [{ purl: LOG4J }] },
      { products: ['pkg:generic/app'], alsoKnownAs: new Map([['pkg:generic/app', ['urn:cdx:1/1#app']]]) },
    ],
    [
      'is named by a CPE',
      { cpe23: 'cpe:2.3:a:x:y:1:*:*:*:*:*:*:*' },
      { identifiers: () => ['cpe:2.3:a:x:y:1:*:*:*:*:*:*:*'] },
    ],
  ])('%s', (_what, product, options) => {
    expect(isSaid(product, options)).toBe(true);
  });

  test.each<[string, VexProduct, MatchOptions, string]>([
    ['is something else', { id: 'pkg:npm/log4j' }, { products: [IMAGE] }, 'vex.unmatched_product'],
    ['was not scanned, as far as is known', { id: IMAGE, subcomponents: [{ id: LOG4J }] }, {}, 'vex.unmatched_product'],
    [
      'has no such component',
      { id: IMAGE, subcomponents: [{ id: 'pkg:npm/a' }] },
      { products: [IMAGE] },
      'vex.unmatched_component',
    ],
    ['is another version', { id: LOG4J.replace('2.14.1', '2.14.0') }, {}, 'vex.unmatched_version'],
    [
      'has another version of it',
      { id: IMAGE, subcomponents: [{ id: LOG4J.replace('2.14.1', '2.14.0') }] },
      { products: [IMAGE] },
      'vex.unmatched_version',
    ],
    ['differs in a qualifier', { id: `${LOG4J}?type=jar` }, {}, 'vex.unmatched_qualifiers'],
    ['differs in a subpath', { id: `${LOG4J}#src` }, {}, 'vex.unmatched_qualifiers'],
    [
      'was scanned with another qualifier',
      { id: 'pkg:oci/app?arch=arm64' },
      { products: [IMAGE] },
      'vex.unmatched_qualifiers',
    ],
    [
      'is a range of versions',
      { id: LOG4J.split('@')[0] as string, versions: ['vers:maven/<2.15.0'] },
      {},
      'vex.unmatched_range',
    ],
    [
      'has a range of versions among its qualifiers',
      { purl: `${LOG4J.split('@')[0]}?vers=vers%3Amaven%2F%3C2.15.0` },
      {},
      'vex.unmatched_range',
    ],
    ['is a purl that is none, of another text', { id: 'pkg:maven' }, {}, 'vex.unmatched_product'],
    ['is nothing at all', {}, { products: [IMAGE] }, 'vex.unmatched_product'],
  ])('does not match where it %s', (_what, product, options, code) => {
    const { decisions, unmatched } = match([finding()], [statement({ products: [product] })], options);
    expect(decisions[0]?.isSuppressed).toBe(false);
    expect(unmatched.map((one) => one.code)).toEqual([code]);
  });

  test('that is all of what was scanned is spoken of', () => {
    const said = match([finding()], [statement({ products: [{ id: 'pkg:oci/app' }] })], { products: [IMAGE] });
    expect(said).toMatchObject({ decisions: [{ isSuppressed: true }], unmatched: [] });
  });

  test('is known by its digest however that is written, and by no version behind its name', () => {
    const hex = 'a'.repeat(64);
    const product = { hashes: { 'sha-256': hex } };
    expect(isSaid(product, { products: [IMAGE.replace('sha256:', 'sha256%3A')] })).toBe(true);
    expect(isSaid(product, { products: [IMAGE.replace('sha256:', 'sha256%3a')] })).toBe(true);
    expect(isSaid({ id: '1.0' }, { products: ['pkg:generic/app@1.0'] })).toBe(false);
  });

  test('that names nothing is said to name nothing', () => {
    expect(match([finding()], [statement({ products: [] })]).unmatched[0]?.code).toBe('vex.unmatched_no_product');
  });

  test('that came near says what is there instead', () => {
    const wanted = LOG4J.replace('2.14.1', '2.17.0');
    expect(match([finding()], [statement({ products: [{ id: wanted }] })]).unmatched).toEqual([
      { document: 0, statement: 0, code: 'vex.unmatched_version', expected: wanted, found: LOG4J },
    ]);
  });

  test('and of several reasons the nearest is given', () => {
    const products = [{ id: 'pkg:npm/a' }, { id: `${LOG4J}?type=jar` }, { id: 'pkg:npm/b' }];
    expect(match([finding()], [statement({ products })]).unmatched[0]?.code).toBe('vex.unmatched_qualifiers');
  });

  test('of a component without a purl is found by its other identifiers alone', () => {
    expect(isSaid({ id: LOG4J }, {}, finding(undefined))).toBe(true);
    const bare: MatchableFinding = { id: CVE, aliases: [], component: { name: 'x' } };
    expect(isSaid({ id: LOG4J }, {}, bare)).toBe(false);
    expect(isSaid({ id: 'urn:x' }, { identifiers: () => ['urn:x'] }, bare)).toBe(true);
  });
});

describe('the status', () => {
  test.each([
    ['not_affected', true],
    ['fixed', true],
    ['affected', false],
    ['under_investigation', false],
  ] as const)('%s suppresses: %s', (status, isSuppressed) => {
    expect(match([finding()], [statement({ status })]).decisions[0]).toMatchObject({ status, isSuppressed });
  });

  const whole = { products: [{ id: IMAGE }] };
  const at = (timestamp: string, changes: Partial<VexStatement>) => statement({ timestamp, ...changes });
  test.each<[string, readonly VexStatement[], number]>([
    [
      'later time, standing first',
      [at('2026-11-02T00:00:00Z', {}), at('2026-11-01T00:00:00Z', { status: 'affected' })],
      0,
    ],
    [
      'later time, standing last',
      [at('2026-11-01T00:00:00Z', {}), at('2026-11-02T00:00:00Z', { status: 'affected' })],
      1,
    ],
    ['later fraction of a second', [at('2026-11-01T00:00:00.5Z', {}), at('2026-11-01T00:00:00Z', {})], 0],
    [
      'later change at the same time',
      [at('2026-11-01T00:00:00Z', { last_updated: '2026-11-03T00:00:00Z' }), statement()],
      0,
    ],
    ['status that suppresses less at the same time', [statement({ status: 'affected' }), statement()], 0],
    ['same status at the same time, standing last', [statement(), statement()], 1],
    ['later one over all of the product', [statement(), at('2026-11-02T00:00:00Z', whole)], 1],
    ['later one over the component', [at('2026-11-02T00:00:00Z', {}), at('2026-11-01T00:00:00Z', whole)], 0],
    ['later one by another alias', [at('2026-11-02T00:00:00Z', { vulnerability: { name: 'GHSA-1' } }), statement()], 0],
    [
      'later one of another width',
      [at('2026-11-02T00:00:00Z', { products: [{ id: LOG4J.split('@')[0] as string }] }), statement()],
      0,
    ],
  ])('that counts is that of the %s', (_what, statements, expected) => {
    const { decisions, unmatched } = match([finding(LOG4J, CVE, ['GHSA-1'])], statements, { products: [IMAGE] });
    expect(decisions[0]?.place).toEqual({ document: 0, statement: expected });
    expect(decisions[0]?.statement).toBe(statements[expected]);
    // Overruled is not unheard.
    expect(unmatched).toEqual([]);
  });

  test('that counts is the one that suppresses least, where the times are the same, in whatever order', () => {
    const said = [
      statement(),
      statement({ justification: 'component_not_present' }),
      statement({ impact_statement: 'as measured' }),
      statement({ status: 'fixed' }),
      statement({ status: 'fixed', action_statement: 'none' }),
      statement({ status: 'under_investigation' }),
      statement({ status: 'affected' }),
      statement({ status: 'affected', action_statement: 'update' }),
    ];
    const of = (all: readonly VexStatement[]) => match([finding()], all).decisions[0]?.statement;
    fc.assert(
      fc.property(fc.shuffledSubarray(said, { minLength: 1 }), (all) => {
        expect(of(all)).toEqual(of(said.filter((one) => all.includes(one))));
        const documents = all.map((one) => document([one]));
        expect(matchStatements([finding()], documents).decisions[0]?.statement).toEqual(of(all));
      }),
    );
    expect(said.map((_, index) => of(said.slice(0, index + 1))?.status)).toEqual(said.map(({ status }) => status));
    expect(of(said)).toMatchObject({ status: 'affected', action_statement: 'update' });
  });

  test('of the last document counts where two say the same', () => {
    const documents = [document([statement()]), document([statement()]), document([statement()])];
    const { decisions } = matchStatements([finding()], documents);
    expect(decisions[0]?.place).toEqual({ document: 2, statement: 0 });
  });

  test('of a statement that is dated now counts', () => {
    const at = '2026-11-21T00:00:00Z';
    expect(match([finding()], [statement({ timestamp: at })], { at }).unmatched).toEqual([]);
  });

  test('of a statement that is dated later than now does not count', () => {
    const statements = [statement({ status: 'affected' }), statement({ timestamp: '2099-01-01T00:00:00Z' })];
    const { decisions, unmatched } = match([finding()], statements, { at: '2026-11-21T00:00:00Z' });
    expect(decisions[0]?.status).toBe('affected');
    expect(unmatched).toEqual([{ document: 0, statement: 1, code: 'vex.unmatched_future' }]);
  });
});

describe('who may speak', () => {
  const said = (
    authors: NonNullable<MatchOptions['authors']>,
    product: VexProduct = { id: LOG4J },
    more: MatchOptions = {},
  ) => match([finding()], [statement({ products: [product] })], { products: [IMAGE], authors, ...more });

  test.each([
    ['pkg:maven/org.apache.logging.log4j/log4j-core'],
    ['pkg:maven/org.apache.logging.log4j/*'],
    ['pkg:maven/org.apache*'],
    ['*'],
  ])('is the author that a rule for %s names', (pattern) => {
    expect(said([{ products: [pattern], authors: ['a vendor'] }]).decisions[0]?.isSuppressed).toBe(true);
    expect(said([{ products: [pattern], authors: ['*'] }]).decisions[0]?.isSuppressed).toBe(true);
    const { decisions, unmatched } = said([{ products: [pattern], authors: ['another vendor'] }]);
    expect(decisions[0]?.isSuppressed).toBe(false);
    expect(unmatched[0]?.code).toBe('vex.unmatched_author');
  });

  test.each([
    'pkg:maven/org.apache.logging.log4j/log4j-core@2.15.0',
    'pkg:maven/org.eclipse/*',
    'pkg:npm/*',
    'pkg:maven',
  ])('is nobody by a rule for %s', (pattern) => {
    expect(said([{ products: [pattern], authors: ['*'] }]).unmatched[0]?.code).toBe('vex.unmatched_author');
  });

  test('is nobody where rules are given and none holds', () => {
    expect(said([]).unmatched[0]?.code).toBe('vex.unmatched_author');
  });

  test('is asked for the scanned artifact where the statement is about that, and not for how the statement calls it', () => {
    const product = { id: 'pkg:oci/app', subcomponents: [{ id: LOG4J }] };
    const ours = { products: ['pkg:oci/app?repository_url=registry.example/team/app'], authors: ['a vendor'] };
    const theirs = { products: ['pkg:oci/app?repository_url=registry.example/other/app'], authors: ['a vendor'] };
    expect(said([ours], product).decisions[0]?.isSuppressed).toBe(true);
    expect(said([theirs], product).unmatched[0]?.code).toBe('vex.unmatched_author');
    expect(said([ours], { id: 'pkg:oci/app' }).decisions[0]?.isSuppressed).toBe(true);
    expect(said([theirs], { id: 'pkg:oci/app' }).unmatched[0]?.code).toBe('vex.unmatched_author');
  });

  test('is asked for each name of what was scanned', () => {
    const hex = 'b'.repeat(64);
    const [one, other] = [`registry.example/app@sha256:${hex}`, `mirror.example/app@sha256:${hex}`];
    for (const products of [
      [one, other],
      [other, one],
    ]) {
      const authors = [{ products: [one], authors: ['a vendor'] }];
      const matched = said(authors, { hashes: { 'sha-256': hex } }, { products });
      expect(matched).toMatchObject({ decisions: [{ isSuppressed: true }], unmatched: [] });
    }
  });

  test('is whoever signed it, where that is known', () => {
    const rule = { products: ['*'], authors: ['reviewer:dana@example.com'] };
    expect(said([rule]).unmatched).toHaveLength(1);
    expect(said([rule], { id: LOG4J }, { speakers: () => ['reviewer:dana@example.com'] }).unmatched).toEqual([]);
  });

  test('leaves the latest of those who may', () => {
    const documents = [
      document([statement({ status: 'affected' })], 'us'),
      document([statement({ timestamp: '2026-11-09T00:00:00Z' })], 'them'),
    ];
    const { decisions } = matchStatements([finding()], documents, {
      authors: [{ products: ['pkg:maven/*'], authors: ['us'] }],
    });
    expect(decisions[0]).toMatchObject({ status: 'affected', place: { document: 0, statement: 0 } });
  });

  test('is decided for each component, also where one statement speaks of several', () => {
    const findings = [finding('pkg:npm/a@1'), finding('pkg:npm/a@2')];
    const authors = [{ products: ['pkg:npm/a@1'], authors: ['*'] }];
    const { decisions, unmatched } = match(findings, [statement({ products: [{ id: 'pkg:npm/a' }] })], { authors });
    expect(decisions.map(({ isSuppressed }) => isSuppressed)).toEqual([true, false]);
    expect(unmatched).toEqual([]);
  });
});

const names = fc.constantFrom('a', 'b');
const versions = fc.constantFrom('', '@1', '@2');
const qualifiers = fc.constantFrom('', '?arch=x', '?arch=y', '?arch=x&os=z');
const purls = fc
  .tuple(names, versions, qualifiers)
  .map(([name, version, more]) => `pkg:deb/debian/${name}${version}${more}`);
const products = fc.record({
  id: purls,
  subcomponents: fc.array(
    purls.map((id) => ({ id })),
    { maxLength: 2 },
  ),
});
const cves = fc.constantFrom('CVE-2026-1', 'CVE-2026-2');
const statements = fc.record({
  vulnerability: fc.record({ name: cves }),
  timestamp: fc.constantFrom('2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z'),
  status: fc.constantFrom('not_affected', 'affected') as fc.Arbitrary<'not_affected' | 'affected'>,
  products: fc.array(products, { maxLength: 2 }),
});

test('decides as holding every statement against every finding would', () => {
  const isCovered = (general: string, specific: string) => covers(matchablePurl(general)!, matchablePurl(specific)!);
  const speaksOf = (one: VexStatement, { id, component }: MatchableFinding, scanned: readonly string[]) =>
    one.vulnerability.name === id &&
    one.products.some(
      (product) =>
        isCovered(product.id!, component.purl!) ||
        (scanned.some((artifact) => isCovered(product.id!, artifact)) &&
          (product.subcomponents!.length === 0 ||
            product.subcomponents!.some((inside) => isCovered(inside.id!, component.purl!)))),
    );
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(purls, cves).map(([purl, id]) => finding(purl, id)),
        { maxLength: 6 },
      ),
      fc.array(statements, { maxLength: 6 }),
      fc.array(purls, { maxLength: 2 }),
      (findings, said, scanned) => {
        const { decisions, unmatched } = match(findings, said, { products: scanned });
        findings.forEach((found, number) => {
          const all = said.filter((one) => speaksOf(one, found, scanned));
          // Of one time what suppresses less counts.
          const weight = ({ timestamp, status }: VexStatement) => `${timestamp} ${status === 'affected' ? 1 : 0}`;
          const expected = all.reduce<VexStatement | undefined>(
            (last, next) => (last === undefined || weight(next) >= weight(last) ? next : last),
            undefined,
          );
          expect(decisions[number]?.statement).toBe(expected);
        });
        const silent = said.flatMap((one, number) =>
          findings.some((found) => speaksOf(one, found, scanned)) ? [] : [number],
        );
        expect(unmatched.map(({ statement: number }) => number)).toEqual(silent);
        expect(unmatched.every(({ code }) => UNMATCHED_CODES.includes(code))).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
});

describe('several builds in one finding', () => {
  /** A qualifier as it may stand in a package URL: with escapes, twice, empty, with letters in either case. */
  const KEYS = ['arch', 'ARCH', '%61rch', 'distro', 'file_name', 'x', '%zz'];
  const key = fc.oneof(fc.constantFrom(...KEYS), fc.stringMatching(/^[a-z]{1,8}$/));
  const value = fc.oneof(
    fc.constantFrom('', 'a', 'A', '%61', 'rhel-9.2', 'rhel-9.4', '9', '%zz', '%00'),
    anyText({ maxLength: 8 }).map(encodeURIComponent),
  );
  const pairs = fc.array(fc.tuple(key, value), { maxLength: 5 });
  const subpath = fc.constantFrom('', '#', '#cmd/a', '#/cmd/a/', '#cmd/b');
  const end = fc.tuple(pairs, subpath).map(([some, path]) => {
    return `${some.length === 0 ? '' : '?'}${some.map((one) => one.join('=')).join('&')}${path}`;
  });
  const pack = fc.constantFrom(
    'pkg:deb/debian/kettle@1.0-1',
    'pkg:golang/a.example/kettle@v1.0.0',
    'pkg:conda/kettle@1',
  );

  test('are spoken of by no statement on one of those that differ, in any order', () => {
    // What differs is written here in a way of its own.
    const build = fc.record({ pack, key: fc.stringMatching(/^[a-z]{9,12}$/), end });
    const isHidden = (said: string, purls: readonly string[]) => {
      const listed = purls.map((purl, n) => ({
        ...{ id: CVE, severity: 'high', component: { name: 'kettle', version: '1', purl } },
        reportedBy: [{ scanner: `${n}`, id: CVE }],
      }));
      const { findings } = assessFindingsList(listed);
      expect(findings).toHaveLength(1);
      return match(findings, [statement({ products: [{ id: said }] })]).decisions[0]?.isSuppressed;
    };
    fc.assert(
      fc.property(build, end, end, fc.tuple(value, value), fc.boolean(), (first, other, third, values, isLast) => {
        const [a, b] = values.map(decode);
        fc.pre(a !== b && a !== '' && b !== '');
        const join = (some: string, said: string) => {
          const [, before = '', after = ''] = /^(?:\?([^#]*))?(#.*)?$/s.exec(some) ?? [];
          const own = `${first.key}=${said}`;
          const all = (isLast ? [before, own] : [own, before]).filter(Boolean);
          return `${first.pack}?${all.join('&')}${after}`;
        };
        const [one, two] = [join(first.end, values[0]), join(other, values[1])];
        for (const purls of [
          [one, two],
          [two, one],
          [one, two, `${first.pack}${third}`],
          [two, `${first.pack}${third}`, one],
        ])
          for (const said of [one, two]) expect([said, purls, isHidden(said, purls)]).toEqual([said, purls, false]);
      }),
    );
  });

  function decode(text: string): string {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  }
});
