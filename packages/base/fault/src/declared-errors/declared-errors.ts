import { STATUS_OF_KIND } from '../http-status/http-status.ts';
import { KINDS, type Kind } from '../kind/kind.ts';

/** The kind of a code, with its own HTTP status where the kind's would say less. */
type Declared = Kind | { readonly kind: Kind; readonly httpStatus: number };

/** What every error of a declared class has beside its own fields. */
export interface Fault<Code extends string = string> extends Error {
  readonly code: Code;
  readonly kind: Kind;
}

/** What can be given with every error; a kind of its own only where one code has several. */
type Circumstances = { readonly cause?: unknown; readonly kind?: Kind };

/** What {@link declareErrors} makes: the errors of one package. */
export interface FaultClass<Code extends string, Details, Fields, Others extends string> {
  new (code: Code | Others, message: string, details?: Details & Circumstances): Fault<Code | Others> & Fields;
  readonly prototype: Fault<Code | Others> & Fields;
  /** In the order of their declaration. */
  readonly codes: readonly Code[];
  kindOf(code: Code): Kind;
  /** The HTTP status that this code is answered with. */
  statusOf(code: Code): number;
}

/**
 * The error class of a package, with the kind of each of its codes.
 * @param name - of the class
 * @param table - code → kind
 *   Codes of `Others` are not in it: they came from a peer, and each error with one is given its kind.
 * @param fieldsOf - the fields of an error, from what is given where it is made; without it there are none
 */
export function declareErrors<
  const Table extends { readonly [code: string]: Declared },
  Details extends object = object,
  Fields extends object = object,
  Others extends string = never,
>(
  name: string,
  table: Table,
  fieldsOf?: (details: Details) => Fields,
): FaultClass<keyof Table & string, Details, Fields, Others> {
  const declared: { readonly [code: string]: Declared } = table;
  const kindOfCode = (code: string): Kind => {
    const entry = declared[code]!;
    return typeof entry === 'string' ? entry : entry.kind;
  };
  class DeclaredError extends Error {
    static readonly codes = Object.keys(table);
    static kindOf = kindOfCode;
    static statusOf = (code: string): number => {
      const entry = declared[code]!;
      return typeof entry === 'string' ? STATUS_OF_KIND[entry] : entry.httpStatus;
    };
    readonly code: string;
    readonly kind: Kind;
    constructor(code: string, message: string, details: Details & Circumstances = {} as Details) {
      const { cause, kind, ...own } = details;
      super(message, cause === undefined ? undefined : { cause });
      this.name = name;
      this.code = code;
      this.kind = kind ?? kindOfCode(code);
      if (fieldsOf !== undefined) Object.assign(this, fieldsOf(own as unknown as Details));
    }
  }
  return DeclaredError as unknown as FaultClass<keyof Table & string, Details, Fields, Others>;
}

/** The kind that an error says itself, or undefined where it says none. */
export function kindOf(error: unknown): Kind | undefined {
  const { kind } = (error ?? {}) as { kind?: unknown };
  return KINDS.find((known) => known === kind);
}
