import { describe, expect, it } from 'vitest';
import { refusal } from '../../test/refusal.ts';
import { assertEntryKind, type ContentKind } from './entry-kind.ts';

const OF_MESSAGES = ['hashedrekord/0.0.1', 'hashedrekord/0.0.2'];
const OF_ENVELOPES = ['dsse/0.0.1', 'intoto/0.0.2', 'hashedrekord/0.0.2'];
const STRANGE = [
  '',
  '/',
  'hashedrekord',
  'hashedrekord/0.0.3',
  'dsse/0.0.2',
  'intoto/0.0.1',
  'rpm/0.0.1',
  'constructor',
];

describe.each<[ContentKind, string[], string]>([
  ['message', OF_MESSAGES, 'artifact'],
  ['envelope', OF_ENVELOPES, 'envelope'],
])('a log entry for content of kind %s', (content, kinds, name) => {
  it.each(kinds)('may be a %s', (kind) => {
    expect(() => assertEntryKind(kind, content)).not.toThrow();
  });

  it.each([...OF_MESSAGES, ...OF_ENVELOPES, ...STRANGE].filter((kind) => !kinds.includes(kind)))('is no %s', (kind) => {
    const { code, message, expected, found } = refusal(() => assertEntryKind(kind, content));
    expect({ code, message, expected, found }).toEqual({
      code: 'log_entry.kind_mismatch',
      message: `the log entry was not made for an ${name}`,
      expected: kinds.join(' or '),
      found: kind,
    });
  });
});
