import type { RejectedSignature, Subject, VerifiedSignature } from '@colophon/records';
import { describe, expect, it } from 'vitest';
import {
  agent,
  attestation,
  BASE,
  CI,
  COSIGN,
  DANA,
  ISSUER,
  identity,
  image,
  imageSignature,
  OTHER_SHA256,
  REVIEW,
  RUN,
  review,
  run,
} from '../../test/image-evidence.ts';
import { parseRequireRules, type RequireRule } from '../policy/policy.ts';
import type { FoundEvidence } from './image-evidence.ts';
import { decideRequiredSigners, findNo } from './required-signers.ts';

const SLSA = 'https://slsa.dev/provenance/v1';
const BY_AGENT = `{ issuer: ${ISSUER}, subject: agent:writer }`;
const BY_CI = `{ issuer: ${CI}, subject: build }`;
const builder = identity('build', { issuer: CI });
const MISSING = 'required_signature_missing';

function rulesOf(...texts: string[]) {
  return texts.flatMap((text) => {
    const parsed = parseRequireRules(text);
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
    return parsed.value;
  });
}

function decide(rules: string[], signatures: VerifiedSignature[], incomplete: RejectedSignature[] = []) {
  return decideRequiredSigners(rulesOf(...rules), { image, signatures, rejected: [], incomplete });
}
const codes = (...line: Parameters<typeof decide>) =>
  decide(...line).findings.map(({ code }) => code.replace('admission.', ''));

describe('signatures of an artifact', () => {
  it('meet the rules, each its own', () => {
    const { required, findings } = decide([BY_CI, BY_AGENT], [imageSignature(), imageSignature(builder)]);
    expect(findings).toEqual([]);
    expect(required.map(({ signatures }) => signatures.map((by) => by.certificate_identity.subject))).toEqual([
      ['build'],
      ['agent:writer'],
    ]);
  });

  const agents = `{ issuer: ${ISSUER}, subjectRegExp: "agent:.*" }`;
  it.each<[string, string[], VerifiedSignature[], string[]]>([
    ['are missing', [BY_CI, BY_AGENT], [imageSignature()], [MISSING]],
    ['are one for two rules', [BY_AGENT, agents], [imageSignature()], [MISSING]],
    ['are two by one signer', [BY_AGENT, agents], [imageSignature(), imageSignature()], [MISSING]],
    ['are two by two', [agents, BY_AGENT], [imageSignature(), imageSignature(agent('agent:fixer'))], []],
    ['are of another artifact', [BY_AGENT], [imageSignature(agent(), OTHER_SHA256)], [MISSING]],
    ['are attestations', [BY_AGENT], [run(RUN)], [MISSING]],
    ['are cosign’s signature as a statement', [BY_AGENT], [attestation(agent(), COSIGN, {})], []],
    [
      'are made with a reviewer’s certificate',
      [`{ issuer: ${ISSUER}, subject: reviewer:dana@example.com }`],
      [imageSignature(identity('reviewer:dana@example.com'))],
      [MISSING],
    ],
  ])('%s', (_title, rules, signatures, expected) => {
    expect(codes(rules, signatures)).toEqual(expected);
  });

  it('are no attestation of a type that is asked for', () => {
    const provenance = `{ issuer: ${CI}, subject: build, predicateType: ${SLSA} }`;
    expect(codes([provenance], [imageSignature(builder)])).toEqual([MISSING]);
    expect(codes([provenance], [attestation(builder, SLSA, {})])).toEqual([]);
    expect(codes([provenance, BY_CI], [attestation(builder, SLSA, {})])).toEqual([MISSING]);
    expect(codes([provenance, BY_CI], [attestation(builder, SLSA, {}), imageSignature(builder)])).toEqual([]);
    expect(
      codes([provenance], [attestation(builder, SLSA, {}, [{ name: 'x', digest: { sha256: OTHER_SHA256 } }])]),
    ).toEqual([MISSING]);
  });

  it('say why what was there does not count', () => {
    const [finding] = decide([BY_AGENT], [run(RUN)]).findings;
    expect(finding).toMatchObject({
      expected: `agent:writer of ${ISSUER}`,
      found: 'an attestation, which is no signature',
    });
  });
});

describe('a required review', () => {
  const BOB = `{ issuer: ${ISSUER}, subject: "reviewer:bob@example.com", predicateType: ${BASE}/agent-review/v1 }`;
  const by = identity('reviewer:bob@example.com');
  const said = { ...REVIEW, human_reviewer: 'bob@example.com' };
  const at = (predicate: object, time: string) => review(predicate, by, undefined, time);
  const approval = (time = '2026-11-21T10:00:00Z') => at(said, time);
  const rejection = (time = '2026-11-21T10:00:00Z') => at({ ...said, decision: 'rejected' }, time);

  it.each<[string, VerifiedSignature[], string[]]>([
    ['approves', [approval()], []],
    ['rejects', [rejection()], ['review_rejected', MISSING]],
    ['approves, and rejects later', [approval(), rejection('2026-11-21T11:00:00Z')], ['review_rejected']],
    ['rejects, and approves later', [rejection(), approval('2026-11-21T11:00:00Z')], []],
    ['names another person', [review(REVIEW, by)], [MISSING]],
    ['is empty', [review({}, by)], [MISSING]],
    ['is by an agent', [review(said, agent('agent:bob'))], [MISSING]],
    ['is beside a stranger’s no', [approval(), review({ ...REVIEW, decision: 'rejected' })], []],
  ])('that %s', (_title, signatures, expected) => {
    expect(codes([BOB], signatures)).toEqual(expected);
  });

  it('may be hidden in what was not read', () => {
    const unread = [{ code: 'image.attachment_too_large', message: 'x' }];
    expect(codes([BOB], [approval()], unread)).toEqual(['evidence_incomplete']);
  });

  it('of an agent’s run has to be whole, and not against it', () => {
    const rule = `{ issuer: ${ISSUER}, subject: agent:writer, predicateType: ${BASE}/agent-run/v1 }`;
    const certified = agent('agent:writer', {
      agent_name: 'writer',
      agent_version: '1',
      model_id: 'm',
      model_provider: 'p',
      commit_sha: RUN.git.commit_sha,
    });
    expect(codes([rule], [run(RUN, certified)])).toEqual([]);
    expect(codes([rule], [run({ ...RUN, model: { id: 'other', provider: 'p' } }, certified)])).toEqual([MISSING]);
    expect(codes([rule], [run({ ...RUN, human_review: { approved: false } }, certified)])).toEqual([
      'run_not_approved',
      MISSING,
    ]);
    expect(codes([rule], [run({}, certified)])).toEqual([MISSING]);
  });
});

describe('a no of whom a rule names', () => {
  const [{ identity: rule }] = rulesOf(`{ issuer: ${ISSUER}, subject: "reviewer:dana@example.com" }`) as [RequireRule];
  const no = (target: Subject[] | undefined, time = '2026-11-21T10:00:00Z', by = DANA) =>
    review({ ...REVIEW, decision: 'rejected' }, identity(by), target, time);
  const found = (signatures: VerifiedSignature[], more: Partial<FoundEvidence> = {}) =>
    findNo(rule, { image, signatures, rejected: [], ...more }).map(({ code }) => code.replace('admission.', ''));

  it('is found in whatever spelling, and nobody else’s is', () => {
    expect(found([no(undefined)])).toEqual(['review_rejected']);
    expect(found([no(undefined, undefined, 'reviewer:Dana@Example.com')])).toEqual(['review_rejected']);
    expect(found([no(undefined, undefined, 'reviewer:eve@example.com')])).toEqual([]);
    expect(found([no([{ digest: { sha256: OTHER_SHA256 } }])])).toEqual([]);
    expect(found([])).toEqual([]);
  });

  it('is ended by a later approval of theirs, of any base, and by no earlier one and no other statement', () => {
    const [earlier, later] = ['2026-11-21T09:30:00Z', '2026-11-21T11:00:00Z'];
    const said = (type: string, time = later) => attestation(identity(DANA), type, REVIEW, undefined, time);
    expect(found([no(undefined), said(`${BASE}/agent-review/v1`)])).toEqual([]);
    expect(found([no(undefined), said('https://other.example/agent-review/v1')])).toEqual([]);
    expect(found([no(undefined), said(`${BASE}/agent-review/v1`, earlier)])).toEqual(['review_rejected']);
    expect(found([no(undefined), said('https://x.example/scan')])).toEqual(['review_rejected']);
    const lenient = identity('reviewer:Dana@example.com');
    expect(found([no(undefined), attestation(lenient, `${BASE}/agent-review/v1`, REVIEW, undefined, later)])).toEqual([
      'review_rejected',
    ]);
  });

  it('is ended by no withdrawal: no policy says who may withdraw', () => {
    const rejection = 'a'.repeat(64);
    const withdrawn = attestation(identity(DANA), `${BASE}/review-withdrawal/v1`, { rejection, reason: 'they left' });
    const rejected = { ...no(undefined), bundle_digest: `sha256:${rejection}` };
    expect(found([rejected, withdrawn])).toEqual(['review_rejected']);
  });

  it('may be hidden in what was not read', () => {
    const unread = [{ code: 'image.attachment_too_large', message: 'x' }];
    expect(found([], { incomplete: unread })).toEqual(['evidence_incomplete']);
  });
});
