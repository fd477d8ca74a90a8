import { describe, expect, it } from 'vitest';
import { allowedAnswer, refusedAnswer, unreadableAnswer } from './admission-answer.ts';

const review = (response: object) => ({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response });

describe('allowedAnswer', () => {
  it('is the uid and the word alone', () => {
    expect(allowedAnswer('u-1')).toEqual(review({ uid: 'u-1', allowed: true }));
  });

  it('leaves out what is empty: the API server refuses a patch type without a patch', () => {
    expect(allowedAnswer('u-1', { patch: [], warnings: [] })).toEqual(review({ uid: 'u-1', allowed: true }));
  });

  it('carries a patch in base64, and warnings', () => {
    const patch = [{ op: 'replace', path: '/a', value: 'é' }] as const;
    const { response } = allowedAnswer('u-1', { patch, warnings: ['audit'] });
    expect(response).toEqual({
      uid: 'u-1',
      allowed: true,
      patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
      patchType: 'JSONPatch',
      warnings: ['audit'],
    });
  });
});

describe('refusedAnswer', () => {
  it('is forbidden, with the message', () => {
    expect(refusedAnswer('u-1', ['no review'], { warnings: ['w'] })).toEqual(
      review({
        uid: 'u-1',
        allowed: false,
        status: { code: 403, reason: 'Forbidden', message: 'no review' },
        warnings: ['w'],
      }),
    );
  });

  it('has a line for each, printable, and cuts the message', () => {
    const message = (...lines: string[]) => refusedAnswer('u-1', lines).response.status?.message;
    expect(message('one', 'two\nthree\u001b[2J\r')).toBe('one\ntwo\\u{a}three\\u{1b}[2J\\u{d}');
    expect(message('a'.repeat(4096))).toHaveLength(4096);
    expect(message('a'.repeat(4097))).toBe(`${'a'.repeat(4093)}...`);
    expect(message('a', 'b'.repeat(4095))).toBe(`a\n${'b'.repeat(4091)}...`);
    expect(message()).toBe('');
  });
});

describe('warnings', () => {
  const warningsOf = (warnings: readonly string[]) => allowedAnswer('u-1', { warnings }).response.warnings;

  it('are printable in one line: the API server drops one with a control character', () => {
    expect(warningsOf(['a\nb\u0001'])).toEqual(['a\\u{a}b\\u{1}']);
  });

  it('have at most 256 characters', () => {
    expect(warningsOf(['a'.repeat(256), 'b'.repeat(257)])).toEqual(['a'.repeat(256), `${'b'.repeat(253)}...`]);
  });

  it('are at most eight, each once, and the last says how many are not shown', () => {
    const some = Array.from({ length: 8 }, (_, index) => `warning ${index}`);
    expect(warningsOf(some)).toEqual(some);
    expect(warningsOf([...some, ...some])).toEqual(some);
    expect(warningsOf([...some, 'a', 'b'])).toEqual([...some.slice(0, 7), '3 more warnings']);
  });

  it('never have as many characters together as those that the API server begins to cut at', () => {
    const many = Array.from({ length: 100 }, (_, index) => `${index}`.repeat(300));
    expect((warningsOf(many) ?? []).join('').length).toBeLessThan(4096);
  });
});

describe('unreadableAnswer', () => {
  it('is a Status, as the API server shows it', () => {
    const issues = [
      { path: '', code: 'json.syntax', message: 'The document is not one JSON value.' },
      { path: '/request/uid', code: 'admission_review.field_missing', message: 'The field is required.' },
    ];
    expect(unreadableAnswer(issues)).toEqual({
      apiVersion: 'v1',
      kind: 'Status',
      status: 'Failure',
      code: 400,
      reason: 'BadRequest',
      message:
        'the AdmissionReview cannot be read: the document: The document is not one JSON value. (json.syntax); ' +
        '/request/uid: The field is required. (admission_review.field_missing)',
    });
  });

  it('is printable and of bounded length', () => {
    const { message } = unreadableAnswer(Array(200).fill({ path: '/\u001b\n', code: 'a.b', message: 'No.' }));
    expect(message).toHaveLength(4096);
    expect(message).not.toMatch(/\p{C}/u);
  });
});
