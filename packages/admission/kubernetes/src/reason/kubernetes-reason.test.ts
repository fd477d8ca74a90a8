import { describe, expect, it, test } from 'vitest';
import type { AdmissionRequest } from '../admission-review/admission-request.ts';
import { judgedPart } from '../scope/judged-part.ts';
import {
  KUBERNETES_REASON_CODES,
  malformedReason,
  tooManyImagesReason,
  uncoveredKindReason,
  uncoveredReason,
} from './kubernetes-reason.ts';

const REQUEST: AdmissionRequest = {
  uid: 'u-1',
  kind: { group: '', version: 'v1', kind: 'Pod' },
  resource: { group: '', version: 'v1', resource: 'pods' },
  operation: 'CREATE',
  userInfo: {},
  dryRun: false,
};
const ROLLOUT = {
  kind: { group: 'argoproj.io', version: 'v1alpha1', kind: 'Rollout' },
  resource: { group: 'argoproj.io', version: 'v1alpha1', resource: 'rollouts' },
};

describe('what is not covered has a code and is named', () => {
  it.each<[string, Partial<AdmissionRequest>, string]>([
    ['a connection', { operation: 'CONNECT' }, 'kubernetes.operation_not_covered CONNECT'],
    ['a subresource', { subResource: 'scale' }, 'kubernetes.kind_not_covered v1/Pod/scale'],
    ['a custom resource', ROLLOUT, 'kubernetes.kind_not_covered argoproj.io/v1alpha1/Rollout'],
  ])('%s', (_title, more, expected) => {
    const request = { ...REQUEST, ...more };
    const part = judgedPart(request);
    if (part.outcome !== 'not-covered') throw new Error(part.outcome);
    const { code, found } = uncoveredReason(request, part.reason);
    expect(`${code} ${found}`).toBe(expected);
    expect(KUBERNETES_REASON_CODES).toContain(code);
  });
});

test('an object of another kind is refused with the fields that seem to be images', () => {
  const { code, found } = uncoveredKindReason('argoproj.io/v1alpha1', 'Rollout', ['/spec/a/image', '/spec/b/image']);
  expect(`${code} ${found}`).toBe(
    'kubernetes.kind_not_covered argoproj.io/v1alpha1/Rollout /spec/a/image, /spec/b/image',
  );
});

test('an object with too many images is refused with their number and the limit', () => {
  expect(tooManyImagesReason(50_000)).toEqual({
    code: 'kubernetes.too_many_images',
    message: 'The object has more images than are judged of one object.',
    expected: 'at most 256',
    found: '50000',
  });
});

test('what cannot be read is refused with every place and code, in printable text that ends', () => {
  const part = judgedPart({ ...REQUEST, object: { apiVersion: 'v1', kind: 'Pod', spec: { volumes: 1 } } });
  if (part.outcome !== 'malformed') throw new Error(part.outcome);
  expect(malformedReason('kubernetes.object_malformed', part.issues)).toEqual({
    code: 'kubernetes.object_malformed',
    message: 'The images of the object cannot be found.',
    found: '/spec/containers kubernetes.field_missing; /spec/volumes kubernetes.field_type',
  });
  const issue = { path: '', code: 'json.syntax', message: '' };
  expect(malformedReason('kubernetes.review_malformed', [issue]).found).toBe('(root) json.syntax');
  const long = Array.from({ length: 20 }, () => ({ ...issue, path: `/\u202e${'a'.repeat(500)}` }));
  const { found } = malformedReason('kubernetes.review_malformed', long);
  expect([found.length, found.includes('\u202e')]).toEqual([1024, false]);
});

test('what is malformed says what is expected where that is known', () => {
  const issues = [
    { path: '', code: 'a.b', message: 'A.' },
    { path: '/items', code: 'c.d', message: 'C.' },
  ];
  const reason = {
    code: 'kubernetes.object_malformed',
    message: 'The images of the object cannot be found.',
    found: '(root) a.b; /items c.d',
  };
  expect(malformedReason('kubernetes.object_malformed', issues)).toStrictEqual(reason);
  expect(malformedReason('kubernetes.object_malformed', issues, 'an x')).toStrictEqual({ ...reason, expected: 'an x' });
});
