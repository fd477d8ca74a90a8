// VEX documents applied to findings: as many statements as vendors write, and everything about one vulnerability and one
// package, which is what holding each against each would be slow with. With the real documents where they are.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type MatchableFinding, matchStatements, readVexDocument, type VexDocument } from '@colophon/vex';
import { doing } from './measure/progress.ts';
import { crowded, generatedFindings, generatedVex, PRODUCT } from './vex/generated-vex.ts';

/** For 100,000 findings, once the document is read. */
const MOST_MS = 1_000;
/** Ten times the findings, or twice the statements, may take so many times as long. */
const MOST_GROWTH = { findings: 14, statements: 3 };
const FINDINGS = 100_000;
const STATEMENTS = 36_000;
const ROUNDS = 7;
const CROWDED = 'all about one package';

const DATA = process.env['COLOPHON_DATA'] ?? join(import.meta.dirname, '..', '..', 'shared', 'data');
const VENDOR = join(
  DATA,
  'openvex-vendor',
  'rancher+vexhub--pkg__golang__k8s.io__cluster-bootstrap__scan.openvex.json',
);

function read(bytes: Uint8Array): { document: VexDocument; readMs: number } {
  const start = performance.now();
  const parsed = readVexDocument(bytes);
  const readMs = performance.now() - start;
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues.slice(0, 3)));
  return { document: parsed.value, readMs };
}

/** The quickest of some rounds: what it takes, and not what else the machine does. */
function apply(document: VexDocument, findings: readonly MatchableFinding[], products: readonly string[]) {
  let best = Number.POSITIVE_INFINITY;
  let suppressed = 0;
  let unmatched = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    const matches = matchStatements(findings, [document], { products });
    best = Math.min(best, performance.now() - start);
    suppressed = matches.decisions.filter(({ isSuppressed }) => isSuppressed).length;
    unmatched = matches.unmatched.length;
  }
  return { matchMs: best, suppressed, unmatched };
}

/** What a vendor's document speaks of, and as much again that it does not. */
function findingsFor({ statements }: VexDocument): MatchableFinding[] {
  const spoken = statements.flatMap(({ vulnerability, products }) =>
    products.flatMap(({ subcomponents = [] }) =>
      subcomponents.map(({ id, purl }) => ({ name: vulnerability.name, purl: purl ?? id! })),
    ),
  );
  return Array.from({ length: FINDINGS }, (_, index) => {
    const { name, purl } = spoken[index % spoken.length]!;
    return { id: name, aliases: [], component: { name: 'x', purl: index % 2 === 0 ? purl : `${purl}-${index}` } };
  });
}

if (import.meta.main) {
  const failures: string[] = [];
  const rows: Array<Record<string, string | number>> = [];
  const measure = (
    name: string,
    bytes: Uint8Array,
    findings: (document: VexDocument) => readonly MatchableFinding[],
    product?: string,
  ) => {
    doing(name);
    const { document, readMs } = read(bytes);
    const all = findings(document);
    const first = document.statements[0]?.products[0];
    const { matchMs, suppressed, unmatched } = apply(document, all, [product ?? first?.purl ?? first?.id ?? '']);
    rows.push({
      document: name,
      MB: Number((bytes.length / 1e6).toFixed(1)),
      statements: document.statements.length,
      findings: all.length,
      'read ms': Math.round(readMs),
      'match ms': Math.round(matchMs),
      suppressed,
      unmatched,
    });
    const isOrdinary = name !== CROWDED && all.length === FINDINGS;
    if (isOrdinary && matchMs > MOST_MS) failures.push(`${name}: ${Math.round(matchMs)} ms, at most ${MOST_MS}`);
    return matchMs;
  };

  const vex = generatedVex(STATEMENTS);
  const small = measure('as vendors write', vex, () => generatedFindings(FINDINGS / 10, STATEMENTS), PRODUCT);
  const whole = measure('as vendors write', vex, () => generatedFindings(FINDINGS, STATEMENTS), PRODUCT);
  const many = crowded(FINDINGS, STATEMENTS);
  const few = crowded(FINDINGS, STATEMENTS / 2);
  const half = measure(CROWDED, few.vex, () => few.findings, PRODUCT);
  const full = measure(CROWDED, many.vex, () => many.findings, PRODUCT);
  if (existsSync(VENDOR)) measure("a vendor's own", readFileSync(VENDOR), findingsFor);
  console.table(rows);
  const growth = { findings: whole / small, statements: full / half };
  console.log(
    `ten times the findings take ${growth.findings.toFixed(1)} times as long, at most ${MOST_GROWTH.findings}`,
  );
  console.log(
    `twice the statements take ${growth.statements.toFixed(1)} times as long, at most ${MOST_GROWTH.statements}`,
  );
  if (growth.findings > MOST_GROWTH.findings) failures.push('findings are not linear');
  if (growth.statements > MOST_GROWTH.statements) failures.push('statements are not linear');
  for (const failure of failures) console.error(failure);
  if (failures.length > 0) process.exitCode = 1;
}
