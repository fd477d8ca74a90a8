import { describe, expect, it } from 'vitest';
import { createStatement } from './create-statement.ts';
import { parseStatement } from './parse-statement.ts';

const sha256 = 'a'.repeat(64);
const statement = {
  _type: 'https://in-toto.io/Statement/v1',
  subject: [{ name: 'app.tar', digest: { sha256 } }],
  predicateType: 'https://colophon.example/predicates/agent-run/v1',
  predicate: { anything: [1, null] },
};
const parse = (body: unknown, limits?: { maxBytes?: number; maxDepth?: number }) =>
  parseStatement(new TextEncoder().encode(JSON.stringify(body)), limits);
const issuesOf = (body: unknown) => {
  const result = parse(body);
  return result.ok ? [] : result.issues.map(({ path, code }) => `${path} ${code}`);
};
const withDigest = (digest: unknown) => ({ ...statement, subject: [{ name: 'a', digest }] });

describe('parseStatement', () => {
  it('returns the statement as it was signed', () => {
    expect(parse(statement)).toStrictEqual({ ok: true, value: statement });
  });

  it('reads the older version that cosign attest writes, and says so', () => {
    const older = { ...statement, _type: 'https://in-toto.io/Statement/v0.1' };
    expect(parse(older)).toStrictEqual({ ok: true, value: older });
  });

  it('ignores members that it does not know, as in-toto asks', () => {
    const extended = { ...statement, more: 1, subject: [{ ...statement.subject[0], annotations: { a: 1 } }] };
    expect(parse(extended)).toStrictEqual({ ok: true, value: extended });
  });

  it.each([
    ['a commit', { gitCommit: 'b'.repeat(40) }],
    ['a commit of a SHA-256 repository', { gitCommit: 'b'.repeat(64) }],
    ['a tree', { gitTree: 'b'.repeat(40) }],
    ['a blob and a tag', { gitBlob: 'b'.repeat(40), gitTag: 'c'.repeat(64) }],
    [
      'the other hashes',
      { sha512: 'a'.repeat(128), sha384: 'a'.repeat(96), sha224: 'a'.repeat(56), sha1: 'a'.repeat(40) },
    ],
    ['MD5 beside SHA-256', { md5: 'a'.repeat(32), sha256 }],
    ['an algorithm that we do not know', { dirHash: 'h1:abc=' }],
  ])('accepts a subject with %s', (_title, digest) => {
    expect(issuesOf(withDigest(digest))).toEqual([]);
  });

  it.each([
    ['a short SHA-256', { sha256: 'a'.repeat(63) }, 'sha256 statement.field_invalid'],
    ['a SHA-256 in upper case', { sha256: 'A'.repeat(64) }, 'sha256 statement.field_invalid'],
    ['a prefixed SHA-256', { sha256: `sha256:${sha256}` }, 'sha256 statement.field_invalid'],
    ['a long SHA-1', { sha1: 'a'.repeat(41) }, 'sha1 statement.field_invalid'],
    ['a commit of 41 digits', { gitCommit: 'a'.repeat(41) }, 'gitCommit statement.field_invalid'],
    ['an abbreviated tree', { gitTree: 'abc1234' }, 'gitTree statement.field_invalid'],
    ['an empty SHA-256', { sha256: '' }, 'sha256 statement.field_empty'],
    ['a null SHA-256', { sha256: null }, 'sha256 statement.field_null'],
    ['a number', { sha256: 1 }, 'sha256 statement.field_type'],
    ['an unknown algorithm without a value', { dirHash: '' }, 'dirHash statement.field_empty'],
  ])('refuses a subject with %s', (_title, digest, issue) => {
    expect(issuesOf(withDigest(digest))).toEqual([`/subject/0/digest/${issue}`]);
  });

  it.each<[string, unknown, ...string[]]>([
    ['no digest at all', withDigest({}), '/subject/0/digest statement.field_empty'],
    ['a digest as text', withDigest(sha256), '/subject/0/digest statement.field_type'],
    [
      'a subject without digest',
      { ...statement, subject: [{ name: 'a' }] },
      '/subject/0/digest statement.field_missing',
    ],
    [
      'a blank subject name',
      { ...statement, subject: [{ name: ' ', digest: { sha256 } }] },
      '/subject/0/name statement.field_empty',
    ],
    ['no subject', { ...statement, subject: [] }, '/subject statement.field_empty'],
    ['a subject that is no array', { ...statement, subject: {} }, '/subject statement.field_type'],
    ['another type', { ...statement, _type: 'https://in-toto.io/Statement/v2' }, '/_type statement.field_invalid'],
    [
      'a predicate type that is no URI',
      { ...statement, predicateType: 'agent-run' },
      '/predicateType statement.field_invalid',
    ],
    [
      'a predicate type with a space',
      { ...statement, predicateType: 'https://a b' },
      '/predicateType statement.field_invalid',
    ],
    ['an empty predicate type', { ...statement, predicateType: '' }, '/predicateType statement.field_empty'],
    ['a null predicate', { ...statement, predicate: null }, '/predicate statement.field_null'],
    ['a predicate that is text', { ...statement, predicate: '{}' }, '/predicate statement.field_type'],
    ['an array', [statement], ' statement.field_type'],
    [
      'everything missing',
      {},
      '/_type statement.field_missing',
      '/subject statement.field_missing',
      '/predicateType statement.field_missing',
      '/predicate statement.field_missing',
    ],
  ])('refuses %s', (_title, body, ...issues) => {
    expect(issuesOf(body)).toEqual(issues);
  });

  it('reads JSON strictly, within limits that an SBOM fits in', () => {
    const bytes = new TextEncoder().encode('{"_type":1,"_type":2}');
    expect(parseStatement(bytes)).toMatchObject({ issues: [{ code: 'json.duplicate_key' }] });
    const large = { ...statement, predicate: { text: 'x'.repeat(100_000) } };
    expect(parse(large).ok).toBe(true);
    expect(parse(large, { maxBytes: 100_000 })).toMatchObject({ issues: [{ code: 'json.too_large' }] });
    const deep = { ...statement, predicate: JSON.parse(`${'{"a":'.repeat(100)}1${'}'.repeat(100)}`) };
    expect(parse(deep).ok).toBe(true);
    expect(parse(deep, { maxDepth: 50 })).toMatchObject({ issues: [{ code: 'json.too_deep' }] });
    expect(parseStatement(new Uint8Array(16 * 1024 * 1024 + 1))).toMatchObject({
      issues: [{ code: 'json.too_large' }],
    });
  });
});

describe('createStatement', () => {
  const subjects = statement.subject;
  const { predicateType } = statement;

  it('writes version 1', () => {
    expect(createStatement({ subjects, predicateType, predicate: { a: 1 } })).toStrictEqual({
      ...statement,
      predicate: { a: 1 },
    });
  });

  it('throws TypeError for what would not be read back, with paths and codes', () => {
    expect(() => createStatement({ subjects: [], predicateType, predicate: {} })).toThrow(
      new TypeError('/subject: statement.field_empty'),
    );
    const issue = { path: '/git', code: 'agent_run.field_missing', message: '' };
    expect(() => createStatement({ subjects, predicateType: 'x', predicate: {} }, [issue])).toThrow(
      new TypeError('/predicateType: statement.field_invalid; /git: agent_run.field_missing'),
    );
  });
});
