import { describe, expect, it } from 'vitest';
import { parseStatement } from '../statement/parse-statement.ts';
import { type AgentReview, createAgentReviewStatement, parseAgentReview, type ReviewProfile } from './agent-review.ts';
import { MOST_PLATFORMS } from './review-target.ts';
import { readWrittenTarget } from './written-target.ts';

const smallest: AgentReview = { human_reviewer: 'jane@example.com', review_timestamp: '2026-11-21T10:00:00Z' };
const full: AgentReview = {
  ...smallest,
  decision: 'approved',
  repo: 'org/repo',
  commit_sha: 'a'.repeat(40),
  review_duration_seconds: 340,
  comment: '',
};
const IMAGE = { kind: 'image', digest: `sha256:${'1'.repeat(64)}` } as const;
const AMD64 = { digest: `sha256:${'2'.repeat(64)}`, platform: 'linux/amd64' };
const subjects = [{ digest: { gitCommit: 'a'.repeat(40) } }];

const issuesOf = (value: unknown, profile?: ReviewProfile) => {
  const result = parseAgentReview(value, profile);
  return result.ok ? [] : result.issues.map(({ path, code }) => `${path} ${code}`);
};
const both = ['human_reviewer', 'review_timestamp'] as const;

describe('parseAgentReview', () => {
  it.each(['strict', 'spec'] as const)('accepts a whole review in the %s profile', (profile) => {
    expect(parseAgentReview(smallest, profile)).toStrictEqual({ ok: true, value: smallest });
    expect(parseAgentReview(full, profile)).toStrictEqual({ ok: true, value: full });
  });

  describe.each(both)('%s', (field) => {
    it.each(['strict', 'spec'] as const)('must be text with something in it in the %s profile', (profile) => {
      const { [field]: _, ...rest } = full;
      expect(issuesOf(rest, profile)).toEqual([`/${field} agent_review.field_missing`]);
      expect(issuesOf({ ...full, [field]: null }, profile)).toEqual([`/${field} agent_review.field_null`]);
      for (const value of ['', ' ', '\n\t', '\u200b']) {
        expect(issuesOf({ ...full, [field]: value }, profile)).toEqual([`/${field} agent_review.field_empty`]);
      }
      for (const value of [1, true, ['jane'], {}]) {
        expect(issuesOf({ ...full, [field]: value }, profile)).toEqual([`/${field} agent_review.field_type`]);
      }
    });

    it('may say anything in the spec profile, but not in the strict one, which is the default', () => {
      expect(issuesOf({ ...full, [field]: 'Jane, yesterday' }, 'spec')).toEqual([]);
      expect(issuesOf({ ...full, [field]: 'Jane, yesterday' }, 'strict')).toEqual([
        `/${field} agent_review.field_invalid`,
      ]);
      expect(issuesOf({ ...full, [field]: 'Jane, yesterday' })).toEqual([`/${field} agent_review.field_invalid`]);
    });
  });

  it('refuses a day that no calendar has', () => {
    expect(issuesOf({ ...full, review_timestamp: '2026-02-30T10:00:00Z' })).toEqual([
      '/review_timestamp agent_review.field_invalid',
    ]);
  });

  it.each([
    ['decision', 'maybe', 'field_invalid'],
    ['decision', true, 'field_type'],
    ['repo', 'repo', 'field_invalid'],
    ['repo', `${'o'.repeat(128)}/${'r'.repeat(128)}`, 'field_invalid'],
    ['commit_sha', 'abc', 'field_invalid'],
    ['commit_sha', null, 'field_null'],
    ['review_duration_seconds', -1, 'field_invalid'],
    ['review_duration_seconds', 1.5, 'field_type'],
    ['review_duration_seconds', '60', 'field_type'],
    ['comment', 1, 'field_type'],
  ])('refuses %s = %j in both profiles', (field, value, fault) => {
    expect(issuesOf({ ...full, [field]: value }, 'strict')).toEqual([`/${field} agent_review.${fault}`]);
    expect(issuesOf({ ...full, [field]: value }, 'spec')).toEqual([`/${field} agent_review.${fault}`]);
  });

  it.each([
    [{ kind: 'image', digest: `sha256:${'1'.repeat(64)}` }],
    [{ kind: 'file', digest: `sha256:${'1'.repeat(64)}` }],
    [{ kind: 'commit', digest: `gitCommit:${'a'.repeat(40)}` }],
    [{ kind: 'commit', digest: `gitCommit:${'a'.repeat(64)}` }],
  ])('accepts the target %j', (target) => {
    expect(issuesOf({ ...full, target })).toEqual([]);
    expect(issuesOf({ ...full, target }, 'spec')).toEqual([]);
  });

  it.each<[object, string]>([
    [{ target: null }, '/target agent_review.field_null'],
    [{ target: 'image' }, '/target agent_review.field_type'],
    [{ target: { kind: 'image' } }, '/target/digest agent_review.field_missing'],
    [{ target: { kind: 'parcel', digest: IMAGE.digest } }, '/target/kind agent_review.field_invalid'],
    [{ target: { kind: 'image', digest: '1'.repeat(64) } }, '/target/digest agent_review.field_invalid'],
    [{ target: { kind: 'image', digest: IMAGE.digest.toUpperCase() } }, '/target/digest agent_review.field_invalid'],
    [{ target: { kind: 'commit', digest: IMAGE.digest } }, '/target/digest agent_review.field_invalid'],
    [{ target: { kind: 'image', digest: `gitCommit:${'a'.repeat(40)}` } }, '/target/digest agent_review.field_invalid'],
    [{ target: { kind: 'file', digest: `gitCommit:${'a'.repeat(40)}` } }, '/target/digest agent_review.field_invalid'],
    [{ platforms: [] }, '/target agent_review.field_missing'],
    [{ platforms: null }, '/platforms agent_review.field_null'],
    [{ target: { ...IMAGE, kind: 'file' }, platforms: [] }, '/target/kind agent_review.field_invalid'],
    [{ target: IMAGE, platforms: [{ digest: IMAGE.digest }] }, '/platforms/0/platform agent_review.field_missing'],
    [{ target: IMAGE, platforms: [{ ...AMD64, digest: 'x' }] }, '/platforms/0/digest agent_review.field_invalid'],
    [
      { target: IMAGE, platforms: [{ ...AMD64, platform: 'linux' }] },
      '/platforms/0/platform agent_review.field_invalid',
    ],
    [
      { target: IMAGE, platforms: [{ ...AMD64, platform: 'linux/\u001b[2J' }] },
      '/platforms/0/platform agent_review.field_invalid',
    ],
  ])('refuses %j', (about, issue) => {
    expect(issuesOf({ ...full, ...about })).toEqual([issue]);
    expect(readWrittenTarget(about)).toMatchObject({
      issues: [{ source: 'contract §2.4', expected: expect.any(String) }],
    });
  });

  it('reads the target beside whatever else a predicate holds', () => {
    const about = { target: IMAGE, platforms: [AMD64] };
    expect(readWrittenTarget({ decision: 7, ...about })).toEqual(about);
    expect(readWrittenTarget({ target: IMAGE })).toEqual({ target: IMAGE, platforms: [] });
    for (const nothing of [{}, null, undefined, 'x', Object.create({ target: IMAGE })]) {
      expect(readWrittenTarget(nothing)).toBeUndefined();
    }
    const many = Array.from({ length: MOST_PLATFORMS + 1 }, () => AMD64);
    expect(issuesOf({ ...full, target: IMAGE, platforms: many })).toEqual(['/platforms agent_review.field_invalid']);
    expect(issuesOf({ ...full, target: IMAGE, platforms: many.slice(1) })).toEqual([]);
  });

  it('accepts a rejection, which policy has to look at', () => {
    expect(issuesOf({ ...full, decision: 'rejected' })).toEqual([]);
  });

  it.each([[[]], ['text'], [undefined]])('refuses %j, which is no object', (value) => {
    expect(parseAgentReview(value)).toMatchObject({
      issues: [{ path: '', code: 'agent_review.field_type', source: 'contract §2.4' }],
    });
  });
});

describe('createAgentReviewStatement', () => {
  it('writes what the parsers read, its time normalised', () => {
    const predicate = { ...full, review_timestamp: '2026-11-21T10:00:00.000Z' };
    const statement = createAgentReviewStatement({ subjects, predicate });
    expect(statement).toStrictEqual({
      _type: 'https://in-toto.io/Statement/v1',
      subject: subjects,
      predicateType: 'https://colophon.example/predicates/agent-review/v1',
      predicate: full,
    });
    const parsed = parseStatement(new TextEncoder().encode(JSON.stringify(statement)));
    expect(parsed.ok && parseAgentReview(parsed.value.predicate)).toStrictEqual({ ok: true, value: full });
  });

  it('takes another base', () => {
    const statement = createAgentReviewStatement({
      subjects,
      predicate: smallest,
      predicateBase: 'https://a.example/p',
    });
    expect(statement.predicateType).toBe('https://a.example/p/agent-review/v1');
  });

  it('throws TypeError for what would not be read back', () => {
    expect(() => createAgentReviewStatement({ subjects, predicate: { ...full, human_reviewer: 'jane' } })).toThrow(
      new TypeError('/human_reviewer: agent_review.field_invalid'),
    );
    expect(() => createAgentReviewStatement({ subjects: [], predicate: full })).toThrow(
      new TypeError('/subject: statement.field_empty'),
    );
  });
});
