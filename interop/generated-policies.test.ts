import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DECIDERS, type Decider, SPEC_VERDICTS, VERDICTS, type Verdict } from './admission-verdicts.ts';
import { type Installation, startColophon } from './colophon-up.ts';
import { isMissing, run } from './programs.ts';
import { GOOD_REVIEW } from './review-predicates.ts';
import { ReviewedImages } from './reviewed-images.ts';

/** policy-controller's own program that asks about one image. */
const TESTER = 'tester';
const isFull = process.env['FULL_RUN'] === 'true';
const hasController = isFull && !isMissing(TESTER);

describe.skipIf(isMissing('cosign', 'crane', 'curl'))('policies that were generated', () => {
  let up: Installation;
  let images: ReviewedImages;
  let made = 0;

  beforeAll(async () => {
    up = await startColophon();
    images = new ReviewedImages(up);
  });
  afterAll(() => up?.stop());

  const approvedAgents = () => `agent: { issuer: "${up.issuer}", subjectRegExp: "agent:code-(writer|fixer)" }`;

  /** Writes a policy and what is generated from it; answers with how each program decides. */
  async function generated(name: string, more: string, maker = approvedAgents()) {
    const policy = join(up.folder, `${name}.yaml`);
    writeFileSync(
      policy,
      `version: 1
images: ["${up.registry}/webshop*"]
${maker}
${more}`,
    );
    const gaps: Record<string, readonly { key: string; effect: string }[]> = {};
    for (const to of ['cosign', 'policy-controller']) {
      const out = join(up.folder, name, to);
      const line = ['admission', 'generate', '--policy', policy, '--to', to, '--out', out, '--output', 'json'];
      const { code, stdout, stderr } = await up.colophon(line);
      expect(code, stderr).toBe(0);
      gaps[to] = JSON.parse(stdout).not_expressible;
    }
    const deciders: Record<Decider, (image: string) => Promise<{ readonly code: number; readonly said: string }>> = {
      'colophon admit': (image) => said(up.colophon(['admit', image, '--policy', policy])),
      cosign: (image) => said(run('sh', [join(up.folder, name, 'cosign', 'verify.sh'), image], { env: up.env })),
      'policy-controller': (image) => {
        const file = (one: string) => join(up.folder, name, 'policy-controller', one);
        const line = ['-policy', file('cluster-image-policy.yaml'), '-trustroot', file('trust-root.yaml')];
        return said(run(TESTER, [...line, '-image', image], { env: up.env }));
      },
    };
    return { gaps, deciders };
  }

  async function said(outcome: ReturnType<typeof run>) {
    const { code, stdout, stderr } = await outcome;
    return { code, said: `${stdout}\n${stderr}` };
  }

  const DECIDERS_HERE: readonly Decider[] = [
    'colophon admit',
    'cosign',
    ...(hasController ? ['policy-controller' as const] : []),
  ];

  describe.each([
    ['a policy with two authorities', 'strict', '', VERDICTS],
    ['a policy by the letter of the contract', 'spec', 'profile: spec\n', SPEC_VERDICTS],
  ] as const)('%s', (_title, name, more, verdicts) => {
    let policy: Awaited<ReturnType<typeof generated>>;
    beforeAll(async () => {
      policy = await generated(name, more);
    });

    const here = verdicts.filter(({ isBasic }) => isFull || isBasic);
    test.each(here.map((verdict) => [verdict.image, verdict] as const))('an image: %s', async (_image, verdict) => {
      const image = await verdict.make(images);
      const answers = await Promise.all(
        DECIDERS_HERE.map(async (decider) => [decider, await policy.deciders[decider](image)] as const),
      );
      const shown = answers.map(([decider, { said }]) => `${decider}: ${said}`).join('\n');
      const admitted = answers.filter(([, { code }]) => code === 0).map(([decider]) => decider);
      expect(admitted, shown).toEqual(verdict.admitted.filter((one) => DECIDERS_HERE.includes(one)));
      expectListed(verdict, policy.gaps);
    });
  });

  /** Where another program decides otherwise, the list says so, and in which direction. */
  function expectListed({ admitted, gaps = {} }: Verdict, listed: Awaited<ReturnType<typeof generated>>['gaps']): void {
    for (const decider of ['cosign', 'policy-controller'] as const) {
      const isSame = admitted.includes(decider) === admitted.includes('colophon admit');
      expect(gaps[decider] === undefined, `${decider} differs, and which gap that is has to be said`).toBe(isSame);
      const effect = admitted.includes(decider) ? 'admits' : 'refuses';
      if (!isSame) expect(listed[decider]).toContainEqual(expect.objectContaining({ key: gaps[decider], effect }));
    }
  }

  /** What each program says of each of some images. */
  async function expectVerdicts(
    { gaps, deciders }: Awaited<ReturnType<typeof generated>>,
    verdicts: ReadonlyArray<Verdict>,
  ): Promise<void> {
    for (const verdict of verdicts) {
      const image = await verdict.make(images);
      for (const decider of DECIDERS_HERE) {
        const { code, said } = await deciders[decider](image);
        expect(code === 0, `${verdict.image}, ${decider}: ${said}`).toBe(verdict.admitted.includes(decider));
      }
      expectListed(verdict, gaps);
    }
  }

  if (isFull) describe('in the long run', longStories);

  function longStories() {
    test('the shortest review that counts is asked for', async () => {
      const { deciders } = await generated('duration', 'review: { minDurationSeconds: 60 }\n');
      for (const [seconds, admits] of [
        [undefined, false],
        [59, false],
        [60, true],
      ] as const) {
        const image = await images.signed();
        await images.attest(image, { ...GOOD_REVIEW, review_duration_seconds: seconds });
        for (const decider of DECIDERS_HERE) {
          const { code, said } = await deciders[decider](image);
          expect(code === 0, `${decider}, ${seconds} s: ${said}`).toBe(admits);
        }
      }
    });

    const SCAN = 'https://example.com/scan/v1';
    const scanned = async () => {
      const image = await images.signed();
      await images.review('approve', image);
      await images.attest(image, { found: 0 }, { by: 'scanner', type: SCAN });
      return image;
    };
    const scanner = () => `{ issuer: "${up.issuer}", subject: agent:scanner, predicateType: "${SCAN}" }`;

    test('what require names has to be there too', async () => {
      const { deciders } = await generated('require', `require: [${scanner()}]\n`);
      const unscanned = await images.signed();
      await images.review('approve', unscanned);
      for (const [image, admits] of [
        [unscanned, false],
        [await scanned(), true],
      ] as const) {
        for (const decider of DECIDERS_HERE) {
          const { code, said } = await deciders[decider](image);
          expect(code === 0, `${decider}: ${said}`).toBe(admits);
        }
      }
    });

    const approved = async () => {
      const image = await images.signed();
      await images.attest(image, GOOD_REVIEW);
      return image;
    };
    const inOlderFormat = async () => {
      const image = await images.signed({ format: 'older' });
      await images.attest(image, GOOD_REVIEW, { format: 'older' });
      return image;
    };
    const OTHERS = { cosign: true, 'policy-controller': true };

    test.each<
      [key: string, policy: () => string, make: () => Promise<string>, admitted: Partial<Record<Decider, boolean>>]
    >([
      ['review.conditions', () => 'review: { conditions: [predicate.decision == "approved"] }', approved, OTHERS],
      ['sources', () => 'sources: { commit_sha: [caller-token] }', approved, OTHERS],
      ['models', () => 'models: [{ id: another }]', approved, OTHERS],
      ['modelAsRequested', () => 'modelAsRequested: true', approved, OTHERS],
      ['policyPacks', () => `policyPacks: [{ name: p, hash: "sha256:${'0'.repeat(64)}" }]`, approved, OTHERS],
      ['provenance', () => 'provenance: { issuer: "https://ci.example", subject: builder }', approved, OTHERS],
      ['require', () => `require: [${scanner()}, ${scanner()}]`, scanned, OTHERS],
      ['signatureFormat', () => 'signatureFormat: bundle', approved, { 'colophon admit': true, cosign: true }],
      ['signatureFormat', () => 'signatureFormat: bundle', inOlderFormat, { cosign: true }],
      ['mode', () => 'mode: audit', () => images.signed(), { 'colophon admit': true, 'policy-controller': true }],
    ])('%s is listed where it is lost', async (key, policy, make, admitted) => {
      made += 1;
      const { gaps, deciders } = await generated(`gap-${made}`, `${policy()}\n`);
      const image = await make();
      for (const decider of DECIDERS_HERE) {
        const { code, said } = await deciders[decider](image);
        expect(code === 0, `${decider}: ${said}`).toBe(admitted[decider] ?? false);
        if (decider === 'colophon admit' || admitted[decider] === admitted['colophon admit']) continue;
        const effect = admitted[decider] ? 'admits' : 'refuses';
        expect(gaps[decider]).toContainEqual(expect.objectContaining({ key, effect }));
      }
    });

    describe('of several signers any will do', () => {
      const reviewedBy = (by: string) => async () => {
        const image = await images.signed();
        await images.review('approve', image, { by });
        return image;
      };

      test('agents of several issuers, each by its own', async () => {
        const identity = (issuer: string, agent: string) => `{ issuer: "${issuer}", subject: agent:code-${agent} }`;
        const agents = [identity('https://other.example', 'fixer'), identity(up.issuer, 'writer')].join(', ');
        const policy = await generated(
          'agents',
          `review: { issuer: "${up.issuer}" }\n`,
          `agent: { identities: [${agents}] }`,
        );
        const by = (agent: string) => async () => {
          const image = await images.signed({ agent });
          await images.attest(image, GOOD_REVIEW);
          return image;
        };
        await expectVerdicts(policy, [
          { image: 'by an agent of its issuer', make: by('code-writer'), admitted: DECIDERS },
          { image: 'by the agent of another issuer', make: by('code-fixer'), admitted: [] },
        ]);
      });

      test('reviewers', async () => {
        const identity = (name: string) => `{ issuer: "${up.issuer}", subject: "reviewer:${name}@example.com" }`;
        const policy = await generated(
          'reviewers',
          `review: { identities: [${identity('alice')}, ${identity('bob')}] }\n`,
        );
        await expectVerdicts(policy, [
          { image: 'by the first', make: reviewedBy('alice@example.com'), admitted: DECIDERS },
          { image: 'by the second', make: reviewedBy('bob@example.com'), admitted: DECIDERS },
          { image: 'by a third', make: reviewedBy('carol@example.com'), admitted: [] },
          {
            image: 'approved by the first, rejected by the second',
            make: async () => {
              const image = await reviewedBy('alice@example.com')();
              await images.review('reject', image, { by: 'bob@example.com' });
              return image;
            },
            admitted: ['cosign', 'policy-controller'],
            gaps: { cosign: 'review.identities', 'policy-controller': 'rejections' },
          },
        ]);
      });

      test('people and their keys, without a review', async () => {
        const [own, other] = [await images.newKey('own'), await images.newKey('other')];
        const identities = `[{ issuer: "https://ci.example", subject: build }, { key: ${JSON.stringify(own.publicKey)} }]`;
        const policy = await generated('human', '', `human: { identities: ${identities} }`);
        const by = (file: string) => async () => {
          const image = await images.unsigned();
          await images.signByKey(image, file);
          return image;
        };
        await expectVerdicts(policy, [
          { image: 'by the key', make: by(own.file), admitted: DECIDERS },
          { image: 'by another key', make: by(other.file), admitted: [] },
          { image: 'by nobody', make: () => images.unsigned(), admitted: [] },
          { image: 'by an agent', make: () => images.signed(), admitted: [] },
          {
            image: 'by an agent and the key',
            make: async () => {
              const image = await images.signed();
              await images.signByKey(image, own.file);
              return image;
            },
            admitted: ['cosign', 'policy-controller'],
            gaps: { cosign: 'human', 'policy-controller': 'human' },
          },
        ]);
      });

      test('a key that has to have signed too, and the key of an agent', async () => {
        const { file, publicKey } = await images.newKey('release');
        const key = `{ key: ${JSON.stringify(publicKey)} }`;
        const signedToo = async () => {
          const image = await approved();
          await images.signByKey(image, file);
          return image;
        };
        await expectVerdicts(await generated('required-key', `require: [${key}]\n`), [
          { image: 'by the agent alone', make: approved, admitted: [] },
          { image: 'by the key too', make: signedToo, admitted: DECIDERS },
        ]);
        await expectVerdicts(await generated('agent-key', `review: { issuer: "${up.issuer}" }\n`, `agent: ${key}`), [
          { image: 'by another agent', make: approved, admitted: [] },
          {
            image: 'by a key that names no commit',
            make: async () => {
              const image = await images.unsigned();
              await images.signByKey(image, file);
              await images.attest(image, GOOD_REVIEW);
              return image;
            },
            admitted: ['cosign', 'policy-controller'],
            gaps: { cosign: 'commit', 'policy-controller': 'commit' },
          },
        ]);
      });
    });

    test('an exception counts for us alone', async () => {
      const image = await images.signed();
      const time = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().replace(/\.\d+Z$/, 'Z');
      const exception = `{ digest: "${image.split('@')[1]}", owner: ops, reason: fix, from: "${time(-1)}", until: "${time(1)}" }`;
      const verdict = {
        image: 'without a review, by an exception',
        make: async () => image,
        admitted: ['colophon admit'],
        gaps: { cosign: 'exceptions', 'policy-controller': 'exceptions' },
      } as const;
      await expectVerdicts(await generated('exception', `exceptions: [${exception}]\n`), [verdict]);
    });
  }

  test('cosign is asked about no tag, which may move between two questions', async () => {
    const { deciders } = await generated('tag', '');
    const { code, said } = await deciders.cosign(`${up.registry}/webshop-1:1`);
    expect(code, said).toBe(1);
    expect(said).toContain('digest');
  });
});
