import { describe, expect, it } from 'vitest';
import {
  attestation,
  BASE,
  CI,
  COMMIT,
  codes,
  decide,
  ISSUER,
  identity,
  imageSignature,
  policy,
  REVIEW,
  review,
} from '../../test/image-evidence.ts';

const SLSA = 'https://slsa.dev/provenance/v1';
const builder = (name = 'build') => identity(`https://ci.example/${name}`, { issuer: CI });
const any = `{ issuer: ${CI}, subjectRegExp: "https://ci[.]example/.*" }`;
const one = (name = 'build') => `{ issuer: ${CI}, subject: "https://ci.example/${name}" }`;
const typed = `{ issuer: ${CI}, subject: "https://ci.example/build", predicateType: ${SLSA} }`;
const good = () => [imageSignature(), review()];
const requiring = (...rules: string[]) => ({ policies: [policy(`require: [${rules.join(', ')}]`)] });
const MISSING = 'required_signature_missing';

describe('two rules of require', () => {
  it.each([
    ['are not met by one signature', [any, one()], [imageSignature(builder())], [MISSING]],
    ['nor by two of one signer', [any, one()], [imageSignature(builder()), imageSignature(builder())], [MISSING]],
    [
      'nor by its copy that was logged again',
      [any, any],
      [imageSignature(builder()), imageSignature(builder())],
      [MISSING],
    ],
    ['are met by two signers', [any, one()], [imageSignature(builder()), imageSignature(builder('test'))], []],
    ['in whatever order they stand', [one(), any], [imageSignature(builder()), imageSignature(builder('test'))], []],
    [
      'also where the open one could take the only signer of the other',
      [any, one('test')],
      [imageSignature(builder('test')), imageSignature(builder())],
      [],
    ],
    ['the same twice: by two signers', [any, any], [imageSignature(builder()), imageSignature(builder('test'))], []],
    [
      'for different things may be met by one signer',
      [one(), typed],
      [imageSignature(builder()), attestation(builder(), SLSA, {})],
      [],
    ],
    ['but not by one statement', [one(), typed], [attestation(builder(), SLSA, {})], [MISSING]],
  ])('%s', (_title, rules, more, expected) => {
    expect(codes([...good(), ...more], requiring(...rules))).toEqual(expected);
  });

  it('say which of them is left, and why', () => {
    const { reasons } = decide([...good(), imageSignature(builder())], requiring(one(), any));
    expect(reasons).toMatchObject([
      { expected: `/https://ci[.]example/.*/ of ${CI}`, found: 'its signer meets another rule' },
    ]);
  });

  it('are not met by one person with two certificates', () => {
    const rules = requiring(
      `{ issuer: ${ISSUER}, subject: "reviewer:bob@example.com" }`,
      `{ issuer: ${ISSUER}, subject: "reviews:review.example" }`,
    );
    const bobs = { ...REVIEW, human_reviewer: 'bob@example.com' };
    const by = (subject: string, human_reviewer: string) =>
      review({ ...REVIEW, human_reviewer }, identity(subject, { claims: { human_reviewer, commit_sha: COMMIT } }));
    const bob = review(bobs, identity('reviewer:bob@example.com'));
    expect(codes([...good(), bob, by('reviews:review.example', 'bob@example.com')], rules)).toEqual([MISSING]);
    expect(codes([...good(), bob, by('reviews:review.example', 'carol@example.com')], rules)).toEqual([]);
  });

  it('that ask for reviews are how two people are asked for: the review itself may meet one of them', () => {
    const reviewer = `{ issuer: ${ISSUER}, subjectRegExp: "reviewer:.*", predicateType: ${BASE}/agent-review/v1 }`;
    const bob = review({ ...REVIEW, human_reviewer: 'bob@example.com' }, identity('reviewer:bob@example.com'));
    expect(codes(good(), requiring(reviewer))).toEqual([]);
    expect(codes(good(), requiring(reviewer, reviewer))).toEqual([MISSING]);
    expect(codes([...good(), review()], requiring(reviewer, reviewer))).toEqual([MISSING]);
    expect(codes([...good(), bob], requiring(reviewer, reviewer))).toEqual([]);
  });

  it('name what met each of them', () => {
    const { verdicts } = decide(
      [...good(), imageSignature(builder()), imageSignature(builder('test'))],
      requiring(any, one()),
    );
    expect(
      verdicts[0]!.requirements.map(({ signatures }) => signatures.map((by) => by.certificate_identity.subject)),
    ).toEqual([['https://ci.example/test'], ['https://ci.example/build']]);
  });
});
