import { canonicalJson } from '@colophon/json';
import { compareTexts } from '@colophon/notation';
import { below } from '../read/place.ts';
import { checkAgainstEachOther, subjectKeys } from '../validate/statement-rules.ts';
import { type VexFault, VexFaults } from '../validate/vex-fault.ts';
import { UNKNOWN_TIME, type VexDocument, type VexStatement, type VexSubject } from '../vex-document/vex-document.ts';
import { compareTimes } from '../vex-time/vex-time.ts';
import { type VexLoss, VexLosses } from '../write/vex-loss.ts';

/** Who answers for the merged document, and when. */
export type VexMerge = {
  readonly author: string;
  readonly role?: string;
  /** RFC 3339 in UTC. */
  readonly at: string;
  /** Of the document; one that a merged document has is that document's next version. Made from the content if absent. */
  readonly id?: string;
};

/** The merged document, and what is to be said of it. */
export type MergedVexDocument = {
  readonly document: VexDocument;
  /** Statements of the same time that contradict each other, `vex.statement_contradicts`; an error where it is the status. */
  readonly conflicts: readonly VexFault[];
  /** Statements that another one repeats word by word, and that are there once. */
  readonly repeated: number;
  readonly losses: readonly VexLoss[];
};

/**
 * One document with every statement of several: the history too, of which the latest statement counts. Statements are
 * ordered by vulnerability, time and product, so the order of the documents makes no difference.
 */
export function mergeVexDocuments(documents: readonly VexDocument[], merge: VexMerge): MergedVexDocument {
  const byContent = new Map<string, VexStatement>();
  let all = 0;
  for (const { statements } of documents) {
    for (const one of statements) {
      const statement = withIds(one);
      byContent.set(contentOf(statement), statement);
    }
    all += statements.length;
  }
  const sorted = [...byContent].map(([content, statement]) => ({ content, statement, key: sortKey(statement) }));
  sorted.sort(
    (a, b) =>
      compareTexts(a.statement.vulnerability.name, b.statement.vulnerability.name) ||
      compareTimes(a.statement.timestamp, b.statement.timestamp) ||
      compareTexts(a.key, b.key) ||
      compareTexts(a.content, b.content),
  );
  const statements = sorted.map(({ statement }) => statement);
  const versions = documents.flatMap(({ id, version }) => (id !== undefined && id === merge.id ? [version ?? 1] : []));
  return {
    document: {
      shape: 'openvex',
      ...(merge.id !== undefined && { id: merge.id }),
      author: merge.author,
      ...(merge.role !== undefined && { role: merge.role }),
      timestamp: merge.at,
      version: Math.max(0, ...versions) + 1,
      statements,
    },
    conflicts: conflictsIn(statements),
    repeated: all - statements.length,
    losses: lossesOf(documents, merge),
  };
}

/** As it is written to OpenVEX, where a package URL alone is the `@id` too: else the same would be there twice. */
function withIds(statement: VexStatement): VexStatement {
  const identified = <Subject extends VexSubject>(subject: Subject): Subject =>
    subject.id === undefined && subject.purl !== undefined ? { ...subject, id: subject.purl } : subject;
  return {
    ...statement,
    products: statement.products.map((product) => ({
      ...identified(product),
      ...(product.subcomponents && { subcomponents: product.subcomponents.map(identified) }),
    })),
  };
}

const utf8 = new TextDecoder();

function contentOf(statement: VexStatement): string {
  return utf8.decode(canonicalJson(statement));
}

function sortKey({ products, status }: VexStatement): string {
  return `${products.length === 0 ? '' : subjectKeys(products[0] as VexStatement['products'][number])[0]} ${status}`;
}

function conflictsIn(statements: readonly VexStatement[]): readonly VexFault[] {
  const faults = new VexFaults();
  const list = below(undefined, 'statements');
  const places = statements.map((_, index) => below(list, index));
  checkAgainstEachOther(statements, places, faults);
  return faults.list().filter(({ code }) => code === 'vex.statement_contradicts');
}

/** The merging author answers for what others have said. */
function lossesOf(documents: readonly VexDocument[], merge: VexMerge): readonly VexLoss[] {
  const losses = new VexLosses();
  for (const { author, tooling, statements } of documents) {
    if (author !== undefined && author !== merge.author)
      losses.add('/author', `that ${author} is the author`, `the merged document is by ${merge.author}`);
    if (tooling !== undefined) losses.add('/tooling', `tooling ${tooling}`, 'the merged document was made otherwise');
    if (statements.some(({ timestamp }) => timestamp === UNKNOWN_TIME))
      losses.add(
        '/statements',
        'statements without a time',
        `they have the time ${UNKNOWN_TIME}, so every other counts`,
      );
  }
  return losses.list();
}
