import { describe, expect, it } from 'vitest';
import { type AdmissionDecisionRecord, parseAdmissionDecision } from './admission-decision.ts';
import { LONGEST_DECISION_TEXT, MOST_DECIDED_IMAGES } from './admission-decision-schema.ts';

const image: AdmissionDecisionRecord['images'][number] = {
  place: 'spec.containers[web]',
  image: 'ghcr.io/acme/app:v1',
  digest: `sha256:${'a'.repeat(64)}`,
  admitted: false,
  reasons: [{ code: 'admission.review_missing', message: 'No review.', policy: 'production' }],
  warnings: [],
  policies: ['production'],
  agents: [],
  reviewers: [],
  cached: false,
};
const decision: AdmissionDecisionRecord = {
  id: '705ab4f5-6393-11e8-b7cc-42010a800002',
  time: '2026-11-28T10:00:00Z',
  webhook: 'validate',
  operation: 'CREATE',
  object: { kind: 'Pod', namespace: 'shop', name: 'web-', owner: 'ReplicaSet/web-7c9' },
  user: 'system:serviceaccount:kube-system:replicaset-controller',
  mode: 'enforce',
  admitted: false,
  enforced: true,
  images: [image],
};
const exception = { owner: 'oncall@acme.example', reason: 'outage', until: '2026-11-28T18:00:00Z' };
const withImage = (more: object) => ({ ...decision, images: [{ ...image, ...more }] });

describe('parseAdmissionDecision', () => {
  it.each([
    ['everything', withImage({ exception, valid_until: '2026-11-28T10:15:00Z', cached: true })],
    ['what is required alone', { ...decision, user: undefined, object: { kind: 'Pod', namespace: '', name: '' } }],
    ['no image', { ...decision, images: [] }],
    ['an image of blanks', withImage({ image: ' ' })],
    ['two images of one name', { ...decision, images: [image, image] }],
    ['members that are not known', { ...withImage({ pulled: 3 }), cluster: 'blue' }],
  ])('accepts %s', (_what, record) => {
    const written = JSON.parse(JSON.stringify(record));
    expect(parseAdmissionDecision(written)).toStrictEqual({ ok: true, value: written });
  });

  it.each<[string, unknown]>([
    ['', []],
    ['/id', { ...decision, id: ' ' }],
    ['/time', { ...decision, time: '2026-11-28T10:00:00+01:00' }],
    ['/webhook', { ...decision, webhook: 'convert' }],
    ['/operation', { ...decision, operation: 'DELETE' }],
    ['/object/namespace', { ...decision, object: { kind: 'Pod', name: 'web' } }],
    ['/mode', { ...decision, mode: 'off' }],
    ['/admitted', { ...decision, admitted: 'false' }],
    ['/user', { ...decision, user: null }],
    ['/images', { ...decision, images: Array.from({ length: MOST_DECIDED_IMAGES + 1 }, () => image) }],
    ['/images/0/place', withImage({ place: '' })],
    ['/images/0/image', withImage({ image: 'x'.repeat(LONGEST_DECISION_TEXT + 1) })],
    ['/images/0/digest', withImage({ digest: `sha256:${'A'.repeat(64)}` })],
    ['/images/0/reasons/0/code', withImage({ reasons: [{ message: 'No review.' }] })],
    ['/images/0/exception/until', withImage({ exception: { ...exception, until: '2026-02-30T00:00:00Z' } })],
    ['/images/0/cached', withImage({ cached: undefined })],
  ])('refuses what is wrong at %s', (path, record) => {
    const parsed = parseAdmissionDecision(record);
    expect(parsed.ok ? [] : parsed.issues.map((issue) => issue.path)).toEqual([path]);
  });

  it('tells everything that is wrong at once', () => {
    const { id: _, ...without } = decision;
    const parsed = parseAdmissionDecision({
      ...without,
      mode: 'off',
      images: [{ ...image, admitted: 1, reasons: {} }],
    });
    expect(parsed.ok ? [] : parsed.issues.map(({ path, code }) => [path, code])).toEqual([
      ['/id', 'admission_decision.field_missing'],
      ['/mode', 'admission_decision.field_invalid'],
      ['/images/0/admitted', 'admission_decision.field_type'],
      ['/images/0/reasons', 'admission_decision.field_type'],
    ]);
  });
});
