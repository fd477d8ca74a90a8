import {
  assertNamesArtifact,
  assertRejected,
  fetchEvidence,
  fetchListedNegatives,
  fetchStandingNegatives,
  rejectedSubjects,
  signWord,
  standingRejectionsIn,
} from '@colophon/evidence/client';
import { createAgentReviewStatement } from '@colophon/records';
import { deadUrl } from '@colophon/testkit';
import { ISSUER, LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import { expect, test } from 'vitest';
import { signingAs, startStore } from './evidence-server.ts';

const COMMIT = 'c'.repeat(40);
const REVIEWER = 'reviewer:dana@example.com';
const SHA256 = 'a'.repeat(64);

function rejection(...digests: Array<Record<string, string>>) {
  const subjects = [...digests, { gitCommit: COMMIT }].map((digest) => ({ name: 'acme/shop', digest }));
  const predicate = {
    human_reviewer: 'dana@example.com',
    review_timestamp: '2026-11-21T09:59:00Z',
    decision: 'rejected',
    commit_sha: COMMIT,
  } as const;
  return createAgentReviewStatement({ subjects, predicate });
}

const never = () => {
  throw new Error('the store took it');
};

test('a rejection is on disk before it is handed in, and stands in the list of its store', async () => {
  const local = new LocalSigstore();
  const server = await startStore(local);
  const kept: Uint8Array[] = [];
  const [signed] = await signWord({ statement: rejection() }, signingAs(local, REVIEWER), {
    store: { server, name: 'rejection' },
    onSigned: (bundle) => kept.push(bundle),
    onUnkept: never,
  });
  expect(kept).toEqual([signed?.bundle]);
  const read = standingRejectionsIn(await fetchStandingNegatives(server), local.trust, ISSUER);
  if (!read.ok) throw new Error(read.found);
  const { rejections } = await fetchListedNegatives(server, read.list);
  expect(rejections).toMatchObject([{ person: 'dana@example.com', commits: [COMMIT] }]);
  const { id } = rejections[0]!;
  expect(rejectedSubjects(await fetchEvidence(server, id), local.trust)).toEqual(rejection().subject);
});

test('a store that did not take it is told with the bundle, and what is thrown then ends the work', async () => {
  const local = new LocalSigstore();
  const server = await deadUrl();
  const keeping = { store: { server, name: 'rejection' }, onSigned: () => {} };
  const unkept: Array<[Uint8Array, unknown]> = [];
  const [signed] = await signWord({ statement: rejection() }, signingAs(local, REVIEWER), {
    ...keeping,
    onUnkept: (...told) => unkept.push(told),
  });
  expect(unkept).toEqual([[signed?.bundle, expect.objectContaining({ code: 'evidence.unreachable' })]]);
  const work = signWord({ statement: rejection() }, signingAs(local, REVIEWER), {
    ...keeping,
    onUnkept: (_, error) => {
      throw error;
    },
  });
  await expect(work).rejects.toMatchObject({ code: 'evidence.unreachable' });
});

test('a list is the store’s own word, and nothing else that is signed', async () => {
  const local = new LocalSigstore();
  const [signed] = await signWord({ statement: rejection() }, signingAs(local, REVIEWER), {
    onSigned: () => {},
    onUnkept: never,
  });
  expect(() => standingRejectionsIn(signed!.bundle, local.trust, ISSUER)).toThrow(
    expect.objectContaining({ code: 'identity.subject_mismatch' }),
  );
});

test('a withdrawal is attached only to what was rejected', () => {
  const refused = expect.objectContaining({ code: 'evidence.no_rejection', kind: 'mismatch' });
  const ofFile = rejection({ sha256: SHA256 }).subject;
  expect(() => assertNamesArtifact('file', rejection().subject, 'id')).toThrow(refused);
  expect(() => assertNamesArtifact('file', ofFile, 'id')).not.toThrow();
  expect(() => assertRejected({ digest: { sha256: 'b'.repeat(64) } }, ofFile, 'id')).toThrow(refused);
  for (const target of [{ digest: { sha256: SHA256 } }, undefined]) {
    expect(() => assertRejected(target, ofFile, 'id')).not.toThrow();
  }
});
