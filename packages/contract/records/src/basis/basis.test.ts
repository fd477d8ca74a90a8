import { describe, expect, test } from 'vitest';
import type { CertificateIdentity } from '../certificate-identity/certificate-identity.ts';
import { CLAIM_SOURCES } from '../claim/claim.ts';
import { SOURCED_CLAIMS } from '../claim/claim-table.ts';
import { agentReviewType, agentRunType } from '../predicate-type/predicate-type.ts';
import type { Statement } from '../statement/statement.ts';
import {
  BASIS_SOURCES,
  basisOf,
  basisOfStated,
  formatBasis,
  isConfirmed,
  isReviewersOwn,
  parseBasis,
} from './basis.ts';
import { fieldBasis } from './field-basis.ts';

const ALICE = 'alice@example.com';
const agent = (sources: CertificateIdentity['sources'] = {}): CertificateIdentity => ({
  issuer: 'https://issuer.example',
  subject: 'agent:code-writer',
  claims: Object.fromEntries(SOURCED_CLAIMS.map((claim) => [claim, claim === 'human_reviewer' ? ALICE : claim])),
  sources,
});
const reviewer = (subject = `reviewer:${ALICE}`): CertificateIdentity => ({
  ...agent(),
  subject,
  sources: { human_reviewer: 'declared' },
});
const statement = (predicateType: string, predicate: unknown): Statement => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject: [],
  predicateType,
  predicate,
});

describe('a claim of a certificate', () => {
  test.each(SOURCED_CLAIMS.flatMap((claim) => CLAIM_SOURCES.map((source) => [claim, source] as const)))(
    '%s from %s',
    (claim, source) => {
      const basis = basisOf(agent({ [claim]: source }), claim);
      expect(basis).toEqual({ source, signer: 'agent:code-writer' });
      // A witness on the agent's own host is the agent's user.
      expect(isConfirmed(basis!)).toBe(source !== 'declared' && source !== 'witness-same-host');
    },
  );

  test('without a source is declared, and what is not there has none', () => {
    expect(basisOf(agent(), 'model_id')).toEqual({ source: 'declared', signer: 'agent:code-writer' });
    for (const model_id of [undefined, '', 'unknown']) {
      expect(
        basisOf({ ...agent(), claims: { ...(model_id !== undefined && { model_id }) } }, 'model_id'),
      ).toBeUndefined();
    }
  });

  test('that names the reviewer who signs is the reviewer’s own', () => {
    expect(basisOf(reviewer(), 'human_reviewer')).toEqual({ source: 'review', signer: `reviewer:${ALICE}` });
    expect(basisOf(reviewer('reviewer:bob@example.com'), 'human_reviewer')?.source).toBe('declared');
    expect(basisOf(reviewer('agent:alice@example.com'), 'human_reviewer')?.source).toBe('declared');
    expect(basisOf(reviewer(), 'commit_sha')?.source).toBe('declared');
    expect(basisOf({ ...reviewer(), claims: { repo: ALICE } }, 'repo')?.source).toBe('declared');
  });
});

test('a stated value is never worth more than what the certificate says of the same value', () => {
  for (const source of CLAIM_SOURCES) {
    const identity = agent({ human_reviewer: source });
    expect(basisOfStated(identity, 'human_reviewer', ALICE).source).toBe(source);
    expect(basisOfStated(identity, 'human_reviewer', 'bob@example.com').source).toBe('declared');
  }
  expect(basisOfStated(undefined, 'human_reviewer', ALICE)).toEqual({ source: 'declared' });
});

test.each([
  ['its reviewer', `reviewer:${ALICE}`, ALICE, true],
  ['a review service', 'reviews:issuer.example', ALICE, true],
  ['another reviewer', 'reviewer:bob@example.com', ALICE, false],
  ['its reviewer in the name of another', `reviewer:${ALICE}`, 'bob@example.com', false],
  ['an agent', 'agent:code-writer', ALICE, false],
  ['an agent that names nobody', 'agent:code-writer', undefined, false],
  ['nobody’s prefix', ALICE, ALICE, false],
  ['its reviewer, who is named by no text', `reviewer:${ALICE}`, undefined, false],
])('a review signed by %s', (_title, subject, human_reviewer, expected) => {
  const review = statement(agentReviewType(), { human_reviewer });
  expect(isReviewersOwn({ ...reviewer(), subject }, review)).toBe(expected);
});

test('a review service that certifies nobody signs nobody’s review', () => {
  const review = statement(agentReviewType(), { human_reviewer: ALICE });
  expect(isReviewersOwn({ ...reviewer('reviews:issuer.example'), claims: {} }, review)).toBe(false);
});

describe('the fields of a signature', () => {
  test('of a run are those of its certificate and its predicate', () => {
    const run = {
      agent: { name: 'agent_name' },
      model: { id: 'another' },
      human_review: { reviewer: ALICE },
      git: null,
    };
    const basis = fieldBasis(
      agent({ agent_name: 'registry', model_id: 'witness-isolated' }),
      statement(agentRunType(), run),
    );
    expect(basis).toMatchObject({
      'claims.agent_name': { source: 'registry' },
      'claims.model_id': { source: 'witness-isolated' },
      'agent.name': { source: 'registry' },
      'model.id': { source: 'declared' },
      'human_review.reviewer': { source: 'declared' },
    });
    expect(Object.keys(basis)).not.toContain('git.commit_sha');
  });

  test('of a review are its reviewer’s own, and of anybody else’s declared', () => {
    const review = statement(agentReviewType('https://acme.example/p'), { human_reviewer: ALICE, commit_sha: 'c' });
    expect(fieldBasis(reviewer(), review)).toMatchObject({
      human_reviewer: { source: 'review', signer: `reviewer:${ALICE}` },
      commit_sha: { source: 'review' },
    });
    expect(fieldBasis(agent(), review)).toMatchObject({
      human_reviewer: { source: 'declared', signer: 'agent:code-writer' },
      commit_sha: { source: 'declared' },
    });
    expect(fieldBasis(undefined, review)).toEqual({
      human_reviewer: { source: 'declared' },
      commit_sha: { source: 'declared' },
    });
  });

  test.each([null, 7, 'text', [], { agent: 'x', human_review: [] }])('of a predicate %j are none', (predicate) => {
    expect(fieldBasis(undefined, statement(agentRunType(), predicate))).toEqual({});
    expect(fieldBasis(undefined, statement('https://slsa.dev/provenance/v1', predicate))).toEqual({});
  });
});

describe('as text', () => {
  test.each(BASIS_SOURCES)('%s is read as it was written', (source) => {
    for (const signer of ['agent:x', 'a, signed by b', ' ']) {
      expect(parseBasis(formatBasis({ source, signer }))).toEqual({ source, signer });
    }
    expect(parseBasis(formatBasis({ source }))).toEqual({ source });
  });

  test('is what a person reads, and nothing else is one', () => {
    expect(formatBasis({ source: 'declared', signer: 'agent:x' })).toBe('declared, signed by agent:x');
    for (const text of ['', 'verified', 'declared, signed by ', 'Log', 'x, signed by agent:x', 'declared ']) {
      expect(parseBasis(text)).toBeUndefined();
    }
  });
});
