import { nearestNames } from '@colophon/notation';
import { compileSubjectPattern } from '@colophon/policy-file/subject-pattern';
import type { EvidenceFilter, EvidenceOperator, EvidenceQuestion, EvidenceSet } from '@colophon/store';
import {
  describeFields,
  type FieldType,
  fieldNames,
  findField,
  QUERY_FIELDS,
  QUERY_SETS,
  type QueryField,
  SETS_TO_COME,
} from './query-field.ts';
import { type QueryIssue, QueryRefusal } from './query-issue.ts';
import { type QueryToken, readTokens } from './query-token.ts';
import { readValue, VALUE_FORMS } from './query-value.ts';

/** Rows that a question without `limit` gets at most. */
export const DEFAULT_LIMIT = 100;
/** Rows that any question gets at most. */
export const MAX_LIMIT = 10_000;
/** Comparisons and listed values in one question. */
export const MAX_VALUES = 200;
/** Parentheses inside one another. */
export const MAX_PARENTHESES = 16;

/** A question that can be asked, or what is wrong with it. */
export type ParsedQuery =
  | { readonly ok: true; readonly value: EvidenceQuestion }
  | { readonly ok: false; readonly issues: readonly [QueryIssue] };

const ORDERED: readonly EvidenceOperator[] = ['=', '!=', '<', '<=', '>', '>=', 'in'];
const NAMED: readonly EvidenceOperator[] = ['=', '!=', 'in', '~'];
const OPERATORS: Readonly<Record<FieldType, readonly EvidenceOperator[]>> = {
  text: NAMED,
  digest: ['=', '!=', 'in'],
  number: ORDERED,
  duration: ORDERED,
  time: ORDERED,
  boolean: ['=', '!='],
};

/** What a question has behind its set, in this order. */
const PARTS: readonly string[] = ['where', 'order', 'limit'];
const KEYWORDS: readonly string[] = ['where', 'and', 'or', 'order', 'limit'];

/**
 * Reads `<set> [where <condition>] [order by <field> [asc|desc], …] [limit <n>]`; conditions are comparisons joined by
 * `and` and `or` (`and` binds closer) and parentheses. Keywords are lower case. Reading stops at the first mistake,
 * which is told with its position. Never throws.
 * @see docs/query.md
 */
export function parseQuery(text: string): ParsedQuery {
  try {
    return { ok: true, value: new QueryReader(readTokens(text)).read() };
  } catch (error) {
    if (error instanceof QueryRefusal) return { ok: false, issues: [error.issue] };
    throw error;
  }
}

class QueryReader {
  readonly #tokens: readonly QueryToken[];
  #next = 0;
  #set: EvidenceSet = 'runs';
  #values = 0;
  #parentheses = 0;

  constructor(tokens: readonly QueryToken[]) {
    this.#tokens = tokens;
  }

  read(): EvidenceQuestion {
    this.#set = this.#readSet();
    const where = this.#takeWord('where') ? this.#readAny() : undefined;
    const orderBy = this.#takeWord('order') ? this.#readOrder() : [];
    const limit = this.#takeWord('limit') ? this.#readLimit() : DEFAULT_LIMIT;
    const rest = this.#peek();
    if (rest.kind !== 'end') {
      const isPart = rest.kind === 'word' && PARTS.includes(rest.text);
      const why = isPart ? ': where comes first, then order by, then limit, each at most once' : '';
      throw new QueryRefusal('query.syntax', rest.position, `“${rest.text}” is not expected here${why}.`, {
        expected: 'where, and, or, order by, limit or the end',
        didYouMean:
          rest.kind === 'word' && KEYWORDS.includes(rest.text) ? undefined : nearestNames(rest.text, KEYWORDS)[0],
      });
    }
    return { set: this.#set, ...(where === undefined ? {} : { where }), orderBy, limit };
  }

  #peek(): QueryToken {
    return this.#tokens[Math.min(this.#next, this.#tokens.length - 1)]!;
  }

  #take(): QueryToken {
    const token = this.#peek();
    this.#next += 1;
    return token;
  }

  #takeWord(word: string): boolean {
    const { kind, text } = this.#peek();
    const isNext = kind === 'word' && text === word;
    if (isNext) this.#next += 1;
    return isNext;
  }

  #takePunctuation(text: string): boolean {
    const token = this.#peek();
    const isNext = token.kind === 'punctuation' && token.text === text;
    if (isNext) this.#next += 1;
    return isNext;
  }

  #readSet(): EvidenceSet {
    const { kind, text, position } = this.#take();
    const set = QUERY_SETS.find((name) => name === text);
    if (kind === 'word' && set !== undefined) return set;
    if (SETS_TO_COME.includes(text)) {
      throw new QueryRefusal('query.set_not_available', position, `Nothing is stored for “${text}” yet.`, {
        expected: QUERY_SETS.join(', '),
      });
    }
    throw new QueryRefusal('query.unknown_set', position, 'A question starts with what is asked for.', {
      expected: QUERY_SETS.join(', '),
      didYouMean: nearestNames(text, QUERY_SETS)[0],
    });
  }

  #readAny(): EvidenceFilter {
    const parts = [this.#readAll()];
    while (this.#takeWord('or')) parts.push(this.#readAll());
    return parts.length === 1 ? parts[0]! : { any: parts };
  }

  #readAll(): EvidenceFilter {
    const parts = [this.#readOne()];
    while (this.#takeWord('and')) parts.push(this.#readOne());
    return parts.length === 1 ? parts[0]! : { all: parts };
  }

  #readOne(): EvidenceFilter {
    const { position } = this.#peek();
    if (!this.#takePunctuation('(')) return this.#readComparison();
    this.#parentheses += 1;
    if (this.#parentheses > MAX_PARENTHESES) throw tooComplex(position);
    const inner = this.#readAny();
    this.#parentheses -= 1;
    this.#expectPunctuation(')');
    return inner;
  }

  #expectPunctuation(text: string): void {
    if (this.#takePunctuation(text)) return;
    throw new QueryRefusal('query.syntax', this.#peek().position, 'Something is missing here.', { expected: text });
  }

  #readField(fieldsOfRows: boolean): QueryField {
    const { kind, text, position } = this.#take();
    const field = kind === 'word' ? findField(this.#set, text) : undefined;
    const isOwn = field !== undefined && (!fieldsOfRows || isOwnColumn(this.#set, field));
    if (isOwn) return field;
    if (kind === 'end') throw new QueryRefusal('query.syntax', position, 'A field is missing here.');
    const names = fieldsOfRows ? ownFieldNames(this.#set) : fieldNames(this.#set);
    const message = `${this.#set} ${fieldsOfRows ? 'cannot be ordered by' : 'have no field'} “${text}”.`;
    throw new QueryRefusal('query.unknown_field', position, message, {
      expected: fieldsOfRows ? names.join(', ') : describeFields(this.#set),
      didYouMean: nearestNames(text, names)[0],
    });
  }

  #readComparison(): EvidenceFilter {
    const field = this.#readField(false);
    const operator = this.#readOperator(field);
    const values: (string | number)[] = [];
    if (operator === 'in') {
      this.#expectPunctuation('(');
      do values.push(this.#readValue(field, operator));
      while (this.#takePunctuation(','));
      this.#expectPunctuation(')');
    } else values.push(this.#readValue(field, operator));
    return { column: field.column, operator, values };
  }

  #readOperator({ name, type }: QueryField): EvidenceOperator {
    const { kind, text, position } = this.#take();
    const isOperator = kind === 'operator' || (kind === 'word' && text === 'in');
    const expected = OPERATORS[type].join(' ');
    if (!isOperator)
      throw new QueryRefusal('query.syntax', position, `An operator is missing after ${name}.`, { expected });
    const operator = OPERATORS[type].find((one) => one === text);
    if (operator !== undefined) return operator;
    throw new QueryRefusal('query.operator_not_allowed', position, `${name} cannot be compared by ${text}.`, {
      expected,
    });
  }

  #readValue({ name, type, column }: QueryField, operator: EvidenceOperator): string | number {
    const { kind, text, position } = this.#take();
    this.#values += 1;
    if (this.#values > MAX_VALUES) throw tooComplex(position);
    const expected = VALUE_FORMS[type];
    if (kind !== 'word' && kind !== 'string') {
      throw new QueryRefusal('query.syntax', position, `A value is missing for ${name}.`, { expected });
    }
    if (operator === '~') {
      const pattern = compileSubjectPattern(text);
      if (!pattern.ok) throw new QueryRefusal('query.pattern_invalid', position, pattern.message, { expected: 'RE2' });
      return text;
    }
    // Commit ids are stored as git writes them, in lower case.
    const written = column.name === 'commit_sha' ? text.toLowerCase() : text;
    const value = readValue(type, written, column.table === 'artifact' ? '' : 'sha256:');
    if (value !== undefined) return value;
    throw new QueryRefusal('query.value_invalid', position, `This is no value for ${name}.`, { expected });
  }

  #readOrder(): EvidenceQuestion['orderBy'] & object {
    if (!this.#takeWord('by')) {
      throw new QueryRefusal('query.syntax', this.#peek().position, 'Something is missing here.', { expected: 'by' });
    }
    const order: Array<{ column: QueryField['column']; direction: 'asc' | 'desc' }> = [];
    do {
      const { column } = this.#readField(true);
      const direction = this.#takeWord('desc') ? 'desc' : 'asc';
      if (direction === 'asc') this.#takeWord('asc');
      order.push({ column, direction });
      if (order.length > 4) throw tooComplex(this.#peek().position);
    } while (this.#takePunctuation(','));
    return order;
  }

  #readLimit(): number {
    const { kind, text, position } = this.#take();
    const limit = kind === 'word' && /^[0-9]{1,6}$/.test(text) ? Number(text) : 0;
    if (limit >= 1 && limit <= MAX_LIMIT) return limit;
    throw new QueryRefusal('query.limit_invalid', position, 'This is no limit.', { expected: `1 to ${MAX_LIMIT}` });
  }
}

function tooComplex(position: number): QueryRefusal {
  const expected = `at most ${MAX_VALUES} values, ${MAX_PARENTHESES} parentheses inside one another, 4 fields to order by`;
  return new QueryRefusal('query.too_complex', position, 'The question has too many parts.', { expected });
}

const OWN_TABLES: Readonly<Record<EvidenceSet, readonly string[]>> = {
  runs: ['run', 'entry'],
  reviews: ['review', 'entry'],
  'review-claims': ['review_claim', 'entry'],
  entries: ['entry'],
  artifacts: ['artifact'],
  commits: ['commit'],
  decisions: ['decision'],
};

function isOwnColumn(set: EvidenceSet, { column }: QueryField): boolean {
  return OWN_TABLES[set].includes(column.table);
}

function ownFieldNames(set: EvidenceSet): readonly string[] {
  return QUERY_FIELDS[set]
    .filter((field) => isOwnColumn(set, field))
    .flatMap(({ name, aliases }) => [name, ...aliases]);
}
