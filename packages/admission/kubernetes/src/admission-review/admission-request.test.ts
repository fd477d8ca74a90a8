import { describe, expect, it } from 'vitest';
import { MAX_REVIEW_BYTES, parseAdmissionReview, readAdmissionReview } from './admission-request.ts';
import { REVIEW_ISSUE_CODES } from './review-issue.ts';

const REQUEST = {
  uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
  kind: { group: 'apps', version: 'v1', kind: 'Deployment' },
  resource: { group: 'apps', version: 'v1', resource: 'deployments' },
  operation: 'CREATE',
};
const FULL = {
  ...REQUEST,
  subResource: 'scale',
  name: 'shop',
  namespace: 'default',
  userInfo: { username: 'jane@example.com' },
  object: { kind: 'Scale' },
  oldObject: { spec: {} },
  dryRun: true,
};
const review = (request: unknown) => ({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
function issuesOf(document: unknown): string[] {
  const read = readAdmissionReview(document);
  return read.ok ? [] : read.issues.map(({ path, code }) => `${path} ${code.replace('admission_review.', '')}`);
}

describe('readAdmissionReview', () => {
  it('reads every field', () => {
    expect(readAdmissionReview(review(FULL))).toEqual({ ok: true, value: FULL });
  });

  it('reads the least that the API server sends, with its empty texts and nulls', () => {
    const value = { ...REQUEST, userInfo: {}, dryRun: false };
    expect(readAdmissionReview(review(REQUEST))).toEqual({ ok: true, value });
    const empty = { subResource: '', name: '', namespace: '', userInfo: { username: '' } };
    expect(readAdmissionReview(review({ ...REQUEST, ...empty }))).toEqual({ ok: true, value });
    const nulls = {
      subResource: null,
      name: null,
      namespace: null,
      userInfo: null,
      object: null,
      oldObject: null,
      dryRun: null,
    };
    expect(readAdmissionReview(review({ ...REQUEST, ...nulls }))).toEqual({ ok: true, value });
    expect(readAdmissionReview(review({ ...REQUEST, userInfo: { username: null } }))).toEqual({ ok: true, value });
  });

  it('takes the core group, which has no name', () => {
    const kind = { group: '', version: 'v1', kind: 'Pod' };
    expect(readAdmissionReview(review({ ...REQUEST, kind }))).toMatchObject({ ok: true, value: { kind } });
  });

  it('leaves members alone that it does not know', () => {
    const more = { ...FULL, requestKind: 7, options: [], kind: { ...FULL.kind, more: 1 }, userInfo: { groups: 'x' } };
    expect(readAdmissionReview({ ...review(more), response: 7, more: 1 })).toEqual({
      ok: true,
      value: { ...FULL, userInfo: {} },
    });
  });

  it.each([['a text'], [null], [undefined], [[]], [7]])('refuses %j, which is no object', (document) => {
    expect(issuesOf(document)).toEqual([' not_object']);
  });

  it.each<[string, object, string[]]>([
    ['another version', { apiVersion: 'admission.k8s.io/v1beta1' }, ['/apiVersion version_unsupported']],
    ['another kind', { kind: 'ConversionReview' }, ['/kind version_unsupported']],
    [
      'neither',
      { apiVersion: undefined, kind: undefined },
      ['/apiVersion version_unsupported', '/kind version_unsupported'],
    ],
    ['no request', { request: undefined }, ['/request field_missing']],
    ['a request that is null', { request: null }, ['/request field_missing']],
    ['a request that is a list', { request: [] }, ['/request field_type']],
    ['neither version nor request', { kind: 'x', request: 1 }, ['/kind version_unsupported', '/request field_type']],
  ])('refuses a review with %s', (_title, members, issues) => {
    expect(issuesOf({ ...review(REQUEST), ...members })).toEqual(issues);
  });

  it.each<[string, object, string]>([
    ['no uid', { uid: undefined }, '/uid field_missing'],
    ['a uid that is null', { uid: null }, '/uid field_missing'],
    ['a uid that is a number', { uid: 1 }, '/uid field_type'],
    ['an empty uid', { uid: '' }, '/uid field_empty'],
    ['a long uid', { uid: 'a'.repeat(129) }, '/uid field_too_long'],
    ['a uid with a newline', { uid: 'a\n' }, '/uid field_invalid'],
    ['no kind', { kind: undefined }, '/kind field_missing'],
    ['a kind as a text', { kind: 'Pod' }, '/kind field_type'],
    ['a kind without group', { kind: { version: 'v1', kind: 'Pod' } }, '/kind/group field_missing'],
    ['a kind without version', { kind: { group: '', kind: 'Pod' } }, '/kind/version field_missing'],
    ['a kind with an empty version', { kind: { group: '', version: '', kind: 'Pod' } }, '/kind/version field_empty'],
    ['a kind without name', { kind: { group: '', version: 'v1' } }, '/kind/kind field_missing'],
    ['a group that is a number', { kind: { group: 1, version: 'v1', kind: 'Pod' } }, '/kind/group field_type'],
    ['a long group', { kind: { group: 'a'.repeat(254), version: 'v1', kind: 'Pod' } }, '/kind/group field_too_long'],
    ['a long version', { kind: { group: '', version: 'a'.repeat(254), kind: 'Pod' } }, '/kind/version field_too_long'],
    ['a long kind', { kind: { group: '', version: 'v1', kind: 'a'.repeat(254) } }, '/kind/kind field_too_long'],
    ['no resource', { resource: undefined }, '/resource field_missing'],
    ['a resource without name', { resource: { group: '', version: 'v1' } }, '/resource/resource field_missing'],
    [
      'a long resource',
      { resource: { group: '', version: 'v1', resource: 'a'.repeat(254) } },
      '/resource/resource field_too_long',
    ],
    ['no operation', { operation: undefined }, '/operation field_missing'],
    ['an empty operation', { operation: '' }, '/operation field_empty'],
    ['a long operation', { operation: 'A'.repeat(254) }, '/operation field_too_long'],
    ['an operation that is a list', { operation: ['CREATE'] }, '/operation field_type'],
    ['a subresource that is an object', { subResource: {} }, '/subResource field_type'],
    ['a long subresource', { subResource: 'a'.repeat(254) }, '/subResource field_too_long'],
    ['a name that is false', { name: false }, '/name field_type'],
    ['a long name', { name: 'a'.repeat(254) }, '/name field_too_long'],
    ['a name with an escape', { name: 'a\u001b[2J' }, '/name field_invalid'],
    ['a name with a control character of C1', { name: 'a\u009b' }, '/name field_invalid'],
    ['a name with DEL', { name: '\u007f' }, '/name field_invalid'],
    ['a namespace that is 0', { namespace: 0 }, '/namespace field_type'],
    ['a long namespace', { namespace: 'a'.repeat(254) }, '/namespace field_too_long'],
    ['a user that is a text', { userInfo: 'jane' }, '/userInfo field_type'],
    ['a username that is a list', { userInfo: { username: [] } }, '/userInfo/username field_type'],
    ['a long username', { userInfo: { username: 'a'.repeat(1025) } }, '/userInfo/username field_too_long'],
    ['an object that is a list', { object: [] }, '/object field_type'],
    ['an object that is a text', { object: '{}' }, '/object field_type'],
    ['an old object that is a number', { oldObject: 0 }, '/oldObject field_type'],
    ['a dry run that is a text', { dryRun: 'true' }, '/dryRun field_type'],
  ])('refuses a request with %s', (_title, members, issue) => {
    expect(issuesOf(review({ ...FULL, ...members }))).toEqual([`/request${issue}`]);
  });

  it('takes texts of the longest lengths', () => {
    const name = 'a'.repeat(253);
    const longest = {
      uid: 'a'.repeat(128),
      kind: { group: name, version: name, kind: name },
      resource: { group: name, version: name, resource: name },
      subResource: name,
      name,
      namespace: name,
      operation: name,
      userInfo: { username: 'é'.repeat(1024) },
      dryRun: false,
    };
    expect(readAdmissionReview(review(longest))).toEqual({ ok: true, value: longest });
  });

  it('names every issue at once, says what is expected, and repeats no value', () => {
    const request = { uid: 7, kind: {}, operation: 'secret\n', name: 'x'.repeat(300), object: 1, dryRun: 1 };
    const read = readAdmissionReview({ request });
    expect(read.ok ? [] : read.issues).toEqual(
      [
        ['/apiVersion', 'version_unsupported', 'admission.k8s.io/v1'],
        ['/kind', 'version_unsupported', 'AdmissionReview'],
        ['/request/resource', 'field_missing', 'an object'],
        ['/request/uid', 'field_type', 'a text'],
        ['/request/kind/group', 'field_missing', 'a text'],
        ['/request/kind/version', 'field_missing', 'a text'],
        ['/request/kind/kind', 'field_missing', 'a text'],
        ['/request/name', 'field_too_long', 'at most 253 characters'],
        ['/request/operation', 'field_invalid'],
        ['/request/object', 'field_type', 'an object'],
        ['/request/dryRun', 'field_type', 'true or false'],
      ].map(([path, code, expected]) => ({
        path,
        code: `admission_review.${code}`,
        message: expect.stringMatching(/^The .+\.$/),
        ...(expected && { expected }),
      })),
    );
  });
});

describe('parseAdmissionReview', () => {
  it('reads bytes', () => {
    expect(parseAdmissionReview(bytesOf(review(FULL)))).toEqual({ ok: true, value: FULL });
  });

  it.each([
    ['no JSON', new TextEncoder().encode('{'), 'json.syntax'],
    ['a member twice', new TextEncoder().encode('{"kind":1,"kind":2}'), 'json.duplicate_key'],
    ['a list', bytesOf([]), 'admission_review.not_object'],
  ])('refuses %s', (_title, bytes, code) => {
    expect(parseAdmissionReview(bytes)).toMatchObject({ ok: false, issues: [{ code }] });
  });

  it('takes integers of 64 bits, as in a grace period without end, however many, and nothing else beside them', () => {
    const spec = { containers: [{ name: 'web', image: 'a' }] };
    const long = JSON.stringify(review({ ...FULL, object: { spec } })).replace(
      '"containers":',
      '"terminationGracePeriodSeconds":9223372036854775807,"containers":',
    );
    const bytes = (text: string) => new TextEncoder().encode(text);
    expect(parseAdmissionReview(bytes(long))).toMatchObject({ ok: true, value: { object: { spec } } });
    const twice = long.replace('"image":', '"image":"good","image":');
    expect(parseAdmissionReview(bytes(twice))).toMatchObject({ ok: false, issues: [{ code: 'json.duplicate_key' }] });
    const many = (text: string) => text.replace('"containers":', `"x":[${Array(100).fill('-0')}],"containers":`);
    expect(parseAdmissionReview(bytes(many(long)))).toMatchObject({ ok: true, value: { object: { spec } } });
    expect(parseAdmissionReview(bytes(many(twice))).ok).toBe(false);
  });

  it('takes NUL in texts of the object, and in none of the request itself', () => {
    const object = { metadata: { annotations: { a: '\0' } }, spec: { args: Array(30).fill('\0'), map: { 'a\0': '' } } };
    expect(parseAdmissionReview(bytesOf(review({ ...FULL, object })))).toEqual({
      ok: true,
      value: { ...FULL, object },
    });
    for (const name of ['name', 'namespace', 'subResource', 'operation'])
      expect(parseAdmissionReview(bytesOf(review({ ...FULL, [name]: 'a\0' })))).toMatchObject({
        ok: false,
        uid: FULL.uid,
        issues: [{ path: `/request/${name}`, code: 'admission_review.field_invalid' }],
      });
  });

  it('says to which review an answer can be given, though it is malformed', () => {
    const uidOf = (document: unknown) => {
      const read = parseAdmissionReview(bytesOf(document));
      return read.ok ? 'read' : read.uid;
    };
    expect(uidOf(review({ ...FULL, dryRun: 'no' }))).toBe(FULL.uid);
    expect(uidOf(review({ ...FULL, uid: 7 }))).toBeUndefined();
    expect(uidOf(review({ ...FULL, uid: '\n' }))).toBeUndefined();
    expect(uidOf({ ...review(FULL), apiVersion: 'admission.k8s.io/v1beta1' })).toBeUndefined();
    expect(uidOf(review([]))).toBeUndefined();
  });

  it('says so too of a review that cannot be read to its end, where it begins as the API server writes it', () => {
    const text = JSON.stringify(review(FULL));
    const uidOf = (written: string) => {
      const read = parseAdmissionReview(new TextEncoder().encode(written));
      return read.ok ? 'read' : read.uid;
    };
    expect(text).toContain('"request":{"uid"');
    expect(uidOf(text.slice(0, -1))).toBe(FULL.uid);
    expect(uidOf(text.replace('"Scale"', '"Scale","kind":"Pod"'))).toBe(FULL.uid);
    expect(uidOf(text.replace('"request":{', '"request":{"a":1,').slice(0, -1))).toBeUndefined();
  });

  it('takes a deep object, and no bottomless one', () => {
    const nested = (depth: number): unknown => (depth === 0 ? {} : { a: nested(depth - 1) });
    expect(parseAdmissionReview(bytesOf(review({ ...FULL, object: nested(509) }))).ok).toBe(true);
    const deep = parseAdmissionReview(bytesOf(review({ ...FULL, object: nested(510) })));
    expect(deep).toMatchObject({ ok: false, uid: FULL.uid, issues: [{ code: 'json.too_deep' }] });
  });

  it('takes 40 MiB, or what its caller takes', () => {
    expect(MAX_REVIEW_BYTES).toBe(40 * 1024 * 1024);
    const bytes = bytesOf(review(FULL));
    expect(parseAdmissionReview(bytes, { maxBytes: bytes.length }).ok).toBe(true);
    expect(parseAdmissionReview(bytes, { maxBytes: bytes.length - 1 })).toMatchObject({
      ok: false,
      issues: [{ code: 'json.too_large' }],
    });
    const padded = new Uint8Array(MAX_REVIEW_BYTES + 1).fill(0x20);
    padded.set(bytes);
    expect(parseAdmissionReview(padded.subarray(0, MAX_REVIEW_BYTES)).ok).toBe(true);
    expect(parseAdmissionReview(padded)).toMatchObject({ ok: false, issues: [{ code: 'json.too_large' }] });
  });
});

it('gives every code that is listed', () => {
  const request = { uid: 1, operation: '', name: 'a'.repeat(300), namespace: '\n' };
  const given = [...issuesOf([]), ...issuesOf({ kind: 'x', request })].map((issue) => issue.split(' ')[1]);
  expect(new Set(given)).toEqual(new Set(REVIEW_ISSUE_CODES.map((code) => code.replace('admission_review.', ''))));
});
