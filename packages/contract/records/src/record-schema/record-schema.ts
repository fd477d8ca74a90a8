import { TIMESTAMP_PATTERN } from '@colophon/notation';
import { EMAIL_ADDRESS_PATTERN, LONGEST_EMAIL_ADDRESS } from '../email-address/email-address.ts';

/** The part of JSON Schema 2020-12 in which the records are declared, and which checkRecord understands. */
export type RecordSchema = {
  readonly $schema?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly properties?: { readonly [name: string]: RecordSchema };
  /** The schema of members that `properties` does not name, or that there are none; without it they may be anything. */
  readonly additionalProperties?: RecordSchema | false;
  readonly minProperties?: number;
  readonly items?: RecordSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** In what JavaScript, Python and RE2 read alike. Text that has to have one is never blank, whatever it says. */
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  /** What no pattern can say: `date` and `date-time` ask for a day that the calendar has, `email` for a short local part. */
  readonly format?: 'date' | 'date-time' | 'email';
};

/** Text with something in it to see: not empty, and not only spaces, control or invisible characters. */
export const text = { type: 'string', description: 'text that is not blank', pattern: '\\S' } as const;

export const timestamp = {
  type: 'string',
  description: 'a time in UTC such as 2026-01-31T12:00:00Z (RFC 3339)',
  pattern: TIMESTAMP_PATTERN,
  format: 'date-time',
} as const;

export const emailAddress = {
  type: 'string',
  description: 'an e-mail address in ASCII, at most 254 characters',
  pattern: EMAIL_ADDRESS_PATTERN,
  maxLength: LONGEST_EMAIL_ADDRESS,
  format: 'email',
} as const;

/** What every reader of JSON takes for the same number (RFC 8259 §6). */
const exact = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER } as const;

export const integer = { type: 'integer', description: 'an integer', ...exact } as const;
export const count = { ...integer, description: 'an integer, 0 or more', minimum: 0 } as const;
