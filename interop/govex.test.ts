import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareTexts } from '@colophon/notation';
import { temporaryFolder } from '@colophon/testkit';
import {
  type MatchableFinding,
  matchStatements,
  readVexDocument,
  type VexDocument,
  type VexStatement,
  writeVexDocument,
} from '@colophon/vex';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isMissing, run } from './programs.ts';

const DATA = process.env['COLOPHON_DATA'] ?? join(import.meta.dirname, '..', '..', 'shared', 'data');
const VENDORS = join(DATA, 'openvex-vendor');
/** Of vendors' statements that are asked about. */
const SAMPLES = process.env['FULL_RUN'] === 'true' ? 120 : 40;

/** A finding in something that was scanned. */
type Triple = { readonly vulnerability: string; readonly product: string; readonly component: string };
type Answer = { readonly matches: ReadonlyArray<readonly [number, number]>; readonly statuses: readonly string[] };

/** What go-vex says of each triple, asked as grype asks: in what was scanned, then of the component by itself. */
async function askGoVex(files: readonly string[], triples: readonly Triple[]): Promise<Answer[]> {
  const questions = triples.flatMap(({ vulnerability, product, component }) => [
    { vulnerability, product, subcomponents: [component] },
    { vulnerability, product: component, subcomponents: [] },
  ]);
  const input = questions.map((question) => `${JSON.stringify(question)}\n`).join('');
  const { code, stdout, stderr } = await run('govex', files, { input });
  expect(code, stderr).toBe(0);
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
  expect(answers).toHaveLength(questions.length);
  return triples.map((_triple, index) => ({
    matches: [...answers[index * 2]!.matches, ...answers[index * 2 + 1]!.matches],
    statuses: [...answers[index * 2]!.statuses, ...answers[index * 2 + 1]!.statuses],
  }));
}

/** Of one time what suppresses least counts. */
const LEAST_LAST: readonly string[] = ['not_affected', 'fixed', 'under_investigation', 'affected'];

/** The statement that counts by our order, of those that go-vex says match. */
function latest({ matches }: Answer, documents: readonly VexDocument[]): VexStatement | undefined {
  return matches
    .map(([document, statement]) => ({ document, statement, said: documents[document]!.statements[statement]! }))
    .sort(
      (a, b) =>
        compareTexts(a.said.timestamp, b.said.timestamp) ||
        LEAST_LAST.indexOf(a.said.status) - LEAST_LAST.indexOf(b.said.status) ||
        compareTexts(a.said.justification, b.said.justification) ||
        compareTexts(a.said.impact_statement, b.said.impact_statement) ||
        compareTexts(a.said.action_statement, b.said.action_statement) ||
        a.document - b.document ||
        a.statement - b.statement,
    )
    .at(-1)?.said;
}

/** Holds our matcher against go-vex's answers: which statement counts for each, and which match nothing at all. */
function expectAgreement(
  documents: readonly VexDocument[],
  triples: readonly Triple[],
  answers: readonly Answer[],
): void {
  const byProduct = Map.groupBy(
    triples.map((triple, number) => ({ triple, number })),
    ({ triple }) => triple.product,
  );
  const disagreements: unknown[] = [];
  for (const [product, group] of byProduct) {
    const findings = group.map(
      ({ triple }): MatchableFinding => ({
        id: triple.vulnerability,
        aliases: [],
        component: { name: 'x', purl: triple.component },
      }),
    );
    const { decisions, unmatched } = matchStatements(findings, documents, { products: [product] });
    decisions.forEach(({ statement }, index) => {
      const { triple, number } = group[index]!;
      const theirs = latest(answers[number]!, documents);
      if (statement !== theirs) disagreements.push({ triple, ours: statement, theirs });
    });
    const heard = new Set(group.flatMap(({ number }) => answers[number]!.matches.map((place) => place.join('/'))));
    const silent = new Set(unmatched.map(({ document, statement }) => `${document}/${statement}`));
    documents.forEach(({ statements }, document) => {
      statements.forEach((_statement, statement) => {
        const place = `${document}/${statement}`;
        if (heard.has(place) === silent.has(place)) disagreements.push({ product, place, heard: heard.has(place) });
      });
    });
  }
  expect(disagreements.slice(0, 5)).toEqual([]);
}

function read(bytes: Uint8Array): VexDocument {
  const document = readVexDocument(bytes);
  if (!document.ok) throw new Error(JSON.stringify(document.issues.slice(0, 3)));
  return document.value;
}

/** Everything that a scan may call it: as it is stated, without its version, in another version, with more to it. */
function* mutations(triple: Triple): Generator<Triple> {
  const { product, component } = triple;
  yield triple;
  yield { ...triple, component: component.replace(/@[^?]*/, '') };
  yield {
    ...triple,
    component: component.includes('@') ? component.replace(/@[^?]*/, '@v0.0.0-other') : `${component}@1`,
  };
  yield { ...triple, component: `${component}${component.includes('?') ? '&' : '?'}arch=riscv64` };
  yield { ...triple, component: component.replace(/\?.*/, '') };
  yield {
    ...triple,
    product: product.includes('@') ? product.replace(/@[^?]*/, '@v9.9.9') : product.replace(/(?=\?|$)/, '@v9.9.9'),
  };
  yield { ...triple, product: `${product}${product.includes('?') ? '&' : '?'}arch=riscv64` };
  yield { ...triple, product: product.replace(/\?.*/, '') };
  yield { ...triple, product: 'pkg:oci/another' };
  yield { ...triple, component: product };
  yield { ...triple, vulnerability: `${triple.vulnerability}0` };
}

function triplesOf(documents: readonly VexDocument[], every: number): Triple[] {
  const triples = new Map<string, Triple>();
  let number = 0;
  for (const { vulnerability, products } of documents.flatMap(({ statements }) => statements)) {
    for (const product of products) {
      for (const component of product.subcomponents ?? [product]) {
        number += 1;
        if (number % every !== 0) continue;
        const [inside, whole] = [component, product].map(
          ({ purl, id, hashes = {} }) => purl ?? id ?? Object.values(hashes)[0],
        );
        for (const name of [vulnerability.name, ...(vulnerability.aliases ?? []).slice(0, 1)]) {
          for (const triple of mutations({ vulnerability: name, product: whole!, component: inside! })) {
            triples.set(JSON.stringify(triple), triple);
          }
        }
      }
    }
  }
  return [...triples.values()];
}

describe.skipIf(isMissing('govex'))('go-vex and our own matching', () => {
  let folder: string;
  let remove = (): void => {};
  beforeAll(() => {
    folder = temporaryFolder((work) => {
      remove = work as () => void;
    });
  });
  afterAll(() => remove());

  /** The documents as files, and what we make of them as files again. */
  const written = (documents: ReadonlyMap<string, Uint8Array>) => {
    const places = ['original', 'ours'].map((name) => join(folder, name));
    for (const place of places) mkdirSync(place, { recursive: true });
    const models = [...documents].map(([name, bytes]) => {
      const model = read(bytes);
      writeFileSync(join(places[0]!, name), bytes);
      writeFileSync(join(places[1]!, name), JSON.stringify(writeVexDocument(model, { profile: 'openvex' }).document));
      return model;
    });
    const files = places.map((place) => [...documents.keys()].map((name) => join(place, name)));
    return { models, originals: files[0]!, ours: files[1]! };
  };

  const product = (id: string, ...inside: string[]) => ({
    '@id': id,
    ...(inside.length === 0 ? {} : { subcomponents: inside.map((one) => ({ '@id': one })) }),
  });
  const statement = (name: string, products: unknown[], more: object = {}) => ({
    vulnerability: { name },
    products,
    status: 'not_affected',
    justification: 'component_not_present',
    ...more,
  });
  const HAND_MADE = {
    '@context': 'https://openvex.dev/ns/v0.2.0',
    '@id': 'https://example.com/vex/1',
    author: 'a vendor',
    timestamp: '2026-11-01T00:00:00Z',
    version: 1,
    statements: [
      statement('CVE-2026-1', [
        product('pkg:oci/app?repository_url=registry.example%2Fteam', 'pkg:npm/%40babel/core@7.0.0'),
      ]),
      statement('CVE-2026-1', [product('pkg:oci/app', 'pkg:npm/%40babel/core')], {
        status: 'affected',
        justification: undefined,
        action_statement: 'update',
        timestamp: '2026-11-02T00:00:00Z',
      }),
      statement('CVE-2026-2', [product('pkg:pypi/Ruamel_Yaml@0.17')]),
      statement('CVE-2026-2', [product('pkg:golang/github.com/Masterminds/sprig@v3.0.0'), product('pkg:oci/app')], {
        vulnerability: { name: 'GHSA-1', aliases: ['CVE-2026-2'] },
        status: 'fixed',
        justification: undefined,
        timestamp: '2026-11-03T00:00:00Z',
      }),
      statement('CVE-2026-3', [product('pkg:deb/debian/curl@7.88.1?arch=amd64&distro=debian-12')]),
      statement('CVE-2026-3', [product('pkg:deb/debian/curl@7.88.1?distro=debian-12')], {
        timestamp: '2026-10-01T00:00:00Z',
      }),
      statement('CVE-2026-3', [product('pkg:maven/org.apache/Log4J@2.14.1', 'pkg:maven/org.apache/other')]),
      statement('CVE-2026-4', [
        { identifiers: { purl: 'pkg:cargo/serde@1.0.0' } },
        { hashes: { 'sha-256': 'a'.repeat(64) } },
      ]),
      statement('CVE-2026-4', [product('pkg:swift/github.com/Alamofire/Alamofire@5.4.3')]),
    ],
  };

  test('agree on documents made by hand, before and after we have written them', async () => {
    const { models, originals, ours } = written(new Map([['hand.json', Buffer.from(JSON.stringify(HAND_MADE))]]));
    const triples = [
      ...triplesOf(models, 1),
      { vulnerability: 'CVE-2026-1', product: 'pkg:oci/app@sha256:1', component: 'pkg:npm/@babel/core@7.0.0' },
      { vulnerability: 'CVE-2026-2', product: 'pkg:oci/other', component: 'pkg:pypi/ruamel-yaml@0.17' },
      {
        vulnerability: 'CVE-2026-2',
        product: 'pkg:oci/other',
        component: 'pkg:golang/github.com/masterminds/sprig@v3.0.0',
      },
    ];
    const answers = await askGoVex(originals, triples);
    expect(answers.filter(({ matches }) => matches.length > 0).length).toBeGreaterThan(15);
    expect(answers.filter(({ matches }) => matches.length === 0).length).toBeGreaterThan(15);
    expect(await askGoVex(ours, triples)).toEqual(answers);
    expectAgreement(models, triples, answers);
  });

  test('differ where we say so: a subpath, the case of a CVE, what merging takes for one component', async () => {
    const document = {
      ...HAND_MADE,
      statements: [
        statement('CVE-2026-1', [product('pkg:golang/example.com/a@v1#cmd')]),
        statement('cve-2026-2', [product('pkg:npm/a@1')]),
        statement('CVE-2026-3', [product('pkg:maven/org.apache/Log4J@2.14.1')]),
        statement('CVE-2026-4', [product('pkg:golang/example.com/b@v0.10.0')]),
        statement('CVE-2026-5', [product('pkg:pypi/a.b@1.0')]),
      ],
    };
    const { models, originals } = written(new Map([['different.json', Buffer.from(JSON.stringify(document))]]));
    const triples = [
      { vulnerability: 'CVE-2026-1', product: 'pkg:oci/other', component: 'pkg:golang/example.com/a@v1' },
      { vulnerability: 'CVE-2026-2', product: 'pkg:oci/other', component: 'pkg:npm/a@1' },
      { vulnerability: 'CVE-2026-3', product: 'pkg:oci/other', component: 'pkg:maven/org.apache/log4j@2.14.1' },
      { vulnerability: 'CVE-2026-4', product: 'pkg:oci/other', component: 'pkg:golang/example.com/b@0.10.0' },
      { vulnerability: 'CVE-2026-5', product: 'pkg:oci/other', component: 'pkg:pypi/a-b@1.0.0' },
    ];
    const theirs = (await askGoVex(originals, triples)).map(({ matches }) => matches.length > 0);
    const ours = triples.map(({ vulnerability, component }) => {
      const finding = { id: vulnerability, aliases: [], component: { name: 'x', purl: component } };
      return matchStatements([finding], models).decisions[0]!.isSuppressed;
    });
    expect({ theirs, ours }).toEqual({
      theirs: [true, false, false, false, false],
      ours: [false, true, true, true, true],
    });
  });

  test.skipIf(!existsSync(VENDORS))(
    'agree on the documents of vendors, before and after we have written them',
    async () => {
      const documents = new Map<string, Uint8Array>();
      for (const name of readdirSync(VENDORS).sort()) {
        const bytes = readFileSync(join(VENDORS, name));
        // A pointer of Git LFS is no document.
        if (bytes.toString('utf8', 0, 40).trimStart().startsWith('{')) documents.set(name, bytes);
      }
      const { models, originals, ours } = written(documents);
      const count = models.reduce((sum, { statements }) => sum + statements.length, 0);
      const every = Math.max(1, Math.floor(count / SAMPLES));
      const triples = triplesOf(models, every);
      const answers = await askGoVex(originals, triples);
      expect(answers.filter(({ matches }) => matches.length > 0).length).toBeGreaterThan(triples.length / 10);
      expect(await askGoVex(ours, triples)).toEqual(answers);
      expectAgreement(models, triples, answers);
    },
  );
});
