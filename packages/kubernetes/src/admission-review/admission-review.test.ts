import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { review, simplePod } from '../../test/objects.ts';
import { parseAdmissionReview } from './admission-review.ts';
import { formatReviewAnswer } from './review-answer.ts';

const ASKED = {
  uid: 'u-1',
  kind: { group: '', version: 'v1', kind: 'Pod' },
  resource: { group: '', version: 'v1', resource: 'pods' },
  name: 'web',
  namespace: 'shop',
  operation: 'CREATE',
  userInfo: { username: 'alice', groups: ['system:authenticated'] },
  object: simplePod(),
  oldObject: null,
  dryRun: false,
  options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
};
const read = (asked: object) => {
  const parsed = parseAdmissionReview(review(asked));
  return parsed.ok ? 'read' : parsed.found;
};
const text = (document: unknown) => new TextEncoder().encode(JSON.stringify(document));

describe('a review', () => {
  it('is read, with members that are not known', () => {
    expect(parseAdmissionReview(review(ASKED))).toEqual({
      ok: true,
      value: {
        uid: 'u-1',
        kind: { group: '', version: 'v1', kind: 'Pod' },
        subResource: '',
        name: 'web',
        namespace: 'shop',
        operation: 'CREATE',
        user: 'alice',
        object: simplePod(),
        oldObject: undefined,
        dryRun: false,
      },
    });
  });

  it.each([
    ['uid', { uid: 1 }, 'request.uid'],
    ['uid', { uid: '' }, 'request.uid'],
    ['kind', { kind: 'Pod' }, 'request.kind'],
    ['kind', { kind: { group: '', version: 'v1' } }, 'request.kind'],
    ['kind', { kind: { group: 1, version: 'v1', kind: 'Pod' } }, 'request.kind'],
    ['subResource', { subResource: {} }, 'request.subResource'],
    ['name', { name: ['web'] }, 'request.name'],
    ['namespace', { namespace: true }, 'request.namespace'],
    ['operation', { operation: 'x'.repeat(513) }, 'request.operation'],
    ['dryRun', { dryRun: 'no' }, 'request.dryRun'],
  ])('is none with another %s', (_member, more, found) => {
    expect(read({ ...ASKED, ...more })).toBe(found);
  });

  it('of another version, and other JSON, is none', () => {
    expect(parseAdmissionReview(text({ apiVersion: 'admission.k8s.io/v1beta1', kind: 'AdmissionReview' }))).toEqual({
      ok: false,
      found: 'apiVersion',
    });
    expect(parseAdmissionReview(text({ apiVersion: 'admission.k8s.io/v1', kind: 'Pod' }))).toEqual({
      ok: false,
      found: 'kind',
    });
    expect(parseAdmissionReview(text({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' }))).toEqual({
      ok: false,
      found: 'request',
    });
    expect(parseAdmissionReview(text([]))).toEqual({ ok: false, found: 'no object' });
    expect(parseAdmissionReview(text('x').slice(1)).ok).toBe(false);
  });

  it('with a member twice is none: two readers would take different ones', () => {
    const twice = new TextDecoder().decode(review(ASKED)).replace('"image":', '"image":"good","image":');
    expect(parseAdmissionReview(new TextEncoder().encode(twice)).ok).toBe(false);
  });

  it('may have integers of 64 bits', () => {
    const long = new TextDecoder()
      .decode(review(ASKED))
      .replace('"containers":', '"terminationGracePeriodSeconds":9223372036854775807,"containers":');
    expect(parseAdmissionReview(new TextEncoder().encode(long)).ok).toBe(true);
    const twice = long.replace('"image":', '"image":"good","image":');
    expect(parseAdmissionReview(new TextEncoder().encode(twice)).ok).toBe(false);
  });

  it('is read or refused, whatever it is, and never an exception', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.uint8Array(), (json, bytes) => {
        parseAdmissionReview(new TextEncoder().encode(json));
        parseAdmissionReview(bytes);
        parseAdmissionReview(review(JSON.parse(`{"request":${json}}`)));
        parseAdmissionReview(review({ ...ASKED, object: JSON.parse(json) }));
      }),
    );
  });
});

describe('an answer', () => {
  const answered = (answer: Parameters<typeof formatReviewAnswer>[0]) =>
    JSON.parse(formatReviewAnswer(answer)).response;

  it('allows, with a patch', () => {
    const patch = [{ op: 'replace', path: '/spec', value: 'x' }] as const;
    const { patch: encoded, ...rest } = answered({ uid: 'u', allowed: true, patch });
    expect(rest).toEqual({ uid: 'u', allowed: true, patchType: 'JSONPatch' });
    expect(JSON.parse(atob(encoded))).toEqual(patch);
  });

  it('refuses, with a message and no patch', () => {
    const patch = [{ op: 'replace', path: '/spec', value: 'x' }] as const;
    expect(answered({ uid: 'u', allowed: false, message: 'no review', patch })).toEqual({
      uid: 'u',
      allowed: false,
      status: { code: 403, reason: 'Forbidden', message: 'no review' },
    });
    expect(answered({ uid: 'u', allowed: false }).status.message).toBe('');
  });

  it('warns as much as an API server hands on, in printable text', () => {
    const warnings = Array.from({ length: 100 }, (_, index) => `${index} ${'w'.repeat(300)}`);
    const said = answered({ uid: 'u', allowed: true, warnings: ['a\u202eb', 'a\u202eb', ...warnings] }).warnings;
    expect(said[0]).toBe('a\\u202eb');
    expect(said[1]).toHaveLength(256);
    expect(said.join('').length).toBeLessThanOrEqual(4096);
    expect(said.length).toBeGreaterThan(15);
  });
});
