import { type Issue, isJsonObject, type JsonObject, jsonPointer } from '@colophon/json';
import { FIELD_MESSAGES } from '@colophon/records';

/** Not for null, which is what is not there. */
const { field_null: _, ...MESSAGES } = FIELD_MESSAGES;
type Fault = keyof typeof MESSAGES;

/** The documents that are read field by field. */
type ReadDocument = 'finding' | 'scan_record';

/** Every code of parseFindings and parseScanRecord. */
export const FINDING_ISSUE_CODES: readonly `${ReadDocument}.${Fault}`[] = (['finding', 'scan_record'] as const).flatMap(
  (document) => (Object.keys(MESSAGES) as Fault[]).map((fault) => `${document}.${fault}` as const),
);

type Path = readonly (string | number)[];

/** Reads the members of objects from outside and notes what is wrong; null is what is not there. */
export class FieldReader {
  readonly issues: Issue[] = [];
  readonly #document: ReadDocument;
  readonly #source: string;

  constructor(document: ReadDocument, source: string) {
    this.#document = document;
    this.#source = source;
  }

  note(fault: Fault, path: Path, expected: string): void {
    const code: (typeof FINDING_ISSUE_CODES)[number] = `${this.#document}.${fault}`;
    this.issues.push({ path: jsonPointer(path), code, message: MESSAGES[fault], expected, source: this.#source });
  }

  /** A text that must be there and have something in it. */
  text(owner: JsonObject, name: string, path: Path): string | undefined {
    const text = this.optionalText(owner, name, path);
    if (text !== undefined && text.trim() !== '') return text;
    const value = member(owner, name);
    if (value === undefined) this.note('field_missing', [...path, name], 'a text');
    else if (text !== undefined) this.note('field_empty', [...path, name], 'a text');
    return undefined;
  }

  optionalText(owner: JsonObject, name: string, path: Path): string | undefined {
    const value = member(owner, name);
    if (value === undefined || typeof value === 'string') return value;
    this.note('field_type', [...path, name], 'a text');
    return undefined;
  }

  optionalNumber(owner: JsonObject, name: string, path: Path): number | undefined {
    const value = member(owner, name);
    if (value === undefined || (typeof value === 'number' && Number.isFinite(value)))
      return value as number | undefined;
    this.note('field_type', [...path, name], 'a number');
    return undefined;
  }

  /** An object that must be there. */
  object(owner: JsonObject, name: string, path: Path): JsonObject | undefined {
    const value = member(owner, name);
    if (isJsonObject(value)) return value;
    this.note(value === undefined ? 'field_missing' : 'field_type', [...path, name], 'an object');
    return undefined;
  }

  /** An array of texts; none where there is no such member. */
  texts(owner: JsonObject, name: string, path: Path): readonly string[] {
    const value = member(owner, name);
    if (value === undefined) return [];
    if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
    this.note('field_type', [...path, name], 'an array of texts');
    return [];
  }
}

/** An own member, never what every object has; undefined for null too. */
function member(owner: JsonObject, name: string): unknown {
  return Object.hasOwn(owner, name) ? (owner[name] ?? undefined) : undefined;
}
