import { agentReviewType, agentRunType, type CertificateIdentity, type VerifiedSignature } from '@colophon/records';
import { describe, expect, test } from 'vitest';
import { disagreementsIn } from './disagreements.ts';

const ISSUER = 'https://issuer.example';
const COMMIT = 'a'.repeat(40);
const OTHER_COMMIT = 'b'.repeat(40);
const ALICE = 'alice@example.com';
type Sources = CertificateIdentity['sources'];

let index = 0;
const signed = (
  by: Partial<CertificateIdentity>,
  [predicateType, predicate]: readonly [string?, unknown?] = [],
  integrated_at = '2026-11-25T10:00:00Z',
): VerifiedSignature => ({
  certificate_identity: { issuer: ISSUER, subject: 'agent:writer', claims: {}, sources: {}, ...by },
  log_entry: { log_index: index++, log_id: 'c', integrated_at },
  ...(predicateType === undefined
    ? {}
    : { statement: { _type: 'https://in-toto.io/Statement/v1', subject: [], predicateType, predicate } }),
});
const turn = (jti: string | undefined, claims: CertificateIdentity['claims'], sources: Sources = {}) =>
  signed({ ...(jti === undefined ? {} : { jti }), claims: { commit_sha: COMMIT, ...claims }, sources });
const run = (predicate: object, by: Partial<CertificateIdentity> = {}) =>
  signed(by, [agentRunType(), { agent: { name: 'writer' }, ...predicate }]);
const review = (predicate: object, at?: string, subject = `reviewer:${ALICE}`) =>
  signed(
    { subject, claims: { human_reviewer: ALICE } },
    [agentReviewType(), { human_reviewer: ALICE, ...predicate }],
    at,
  );

const told = (...signatures: VerifiedSignature[]) => {
  const { contradictions, differences } = disagreementsIn(signatures);
  const words = (all: typeof contradictions) =>
    all.map(({ field, between, said }) => `${field} ${between}: ${said.map(({ value }) => value).join(', ')}`);
  return { contradictions: words(contradictions), differences: words(differences) };
};
const NOTHING = { contradictions: [], differences: [] };

describe('of one token', () => {
  test('two values of a claim are a contradiction, and told once', () => {
    expect(told(turn('1', { model_id: 'm' }), turn('1', { model_id: 'n' }), turn('1', { model_id: 'm' }))).toEqual({
      contradictions: ['model_id one-token: m, n'],
      differences: [],
    });
  });

  test('two commits are one', () => {
    expect(told(turn('1', {}), turn('1', { commit_sha: OTHER_COMMIT })).contradictions).toEqual([
      `commit_sha one-token: ${COMMIT}, ${OTHER_COMMIT}`,
    ]);
  });

  test('two spellings of a value are one value', () => {
    expect(told(turn('1', {}), turn('1', { commit_sha: COMMIT.toUpperCase() }))).toEqual(NOTHING);
  });

  test('a run and its certificate are held against each other, once', () => {
    expect(told(run({ model: { id: 'n' } }, { jti: '1', claims: { model_id: 'm' } }))).toEqual({
      contradictions: ['model.id run-and-certificate: n, m'],
      differences: [],
    });
    expect(told(run({ model: { id: 'n' } }, { claims: { model_id: 'm' } })).contradictions).toHaveLength(1);
    expect(told(run({ agent: { name: 'writer' } }, { subject: 'builder' })).contradictions).toEqual([
      'agent.name run-and-certificate: writer, no agent',
    ]);
  });

  test('two runs are, also where the certificate is silent', () => {
    const one = run({ model: { id: 'm' } }, { jti: '1' });
    expect(told(one, run({ model: { id: 'n' } }, { jti: '1' })).contradictions).toEqual(['model_id one-token: m, n']);
    expect(told(one, run({ model: { id: 'n' } }, { jti: '2' })).contradictions).toEqual([]);
  });

  test('a review and its certificate are, but for the time', () => {
    const by = { jti: '1', subject: `reviewer:${ALICE}`, claims: { human_reviewer: ALICE, commit_sha: COMMIT } };
    const of = (predicate: object) => signed(by, [agentReviewType(), { human_reviewer: ALICE, ...predicate }]);
    expect(told(of({ commit_sha: OTHER_COMMIT })).contradictions).toEqual([
      `commit_sha one-token: ${COMMIT}, ${OTHER_COMMIT}`,
    ]);
    expect(
      told(of({ review_timestamp: '2026-11-25T10:00:00Z' }), of({ review_timestamp: '2026-11-25T11:00:00Z' })),
    ).toEqual(NOTHING);
  });

  test('the issuer is part of it, and no token is none', () => {
    const other = { ...turn('1', { repo: 'x/y' }) };
    const elsewhere = {
      ...other,
      certificate_identity: { ...other.certificate_identity, issuer: 'https://b.example' },
    };
    expect(told(turn('1', { repo: 'a/b' }), elsewhere).contradictions).toEqual([]);
    for (const jti of [undefined, '']) {
      expect(told(turn(jti, { repo: 'a/b' }), turn(jti, { repo: 'x/y' })).contradictions).toEqual([]);
    }
  });

  test('a bare key certifies nothing that its run could deny', () => {
    expect(told(run({ model: { id: 'm' } }, { subject: 'key', issuer: '', key: 'k' }))).toEqual(NOTHING);
  });
});

describe('confirmed sources', () => {
  const byRegistry = { model_id: 'registry', repo: 'caller-token', commit_sha: 'caller-token' } as const;
  const byWitness = { model_id: 'witness-isolated', repo: 'review-event', commit_sha: 'review-event' } as const;
  const one = (claims: CertificateIdentity['claims'], sources: Sources, jti = '1') => turn(jti, claims, sources);

  test('that say two models of one agent and commit contradict each other', () => {
    expect(told(one({ model_id: 'm' }, byRegistry), one({ model_id: 'n' }, byWitness, '2'))).toEqual({
      contradictions: ['model_id confirmed-sources: m, n'],
      differences: [],
    });
  });

  test('that say two repositories do, also by two agents', () => {
    const other = one({ repo: 'x/y' }, byWitness, '2');
    const fixer = { ...other, certificate_identity: { ...other.certificate_identity, subject: 'agent:fixer' } };
    expect(told(one({ repo: 'a/b' }, byRegistry), fixer).contradictions).toEqual(['repo confirmed-sources: a/b, x/y']);
  });

  test.each<[string, VerifiedSignature]>([
    ['the same source', one({ model_id: 'n' }, byRegistry, '2')],
    ['nobody who confirms it', one({ model_id: 'n' }, {}, '2')],
    ['a witness on the agent’s own host', one({ model_id: 'n' }, { model_id: 'witness-same-host' }, '2')],
    ['another commit', one({ model_id: 'n', commit_sha: OTHER_COMMIT }, byWitness, '2')],
  ])('a model by %s is a difference', (_title, other) => {
    const { contradictions, differences } = told(one({ model_id: 'm' }, byRegistry), other);
    expect(contradictions).toEqual([]);
    expect(differences).toContain('model_id documents: m, n');
  });

  test('other agents and other commits contradict nothing', () => {
    const other = one({ model_id: 'n' }, byWitness, '2');
    const fixer = { ...other, certificate_identity: { ...other.certificate_identity, subject: 'agent:fixer' } };
    expect(told(one({ model_id: 'm' }, byRegistry), fixer)).toEqual(NOTHING);
    const later = one({ commit_sha: OTHER_COMMIT }, byWitness, '2');
    expect(told(one({}, byRegistry), later)).toEqual({
      contradictions: [],
      differences: [`commit_sha documents: ${COMMIT}, ${OTHER_COMMIT}`],
    });
  });
});

describe('what a run says of a review', () => {
  const stated = (human_review: object, sources: Sources = {}) =>
    run({ human_review: { reviewer: ALICE, ...human_review } }, { claims: { human_reviewer: ALICE }, sources });
  const rejected = { decision: 'rejected' };
  const confirmed = { human_reviewer: 'review-event' } as const;

  test('is a contradiction where somebody confirms it and its reviewer last said otherwise', () => {
    expect(told(stated({ approved: true }, confirmed), review(rejected)).contradictions).toEqual([
      'decision confirmed-sources: approved, rejected',
    ]);
    expect(told(stated({ approved: false }, confirmed), review({ decision: 'approved' })).contradictions).toEqual([
      'decision confirmed-sources: not approved, approved',
    ]);
    const changed = [
      review({ decision: 'approved' }, '2026-11-25T12:00:00Z'),
      review(rejected, '2026-11-25T11:00:00Z'),
    ];
    expect(told(stated({ approved: true }, confirmed), ...changed)).toEqual(NOTHING);
    expect(told(stated({ approved: true }, confirmed), ...changed.toReversed())).toEqual(NOTHING);
  });

  test('is a difference where only the agent says it', () => {
    expect(told(stated({ approved: true }), review(rejected))).toEqual({
      contradictions: [],
      differences: ['decision documents: approved, rejected'],
    });
  });

  test('is held against no review by another, by an agent, or without a decision', () => {
    const run = stated({ approved: true, review_duration_seconds: 12 }, confirmed);
    expect(told(run, review({ ...rejected, human_reviewer: 'bob@example.com' }))).toEqual(NOTHING);
    expect(told(run, review({ ...rejected, review_duration_seconds: 13 }, undefined, 'agent:other'))).toEqual(NOTHING);
    expect(told(run, review({}))).toEqual(NOTHING);
    expect(told(stated({ approved: 'yes' }, confirmed), review(rejected))).toEqual(NOTHING);
  });

  test('differs in its duration alone', () => {
    const run = stated({ approved: true, review_duration_seconds: 12 }, confirmed);
    const of = (seconds: unknown) => review({ decision: 'approved', review_duration_seconds: seconds });
    expect(told(run, of(13))).toEqual({
      contradictions: [],
      differences: ['review_duration_seconds documents: 12 s, 13 s'],
    });
    expect(told(run, of(12))).toEqual(NOTHING);
    expect(told(run, of('13'))).toEqual(NOTHING);
  });
});

test('what a certificate leaves open contradicts nothing', () => {
  for (const open of ['', 'unknown']) {
    expect(told(turn('1', { model_id: 'm' }), turn('1', { model_id: open }))).toEqual(NOTHING);
  }
});

test('two turns of one agent and a review of another commit differ', () => {
  const other = review({ decision: 'approved', commit_sha: OTHER_COMMIT });
  expect(
    told(turn('1', { prompt_hash: 'p', model_id: 'm' }), turn('2', { prompt_hash: 'q', model_id: 'm' }), other),
  ).toEqual({
    contradictions: [],
    differences: [`commit_sha documents: ${COMMIT}, ${OTHER_COMMIT}`, 'prompt_hash documents: p, q'],
  });
});

test('each value says whose it is', () => {
  const [one, other] = [turn('1', { repo: 'a/b' }), turn('1', { repo: 'x/y' })];
  expect(disagreementsIn([one, other]).contradictions[0]?.said).toEqual([
    { value: 'a/b', by: 'signature of agent:writer', log_index: one.log_entry.log_index },
    { value: 'x/y', by: 'signature of agent:writer', log_index: other.log_entry.log_index },
  ]);
  expect(
    disagreementsIn([run({ model: { id: 'n' } }, { claims: { model_id: 'm' } })]).contradictions[0]?.said,
  ).toMatchObject([{ by: 'agent-run' }, { by: 'certificate of agent:writer' }]);
});

describe('a difference that a contradiction tells already is not told again', () => {
  test('and one with a further value is', () => {
    const turns = [turn('1', { model_id: 'm' }), turn('1', { model_id: 'n' })];
    expect(told(...turns, turn('2', { model_id: 'n' })).differences).toEqual([]);
    expect(told(...turns, turn('2', { model_id: 'o' }))).toEqual({
      contradictions: ['model_id one-token: m, n'],
      differences: ['model_id documents: m, n, o'],
    });
  });

  test('whatever the run calls it', () => {
    const denied = run({ model: { id: 'n' } }, { claims: { model_id: 'm' } });
    expect(told(denied, turn('2', { model_id: 'n' }))).toEqual({
      contradictions: ['model.id run-and-certificate: n, m'],
      differences: [],
    });
  });

  test('and the same values of another claim are', () => {
    const turns = [turn('1', { agent_version: 'x' }), turn('1', { agent_version: 'y' })];
    const others = [turn('2', { model_id: 'x' }), turn('3', { model_id: 'y' })];
    expect(told(...turns, ...others)).toEqual({
      contradictions: ['agent_version one-token: x, y'],
      differences: ['model_id documents: x, y'],
    });
  });
});

describe('what is no run, no review, or no agent’s', () => {
  const scan = 'https://x.example/scan';

  test('says nothing of a model or of a review in its predicate', () => {
    const by = { jti: '1' };
    const stated = (id: string) => signed(by, [scan, { model: { id }, model_id: id }]);
    expect(told(stated('m'), stated('n'), turn('2', { model_id: 'o' }))).toEqual(NOTHING);
    const human_review = { reviewer: ALICE, approved: true, review_duration_seconds: 12 };
    const no = review({ decision: 'rejected', review_duration_seconds: 13 });
    for (const type of [scan, agentReviewType()]) {
      expect(told(signed({}, [type, { human_review }]), no)).toEqual(NOTHING);
    }
    expect(told(run({ human_review }), no).differences).toHaveLength(2);
    const alice = { subject: `reviewer:${ALICE}`, claims: { human_reviewer: ALICE } };
    expect(told(run({ human_review }), signed(alice, [scan, { human_reviewer: ALICE, decision: 'rejected' }]))).toEqual(
      NOTHING,
    );
  });

  test('has models of its own, confirmed or not', () => {
    const build = (model_id: string, source: 'registry' | 'witness-isolated', jti: string) =>
      signed({ subject: 'build', jti, claims: { model_id }, sources: { model_id: source } });
    expect(told(build('m', 'registry', '1'), build('n', 'witness-isolated', '2'))).toEqual(NOTHING);
  });
});

test('what is no text, and what is no object, says nothing', () => {
  const by = { jti: '1', subject: `reviewer:${ALICE}`, claims: { human_reviewer: ALICE, commit_sha: COMMIT } };
  for (const predicate of [{ commit_sha: 5 }, { commit_sha: null }, null, [COMMIT], 'x']) {
    expect(told(signed(by, [agentReviewType(), predicate]))).toEqual(NOTHING);
  }
  for (const predicate of [{ model: { id: 5 } }, { model: null }, { model: ['m'] }, null]) {
    expect(told(signed({ jti: '1', claims: { model_id: 'm' } }, [agentRunType(), predicate]))).toEqual(NOTHING);
  }
});

test('a bare key is held against the subjects of its own run', () => {
  const statement = run({ git: { commit_sha: COMMIT } }, { subject: 'key', issuer: '', key: 'k' });
  const subject = [{ digest: { gitCommit: OTHER_COMMIT } }];
  expect(told({ ...statement, statement: { ...statement.statement!, subject } }).contradictions).toEqual([
    `subject.0.digest.gitCommit run-and-certificate: ${OTHER_COMMIT}, ${COMMIT}`,
  ]);
});

describe('values by several confirmed sources', () => {
  const of = (jti: string | undefined, model_id: string, source: 'registry' | 'witness-isolated') =>
    turn(jti, { model_id }, { model_id: source });

  test('in one token are told once, by the token', () => {
    expect(told(of('1', 'm', 'registry'), of('1', 'n', 'witness-isolated')).contradictions).toEqual([
      'model_id one-token: m, n',
    ]);
  });

  test('without a token contradict each other', () => {
    expect(told(of(undefined, 'm', 'registry'), of(undefined, 'n', 'witness-isolated')).contradictions).toEqual([
      'model_id confirmed-sources: m, n',
    ]);
  });
});

describe('a run beside the reviews of other people', () => {
  const BOB = 'bob@example.com';
  const bobs = signed({ subject: `reviewer:${BOB}`, claims: { human_reviewer: BOB } }, [
    agentReviewType(),
    { human_reviewer: BOB, decision: 'rejected', review_duration_seconds: 13 },
  ]);
  const nameless = signed({ subject: `reviewer:${BOB}`, claims: {} }, [agentReviewType(), { decision: 'rejected' }]);

  test('is not held against them', () => {
    const stated = { approved: true, review_duration_seconds: 12 };
    expect(told(run({ human_review: { ...stated, reviewer: ALICE } }), bobs)).toEqual(NOTHING);
    expect(told(run({ human_review: stated }), bobs, nameless)).toEqual(NOTHING);
  });

  test('without a duration, or they without one, differs in none', () => {
    const stated = { reviewer: ALICE, approved: true };
    const timed = review({ decision: 'approved', review_duration_seconds: 13 });
    expect(told(run({ human_review: stated }), timed)).toEqual(NOTHING);
    const of = run({ human_review: { ...stated, review_duration_seconds: 12 } });
    expect(told(of, review({ decision: 'approved' }))).toEqual(NOTHING);
  });

  test('is held against the newest of two at one time by the log', () => {
    const stated = run({ human_review: { reviewer: ALICE, approved: true } });
    const [yes, no] = [review({ decision: 'approved' }), review({ decision: 'rejected' })];
    expect(told(stated, yes, no).differences).toEqual(['decision documents: approved, rejected']);
    expect(told(stated, no, yes).differences).toEqual(['decision documents: approved, rejected']);
  });
});

test('each value says by what it is said, and under which root', () => {
  const said = (...signatures: VerifiedSignature[]) => {
    const { contradictions, differences } = disagreementsIn(signatures);
    return [...contradictions, ...differences].map(({ said }) => said.map(({ by, log_index }) => [by, log_index]));
  };
  const at = ({ log_entry }: VerifiedSignature) => log_entry.log_index;
  const stated = run(
    { human_review: { reviewer: ALICE, approved: true } },
    { jti: '1', root: 'b', claims: { repo: 'a/b' } },
  );
  const no = review({ decision: 'rejected' });
  expect(said(stated, no)).toEqual([
    [
      ['agent-run of agent:writer (root b)', at(stated)],
      [`review of reviewer:${ALICE}`, at(no)],
    ],
  ]);
  const other = signed({ jti: '1', subject: `reviewer:${ALICE}`, claims: { human_reviewer: ALICE, repo: 'x/y' } }, [
    agentReviewType(),
    { human_reviewer: ALICE },
  ]);
  expect(said(stated, other)).toEqual([
    [
      ['agent-run of agent:writer (root b)', at(stated)],
      [`review of reviewer:${ALICE}`, at(other)],
    ],
  ]);
});
