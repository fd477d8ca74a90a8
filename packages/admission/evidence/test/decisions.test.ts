import { type AdmissionDecisionRecord, parseAdmissionDecision } from '@colophon/records';
import { openDatabase } from '@colophon/store';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MOST_DECISIONS } from '../src/decision/decision-lines.ts';
import { createEvidence } from '../src/evidence/evidence.ts';
import { decided, decidedImage, logOf, refusedImage } from './decided.ts';

const MISSING = 'admission.review_missing';
const REJECTED = 'admission.review_rejected';
const OTHER = `sha256:${'b'.repeat(64)}`;

function openEvidence() {
  const db = openDatabase(':memory:');
  onTestFinished(() => db.close());
  const verify = () => Promise.reject(new Error('nothing is verified here'));
  const evidence = createEvidence({ db, verify, clock: { now: () => 1_000 } });
  const ask = (text: string) => {
    const result = evidence.query(text);
    if (!result.ok) throw new Error(JSON.stringify(result.issues));
    return result.value;
  };
  const find = (condition: string) =>
    (ask(`decisions where ${condition}`).rows as readonly AdmissionDecisionRecord[])
      .map(({ id, images: [image] }) => `${id.slice(-2)} ${image?.place ?? ''}`)
      .sort();
  return { db, evidence, ask, find, keep: (...records: unknown[]) => evidence.importDecisions(logOf(records)) };
}

describe('decisions that are kept', () => {
  it('are told as they were sent in, one image a row, each name as the webhook’s own word', async () => {
    const { ask, keep } = openEvidence();
    const exception = { owner: 'oncall@acme.example', reason: 'outage', until: '2026-11-28T18:00:00Z' };
    const images = [
      decidedImage({ exception, valid_until: '2026-11-28T10:15:00Z' }),
      refusedImage([MISSING], { place: 'spec.initContainers[seed]', digest: OTHER }),
    ];
    const record = { ...decided({ images }), cluster: 'blue', basis: { user: { source: 'registry' } } };
    expect(await keep(record)).toEqual({ stored: 1, known: 0 });
    const { rows, set } = ask('decisions');
    const declared = { source: 'declared' };
    const [passing, refused] = images;
    const names = { user: declared, 'images.digest': declared };
    expect(set).toBe('decisions');
    expect(rows).toEqual([
      {
        ...record,
        images: [passing],
        basis: {
          ...names,
          'images.agents': declared,
          'images.reviewers': declared,
          'images.exception.owner': declared,
        },
      },
      { ...record, images: [refused], basis: names },
    ]);
    for (const row of rows) expect(parseAdmissionDecision(row)).toMatchObject({ ok: true });
  });

  it('are kept once for a request and a webhook, and the first one stays', async () => {
    const { ask, keep } = openEvidence();
    const record = decided();
    expect(await keep(record, record)).toEqual({ stored: 1, known: 1 });
    expect(await keep({ ...record, admitted: false })).toEqual({ stored: 0, known: 1 });
    expect(await keep({ ...record, webhook: 'mutate' })).toEqual({ stored: 1, known: 0 });
    expect(ask('decisions').rows).toMatchObject([
      { webhook: 'validate', admitted: true },
      { webhook: 'mutate', admitted: true },
    ]);
  });

  it('are a row where they are about no image, and two where two images have one place', async () => {
    const { ask, keep } = openEvidence();
    await keep(decided({ images: [], admitted: false }), decided({ images: [decidedImage(), decidedImage()] }));
    expect(ask('decisions where admitted = false').rows).toMatchObject([{ images: [] }]);
    expect(ask('decisions where place = "spec.containers[web]"').rows).toHaveLength(2);
  });

  it('are no signed evidence: no other set has anything of them', async () => {
    const { ask, keep } = openEvidence();
    await keep(decided());
    for (const set of ['entries', 'runs', 'reviews', 'review-claims', 'artifacts', 'commits']) {
      expect(ask(set).rows).toEqual([]);
    }
  });

  it('come from an array too', async () => {
    const { ask, evidence } = openEvidence();
    await evidence.importDecisions(Buffer.from(JSON.stringify([decided(), decided()])));
    expect(ask('decisions').rows).toHaveLength(2);
  });
});

describe('decisions that are refused', () => {
  it('leave nothing behind, and every problem has its line', async () => {
    const { ask, keep } = openEvidence();
    const sent = keep(decided(), { ...decided(), mode: 'off' }, 'text', decided({ images: [{} as never] }));
    const error = await sent.catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'evidence.decisions_malformed' });
    expect(error.issues.map(({ line, path }: { line: number; path: string }) => `${line} ${path}`)).toEqual([
      '2 /mode',
      '3 ',
      ...['place', 'image', 'admitted', 'reasons', 'warnings', 'policies', 'agents', 'reviewers', 'cached'].map(
        (name) => `4 /images/0/${name}`,
      ),
    ]);
    expect(ask('decisions').rows).toEqual([]);
  });

  it.each([
    ['no JSON', '{"id": ', [['/id', 1]]],
    ['a member twice', '{"id":"a","id":"b"}', [['/id', 1]]],
    [
      'an array of something else',
      '[7, []]',
      [
        ['/0', undefined],
        ['/1', undefined],
      ],
    ],
  ])('are %s', async (_what, body, issues) => {
    const error = await openEvidence()
      .evidence.importDecisions(Buffer.from(body))
      .catch((thrown) => thrown);
    expect(error.issues.map(({ path, line }: { path: string; line?: number }) => [path, line])).toEqual(issues);
  });

  it('are more than one request takes', async () => {
    const { keep, ask } = openEvidence();
    const records = Array.from({ length: MOST_DECISIONS + 1 }, () => decided());
    await expect(keep(...records)).rejects.toMatchObject({ code: 'evidence.too_large' });
    expect(ask('decisions').rows).toEqual([]);
    await keep(...records.slice(1));
    expect(ask('decisions limit 2000').rows).toHaveLength(MOST_DECISIONS);
  });

  it('buy no answer larger than themselves', async () => {
    const error = await openEvidence()
      .keep(...Array.from({ length: 900 }, () => ({ webhook: 1 })))
      .catch((thrown) => thrown);
    expect(error.issues).toHaveLength(100);
  });
});

describe('questions about decisions', () => {
  async function kept() {
    const store = openEvidence();
    await store.keep(
      decided({ id: '01', images: [refusedImage([MISSING, REJECTED, MISSING], { digest: OTHER, place: 'a' })] }),
      decided({
        id: '02',
        time: '2026-11-28T11:00:00.5Z',
        mode: 'audit',
        enforced: false,
        images: [decidedImage({ place: 'a' }), refusedImage([MISSING], { place: 'b', cached: true })],
      }),
      decided({
        id: '03',
        webhook: 'mutate',
        operation: 'UPDATE',
        object: { kind: 'Deployment', namespace: 'bank', name: 'teller' },
        images: [
          decidedImage({
            place: 'c',
            image: 'registry.acme.example/teller',
            policies: ['production', 'bank'],
            agents: ['agent:fixer'],
            reviewers: [],
            exception: { owner: 'oncall@acme.example', reason: 'outage', until: '2026-11-28T18:00:00Z' },
            valid_until: '2026-11-28T12:00:00Z',
          }),
        ],
        user: 'bob',
      }),
    );
    return store;
  }

  it.each([
    ['id = 01', ['01 a']],
    ['time > 2026-11-28T11:00:00Z', ['02 a', '02 b']],
    ['admitted = false', ['01 a', '02 a', '02 b']],
    ['images.admitted = false', ['01 a', '02 b']],
    ['enforced = false', ['02 a', '02 b']],
    ['mode = audit', ['02 a', '02 b']],
    ['webhook = mutate', ['03 c']],
    ['operation = UPDATE', ['03 c']],
    ['kind = Deployment', ['03 c']],
    ['object.kind != Pod', ['03 c']],
    ['namespace = bank', ['03 c']],
    ['name ~ "tell.*"', ['03 c']],
    ['owner = "ReplicaSet/web-7c9" and time < 2026-11-28T10:30:00Z', ['01 a']],
    ['user = bob', ['03 c']],
    ['image ~ "registry\\\\.acme\\\\.example/.*"', ['03 c']],
    [`digest = ${'B'.repeat(64)}`, ['01 a']],
    ['place in (b, c)', ['02 b', '03 c']],
    [`reason = ${MISSING}`, ['01 a', '02 b']],
    [`reason = ${REJECTED}`, ['01 a']],
    [`reason = ${MISSING} and reason = ${REJECTED}`, ['01 a']],
    [`reason = ${REJECTED} or namespace = bank`, ['01 a', '03 c']],
    [`reason in (${REJECTED}, x)`, ['01 a']],
    ['reason ~ "admission\\\\.review_.*"', ['01 a', '02 b']],
    [`reason = ${MISSING} and digest = ${OTHER}`, ['01 a']],
    [`reason = ${MISSING} and time >= 2026-11-28T11:00:00Z`, ['02 b']],
    [`digest = ${OTHER} and (agent = "agent:code-writer" or reason = ${REJECTED})`, ['01 a']],
    ['policy = bank', ['03 c']],
    ['agent = "agent:fixer"', ['03 c']],
    ['reviewer = "reviewer:alice@example.com"', ['02 a']],
    ['exception.owner = oncall@acme.example', ['03 c']],
    ['exception.until <= 2026-11-29', ['03 c']],
    ['valid_until < 2026-11-29', ['03 c']],
    ['cached = true', ['02 b']],
    ['reason = none', []],
  ])('%s', async (condition, found) => {
    const { find } = await kept();
    expect(find(condition)).toEqual(found);
  });

  it('are answered in the order that they ask for, also where they are found by a reason', async () => {
    const { ask } = await kept();
    for (const condition of [`reason = ${MISSING}`, 'images.admitted = false']) {
      const ids = (text: string) => (ask(text).rows as readonly AdmissionDecisionRecord[]).map(({ id }) => id);
      expect(ids(`decisions where ${condition} order by time desc`)).toEqual(['02', '01']);
      expect(ids(`decisions where ${condition} order by time desc limit 1`)).toEqual(['02']);
      expect(ids(`decisions where ${condition} order by namespace, id asc`)).toEqual(['01', '02']);
    }
  });

  it.each([
    'namespace = shop',
    `digest = ${OTHER}`,
    `reason = ${MISSING}`,
    'policy = production and admitted = false',
    'user = bob and admitted = true and mode = audit',
    'time > 2026-11-28',
  ])('find by an index, newest first without sorting: %s', (condition) => {
    const { evidence } = openEvidence();
    const steps = evidence.explain(`decisions where ${condition} order by time desc`).join('\n');
    expect(steps).toMatch(/^SEARCH (decision|listed) USING (COVERING INDEX|INDEX|PRIMARY KEY)/);
    expect(steps).not.toMatch(/SCAN|TEMP B-TREE|evidence_decision_admitted/);
  });
});
