// A no is heard however its certificate spells who says it, and whatever it calls what it says.
import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startAdmission } from '@colophon/server/admission';
import { cleanupAt } from '@colophon/testkit';
import { draftStatement } from '@colophon/testkit/local-sigstore/draft-bundle';
import { newKeys } from '@colophon/testkit/local-sigstore/local-sigstore';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { documentOf } from './command-line.ts';
import { type Company, installWithCompany, REVIEW_TYPE, type Signer, SSO } from './company.ts';
import { AGENT_RUN, COMMIT, CONTEXT, type Installation } from './installation.ts';

const ALICE = 'alice@example.com';
const cleanup = cleanupAt(afterAll);
let here: Installation;
let company: Company;

beforeAll(async () => {
  ({ here, company } = await installWithCompany(cleanup));
});
/** A policy of alice alone, as her company's login certifies her. */
const policyOf = (review: string, more = '') =>
  here.file(
    `policy-${createHash('sha256').update(`${review}${more}`).digest('hex').slice(0, 8)}.yaml`,
    `version: 1
images: ["${here.registry}/webshop*"]
agent: { issuer: ${here.url}, subject: agent:code-writer }
review: { ${review} }
${more}`,
  );
const byAlice = () => `issuer: ${SSO}, subject: ${ALICE}`;

/** A statement about an image and its commit, by somebody of the company's authority. */
const signed = (image: string, predicate: object, signer: Signer = { subject: ALICE }, predicateType = REVIEW_TYPE) =>
  company.sign(
    {
      _type: 'https://in-toto.io/Statement/v1',
      subject: [
        { name: 'webshop', digest: { sha256: image.split('@sha256:')[1] } },
        { name: 'commit', digest: { gitCommit: COMMIT } },
      ],
      predicateType,
      predicate,
    },
    signer,
  );
const says = (decision: string, reviewer = ALICE) => ({
  human_reviewer: reviewer,
  review_timestamp: '2026-11-21T09:59:00Z',
  decision,
  commit_sha: COMMIT,
});

/** Signed by the agent, and approved by alice of the company. */
async function goodImage(name: string): Promise<string> {
  const image = await here.push(`webshop-${name}`);
  await here.document('sign', ...CONTEXT, image);
  await company.attach(image, signed(image, says('approved')));
  return image;
}

/** The exit code, and the codes of the reasons. */
async function admit(image: string, policy: string): Promise<readonly [number, ...string[]]> {
  const ran = await here.run('admit', image, '--policy', policy, '--config', company.configuration, '-o', 'json');
  const { reasons = [], error } = documentOf(ran) as { reasons?: Array<{ code: string }>; error?: { code: string } };
  return [ran.exitCode, ...(error === undefined ? reasons.map(({ code }) => code) : [error.code])];
}
const ADMITTED = [0];
const REJECTED = [20, 'admission.review_rejected'];

/** One person’s no, as another certificate spells it. */
const SPELLINGS: ReadonlyArray<[string, Signer]> = [
  ['in capital letters', { subject: 'Alice@Example.COM' }],
  ['as a reviewer’s own', { subject: `reviewer:${ALICE}`, isUri: true }],
  ['as a reviewer’s own in capital letters', { subject: 'reviewer:ALICE@example.com', isUri: true }],
  ['with a slash behind the issuer', { subject: ALICE, issuer: `${SSO}/` }],
];
/** A no by whatever it is called. */
const TYPES: ReadonlyArray<[string, string, object]> = [
  ['a review in a later version', 'https://colophon.example/predicates/agent-review/v2', { decision: 'rejected' }],
  ['another base', 'https://other.example/agent-review/v1', { ...says('rejected') }],
  ['a decision that nobody knows', REVIEW_TYPE, says('maybe')],
  ['a yes and a no', REVIEW_TYPE, { ...says('approved'), Decision: 'rejected' }],
  ['a failed test', 'https://in-toto.io/attestation/test-result/v0.1', { result: 'FAILED' }],
  ['a type of a company', 'https://acme.example/sign-off/v3', { approved: 'not yet' }],
];
const subjectsOf = (image: string) => [{ name: 'webshop', digest: { sha256: image.split('@sha256:')[1] } }];
const MALFORMED: ReadonlyArray<[string, (image: string) => object]> = [
  ['with a digest in capitals', (image) => ({ subject: [{ digest: { SHA256: 'A', sha256: digestOf(image) } }] })],
  ['with null for a name', (image) => ({ subject: subjectsOf(image).map((one) => ({ ...one, name: null })) })],
  ['without a predicate', () => ({ predicate: undefined })],
  ['of a predicate that is no object', () => ({ predicate: 'rejected' })],
  ['of another statement type', () => ({ _type: 'https://in-toto.io/Statement/v9' })],
];
const digestOf = (image: string) => image.split('@sha256:')[1]?.toUpperCase();
const statementAbout = (image: string, predicateType = REVIEW_TYPE) => ({
  ...{ _type: 'https://in-toto.io/Statement/v1', subject: subjectsOf(image), predicateType },
  predicate: says('rejected'),
});
const STRANGERS: ReadonlyArray<readonly [string, Signer]> = [
  ['another company’s issuer', { subject: ALICE, issuer: 'https://sso.other.example' }],
  ['an issuer whose name only begins the same', { subject: ALICE, issuer: `${SSO}.evil.example` }],
  ['another company’s reviewer', { subject: `reviewer:${ALICE}`, isUri: true, issuer: 'https://other.example' }],
  ['an agent that nobody named', { subject: 'agent:stranger', isUri: true }],
  ['a reviewer whom nobody named', { subject: 'mallory@example.com' }],
  ['an address that looks alike', { subject: 'a1ice@example.com' }],
  ['an address with a dot', { subject: 'al.ice@example.com' }],
  ['a tag that the policy does not drop', { subject: 'alice+x@example.com' }],
];

describe('a rejection that is attached', () => {
  test.each(SPELLINGS)('is heard %s', async (name, signer) => {
    const image = await goodImage(`spelt-${createHash('md5').update(name).digest('hex').slice(0, 6)}`);
    const policy = policyOf(byAlice());
    expect(await admit(image, policy)).toEqual(ADMITTED);
    await company.attach(image, signed(image, says('rejected'), signer));
    expect(await admit(image, policy)).toEqual(REJECTED);
    expect(await admit(image, policyOf(`issuer: ${SSO}, subjectRegExp: '[a-z]+@example[.]com'`))).toEqual(REJECTED);
  });

  test('is heard with a tag in the address, or of another issuer, only where the policy says so', async () => {
    const image = await goodImage('tagged');
    const elsewhere = 'https://login.example';
    await company.attach(image, signed(image, says('rejected'), { subject: 'Alice+ci@example.com' }));
    expect(await admit(image, policyOf(byAlice()))).toEqual(ADMITTED);
    expect(await admit(image, policyOf(`${byAlice()}, plusAddresses: same`))).toEqual(REJECTED);
    const other = await goodImage('elsewhere');
    await company.attach(other, signed(other, says('rejected'), { subject: ALICE, issuer: elsewhere }));
    expect(await admit(other, policyOf(byAlice()))).toEqual(ADMITTED);
    expect(await admit(other, policyOf(`${byAlice()}, sameAt: [${elsewhere}]`))).toEqual(REJECTED);
  });

  test.each(TYPES)('is heard as %s', async (name, type, predicate) => {
    const image = await goodImage(`typed-${createHash('md5').update(name).digest('hex').slice(0, 6)}`);
    await company.attach(image, signed(image, predicate, { subject: 'Alice@example.com' }, type), type);
    expect((await admit(image, policyOf(byAlice())))[0]).toBe(20);
  });

  test('approves nothing in another spelling, and is taken back by the spelling that the policy names', async () => {
    const image = await here.push('webshop-spelt-yes');
    await here.document('sign', ...CONTEXT, image);
    const policy = policyOf(byAlice());
    await company.attach(image, signed(image, says('approved', 'Alice@example.com'), { subject: 'Alice@example.com' }));
    expect(await admit(image, policy)).toEqual([20, 'admission.reviewer_not_accepted']);
    await company.attach(image, signed(image, says('rejected'), { subject: 'Alice@example.com' }));
    company.authority.now = new Date('2026-11-21T11:00:00Z');
    await company.attach(image, signed(image, says('approved', 'Alice@example.com'), { subject: 'Alice@example.com' }));
    expect((await admit(image, policy))[1]).toBe('admission.review_rejected');
    await company.attach(image, signed(image, says('approved')));
    expect(await admit(image, policy)).toEqual(ADMITTED);
    company.authority.now = new Date('2026-11-21T10:00:00Z');
  });

  test('stands in explain until the same person approves with a decision, in whatever spelling', async () => {
    const image = await here.push('webshop-explained');
    await here.document('sign', ...CONTEXT, image);
    const as = (subject: string) => ({ subject: `reviewer:${subject}`, isUri: true });
    await company.attach(image, signed(image, says('rejected', 'Alice@Example.com'), as('Alice@Example.com')));
    const standing = async () => (await here.document('explain', image, '--config', company.configuration)).rejections;
    expect(await standing()).toHaveLength(1);
    company.authority.now = new Date('2026-11-21T11:00:00Z');
    const { decision: _, ...undecided } = says('approved');
    await company.attach(image, signed(image, undecided, as(ALICE)));
    expect(await standing()).toHaveLength(1);
    await company.attach(image, signed(image, says('approved'), as(ALICE)));
    company.authority.now = new Date('2026-11-21T10:00:00Z');
    expect(await standing()).toEqual([]);
  });
});

describe('explain with a policy', () => {
  const explained = async (image: string, policy?: string) => {
    const by = policy === undefined ? [] : ['--policy', policy];
    const { rejections, admission } = documentOf(
      await here.run('explain', image, ...by, '--config', company.configuration, '-o', 'json'),
    );
    return [rejections.length, admission?.admitted];
  };
  const later = () => {
    company.authority.now = new Date('2026-11-21T11:00:00Z');
    onTestFinished(() => {
      company.authority.now = new Date('2026-11-21T10:00:00Z');
    });
  };

  test('counts a rejection as long as admit does, whatever else the reviewer has approved', async () => {
    const image = await here.push('webshop-explained-policy');
    await here.document('sign', ...CONTEXT, image);
    const policy = policyOf(`issuer: ${SSO}, subjectRegExp: '(alice|bob)@example[.]com', minDurationSeconds: 60`);
    const say = (reviewer: string, decision: string, seconds: number) => {
      const predicate = { ...says(decision, reviewer), review_duration_seconds: seconds };
      return company.attach(image, signed(image, predicate, { subject: reviewer }));
    };
    await say('bob@example.com', 'approved', 90);
    await say(ALICE, 'rejected', 90);
    later();
    await say(ALICE, 'approved', 1);
    expect(await explained(image, policy)).toEqual([1, false]);
    await say(ALICE, 'approved', 90);
    expect(await explained(image, policy)).toEqual([0, true]);
  });

  test('takes one person for one where the policy does', async () => {
    const image = await goodImage('explained-tag');
    await company.attach(
      image,
      signed(image, says('rejected'), { subject: 'reviewer:alice+ci@example.com', isUri: true }),
    );
    later();
    await company.attach(image, signed(image, says('approved')));
    expect(await explained(image, policyOf(`${byAlice()}, plusAddresses: same`))).toEqual([0, true]);
    // By another policy it counts for nothing, and stands beside: nobody who counts has said that it is taken back.
    expect(await explained(image, policyOf(byAlice()))).toEqual([1, true]);
    expect(await explained(image)).toEqual([1, undefined]);
  });
});

describe('explain with a policy shows every rejection by which it refuses', () => {
  type No = [title: string, signer: Signer, type: string, predicate: object, rule?: string];
  const NOES: No[] = [
    ...SPELLINGS.map(([name, signer]): No => [name, signer, REVIEW_TYPE, says('rejected')]),
    ...TYPES.map(([name, type, predicate]): No => [name, { subject: ALICE }, type, predicate]),
    [
      'of another issuer of the same people',
      { subject: ALICE, issuer: 'https://login.example' },
      REVIEW_TYPE,
      says('rejected'),
      ', sameAt: [https://login.example]',
    ],
    [
      'by a certificate that claims another reviewer',
      { subject: ALICE, claims: { human_reviewer: 'bob@example.com' } },
      REVIEW_TYPE,
      says('rejected'),
    ],
  ];

  test.each<No>(NOES)('%s', async (name, signer, type, predicate, more = '') => {
    const image = await goodImage(`shown-${createHash('md5').update(name).digest('hex').slice(0, 6)}`);
    await company.attach(image, signed(image, predicate, signer, type), type);
    const policy = policyOf(`${byAlice()}${more}`);
    const { rejections, admission } = documentOf(
      await here.run('explain', image, '--policy', policy, '--config', company.configuration, '-o', 'json'),
    );
    expect(admission.admitted).toBe(false);
    expect(rejections).toMatchObject([{ certificate_identity: { subject: signer.subject } }]);
  });

  test('and no stranger’s by which it does not', async () => {
    const image = await goodImage('shown-strangers');
    const later = 'https://colophon.example/predicates/agent-review/v2';
    await company.attach(
      image,
      signed(image, { decision: 'rejected' }, { subject: ALICE, issuer: 'https://sso.other.example' }, later),
      later,
    );
    const { rejections, admission } = documentOf(
      await here.run(
        'explain',
        image,
        '--policy',
        policyOf(byAlice()),
        '--config',
        company.configuration,
        '-o',
        'json',
      ),
    );
    expect([admission.admitted, rejections]).toEqual([true, []]);
  });
});

describe('verify-attestation --affirmative', () => {
  const YES = [0, 'affirmative'];
  const NO = [20, 'cli.not_affirmative'];

  async function check(image: string, ...pins: string[]) {
    const pinned = pins.length === 0 ? ['--certificate-identity', ALICE, '--certificate-oidc-issuer', SSO] : pins;
    const ofType = pins.includes('--type') ? [] : ['--type', 'agent-review'];
    const ran = await here.run(
      ...['verify-attestation', ...ofType, '--affirmative', ...pinned, image],
      ...['--config', company.configuration, '-o', 'json'],
    );
    const { error, signatures = [] } = documentOf(ran) as {
      error?: { code: string };
      signatures?: Array<{ meaning: string }>;
    };
    return [ran.exitCode, error?.code ?? signatures.map(({ meaning }) => meaning).join(', ')];
  }

  test('hears the no of its signer in another spelling, whatever pins the signer', async () => {
    const byPattern = [
      ...['--certificate-identity-regexp', '[a-z]+@example[.]com'],
      ...['--certificate-oidc-issuer-regexp', 'https://sso[.][a-z]+'],
    ];
    for (const [index, signer] of SPELLINGS.map(([, one]) => one).entries()) {
      const image = await goodImage(`checked-${index}`);
      expect(await check(image)).toEqual(YES);
      await company.attach(image, signed(image, says('rejected'), signer));
      expect(await check(image)).toEqual(NO);
      expect(await check(image, ...byPattern)).toEqual(NO);
    }
  });

  test('hears it of another type', async () => {
    for (const [index, [, type, predicate]] of TYPES.entries()) {
      const image = await goodImage(`checked-type-${index}`);
      await company.attach(image, signed(image, predicate, { subject: ALICE }, type), type);
      expect(await check(image)).toEqual(NO);
    }
  });

  test('hears no run of another repository or event by one shared workflow', async () => {
    const subject = 'https://github.com/acme/shared/.github/workflows/test.yml@refs/heads/main';
    const type = 'https://in-toto.io/attestation/test-result/v0.1';
    const image = await here.push('webshop-shared-workflow');
    const says = (result: string, claims: object, name = subject) =>
      company.attach(image, signed(image, { result }, { subject: name, isUri: true, claims }, type), type);
    const shop = { repo: 'acme/shop', trigger: 'push' };
    await says('PASSED', shop);
    const pins = [
      ...['--certificate-identity', subject, '--certificate-oidc-issuer', SSO],
      ...['--certificate-github-workflow-repository', 'acme/shop', '--certificate-github-workflow-trigger', 'push'],
    ];
    const checked = () => check(image, ...pins, '--type', type);
    await says('FAILED', { ...shop, repo: 'mallory/evil' });
    await says('FAILED', { ...shop, trigger: 'pull_request' }, subject.replace('acme', 'Acme'));
    expect(await checked()).toEqual(YES);
    await says('FAILED', shop, subject.replace('acme', 'Acme'));
    expect(await checked()).toEqual(NO);
  });

  test('hears nobody else, and what its signer only describes', async () => {
    const image = await goodImage('checked-others');
    for (const [, signer] of STRANGERS) {
      await company.attach(image, signed(image, says('rejected', signer.subject), signer));
      await company.attach(image, signed(image, says('rejected'), signer));
    }
    const sbom = 'https://cyclonedx.org/bom';
    await company.attach(image, signed(image, { decision: 'none' }, { subject: ALICE }, sbom), sbom);
    expect(await check(image)).toEqual(YES);
  });

  test('is content again when the pinned spelling has taken it back', async () => {
    const image = await goodImage('checked-again');
    await company.attach(image, signed(image, says('rejected'), { subject: 'Alice@example.com' }));
    expect(await check(image)).toEqual(NO);
    company.authority.now = new Date('2026-11-21T11:00:00Z');
    onTestFinished(() => {
      company.authority.now = new Date('2026-11-21T10:00:00Z');
    });
    await company.attach(image, signed(image, says('approved', 'Alice@example.com'), { subject: 'Alice@example.com' }));
    expect(await check(image)).toEqual(NO);
    await company.attach(image, signed(image, says('approved')));
    expect(await check(image)).toEqual([0, 'affirmative, affirmative']);
  });

  test('refuses what its signer signed and nobody can read', async () => {
    const image = await goodImage('checked-unread');
    const [[, change] = []] = MALFORMED;
    const unread = (subject: string) => company.sign({ ...statementAbout(image), ...change?.(image) }, { subject });
    await company.attach(image, unread('mallory@example.com'));
    expect(await check(image)).toEqual(YES);
    await company.attach(image, unread('Alice@example.com'));
    expect(await check(image)).toEqual(NO);
  });
});

describe('a key beside its yes', () => {
  const SUMMARY = 'https://slsa.dev/verification_summary/v1';
  const RESULT = 'https://in-toto.io/attestation/test-result/v0.1';
  const [keys, others] = [newKeys(), newKeys()];
  const pemOf = ({ publicKey }: typeof keys) => publicKey.export({ type: 'spki', format: 'pem' }) as string;
  const inYaml = (pair: typeof keys) => pemOf(pair).replaceAll('\n', '\\n');
  const PASSED = { verificationResult: 'PASSED' };
  const FAILED = { verificationResult: 'FAILED' };

  function byKey(image: string, type: string, predicate: object, { isTimed = true, by = keys, change = {} } = {}) {
    const statement = { ...statementAbout(image, type), predicate, ...change };
    const bundle = draftStatement(company.authority, statement, { keyed: true, keys: by });
    const [entry] = bundle.verificationMaterial.tlogEntries;
    if (!isTimed) for (const said of ['inclusionPromise', 'integratedTime']) delete entry[said];
    return company.attach(image, bundle, type);
  }

  /** What the command says of one key, and what a policy says that asks for it and for another one. */
  async function verdicts(image: string) {
    const key = here.file('beside.pub', pemOf(keys));
    const ran = await here.run(
      ...['verify-attestation', '--type', SUMMARY, '--key', key, '--affirmative', image],
      ...['--config', company.configuration, '-o', 'json'],
    );
    const { error } = documentOf(ran) as { error?: { code: string; issues?: Array<{ code: string }> } };
    const required = [keys, others].map((pair) => `{ key: "${inYaml(pair)}", predicateType: "${SUMMARY}" }`);
    return {
      command: [ran.exitCode, ...(error?.issues ?? []).map(({ code }) => code)],
      admit: await admit(image, policyOf(byAlice(), `require: [${required.join(', ')}]\n`)),
    };
  }

  /** Both keys of the policy say yes to it. */
  async function passed(name: string) {
    const image = await goodImage(`keyed-${createHash('md5').update(name).digest('hex').slice(0, 6)}`);
    for (const by of [keys, others]) await byKey(image, SUMMARY, PASSED, { by });
    expect(await verdicts(image)).toEqual({ command: [0], admit: ADMITTED });
    return image;
  }
  const standsAgainst = (code: string) => ({ command: [20, code], admit: [20, code] });

  test.each(MALFORMED)('is heard where its statement cannot be read: %s', async (name, change) => {
    const image = await passed(name);
    await byKey(image, SUMMARY, FAILED, { change: change(image) });
    expect(await verdicts(image)).toEqual(standsAgainst('admission.evidence_incomplete'));
  });

  test('is heard where nobody says when it signed, and no later yes ends that', async () => {
    const image = await passed('untimed');
    await byKey(image, RESULT, { result: 'FAILED' }, { isTimed: false });
    const expected = standsAgainst('admission.verdict_failed');
    expect(await verdicts(image)).toEqual(expected);
    await byKey(image, RESULT, { result: 'PASSED' });
    expect(await verdicts(image)).toEqual(expected);
  });

  test('is heard where neither its time nor what it says can be read', async () => {
    const image = await passed('untimed-unread');
    await byKey(image, RESULT, { result: 'FAILED' }, { isTimed: false, change: { predicate: 'FAILED' } });
    expect(await verdicts(image)).toEqual(standsAgainst('admission.evidence_incomplete'));
  });

  test('changes nothing by a yes without a time, a no to another image, or the no of a key that nobody named', async () => {
    const image = await passed('others');
    await byKey(image, RESULT, { result: 'PASSED' }, { isTimed: false });
    const subject = [{ name: 'webshop', digest: { sha256: 'e'.repeat(64) } }];
    await byKey(image, RESULT, { result: 'FAILED' }, { isTimed: false, change: { subject } });
    const stranger = newKeys();
    for (const isTimed of [true, false]) {
      await byKey(image, RESULT, { result: 'FAILED' }, { isTimed, by: stranger });
      await byKey(image, RESULT, { result: 'FAILED' }, { isTimed, by: stranger, change: { predicate: 'FAILED' } });
    }
    expect(await verdicts(image)).toEqual({ command: [0], admit: ADMITTED });
  });
});

describe('a statement that cannot be read, and may be a no', () => {
  const by = (subject: string) => ({ subject });

  test.each(MALFORMED)('by a reviewer whom the policy names is incomplete: %s', async (name, change) => {
    const image = await goodImage(`unread-${createHash('md5').update(name).digest('hex').slice(0, 6)}`);
    await company.attach(image, company.sign({ ...statementAbout(image), ...change(image) }, by('Alice@example.com')));
    expect(await admit(image, policyOf(byAlice()))).toEqual([20, 'admission.evidence_incomplete']);
  });

  test('by a stranger, or of a type that cannot say no, changes nothing, and no result names its signer', async () => {
    const image = await goodImage('unread-stranger');
    const more = { predicate: 'rejected' };
    await company.attach(image, company.sign({ ...statementAbout(image), ...more }, by('mallory@example.com')));
    await company.attach(
      image,
      company.sign({ ...statementAbout(image, 'https://spdx.dev/Document'), ...more }, by(ALICE)),
    );
    expect(await admit(image, policyOf(byAlice()))).toEqual(ADMITTED);
    const rule = here.file('require-agent.yaml', `- { issuer: ${here.url}, subject: agent:code-writer }\n`);
    const common = ['--config', company.configuration, '-o', 'json'];
    const { rejected_signatures: rejected } = documentOf(
      await here.run('verify', image, '--require', rule, ...common),
    ) as {
      rejected_signatures: object[];
    };
    expect(rejected.map((one) => Object.keys(one).sort())).toEqual(
      Array(2).fill(['code', 'message', 'predicate_type']),
    );
    const { stdout } = await here.run('explain', image, ...common);
    expect(stdout).toContain('statement.malformed');
    expect(stdout).not.toContain('mallory');
  });
});

test.each<[string, string, object, string?]>([
  ['is too short', 'minDurationSeconds: 60', { review_duration_seconds: 1 }],
  ['meets no condition', `conditions: ['has(predicate.checklist)']`, {}],
  ['is of another commit', '', { commit_sha: '9'.repeat(40) }],
  ['is of a time to come', '', { review_timestamp: '2030-01-01T00:00:00Z' }],
  ['is under a base of somebody’s own', '', {}, 'https://other.example/agent-review/v1'],
])('a rejection is not taken back by an approval that %s', async (name, rule, change, type = REVIEW_TYPE) => {
  const policy = policyOf(`issuer: ${SSO}, subjectRegExp: '(alice|bob)@example[.]com'${rule && `, ${rule}`}`);
  const whole = { review_duration_seconds: 120, checklist: 'done' };
  const image = await here.push(`webshop-back-${createHash('md5').update(name).digest('hex').slice(0, 6)}`);
  await here.document('sign', ...CONTEXT, image);
  const say = (reviewer: string, decision: string, more: object = whole, ofType = REVIEW_TYPE) =>
    company.attach(
      image,
      signed(image, { ...says(decision, reviewer), ...more }, { subject: reviewer }, ofType),
      ofType,
    );
  await say('bob@example.com', 'approved');
  expect(await admit(image, policy)).toEqual(ADMITTED);
  await say(ALICE, 'rejected');
  company.authority.now = new Date('2026-11-21T11:00:00Z');
  onTestFinished(() => {
    company.authority.now = new Date('2026-11-21T10:00:00Z');
  });
  const { checklist: _, ...rest } = whole;
  await say(ALICE, 'approved', { ...(rule.includes('checklist') ? rest : whole), ...change }, type);
  expect(await admit(image, policy)).toEqual(REJECTED);
  await say(ALICE, 'approved');
  expect(await admit(image, policy)).toEqual(ADMITTED);
});

test('one person with a tag in the address is one required signer where the policy says so', async () => {
  const image = await goodImage('one-person');
  const rule = `  - { issuer: ${SSO}, subjectRegExp: '[a-z+0-9]+@example[.]com', predicateType: ${REVIEW_TYPE} }\n`;
  const policy = (more: string) => policyOf(`${byAlice()}${more}`, `require:\n${rule}${rule}`);
  await company.attach(
    image,
    signed(image, says('approved', 'alice+2@example.com'), { subject: 'alice+2@example.com' }),
  );
  expect(await admit(image, policy(''))).toEqual(ADMITTED);
  expect(await admit(image, policy(', plusAddresses: same'))).toEqual([20, 'admission.required_signature_missing']);
  await company.attach(image, signed(image, says('approved', 'bob@example.com'), { subject: 'bob@example.com' }));
  expect(await admit(image, policy(', plusAddresses: same'))).toEqual(ADMITTED);
});

test('an approval of a reviewer in lower case counts for a policy that writes the address with capitals', async () => {
  const image = await here.push('webshop-capitals');
  await here.document('sign', ...CONTEXT, image);
  await here.document('review', 'approve', image, '--reviewer', 'Alice@Example.com', '--commit-sha', COMMIT);
  const rule = (name: string) => policyOf(`issuer: ${here.url}, ${name}`);
  expect(await admit(image, rule('subject: "reviewer:Alice@Example.com"'))).toEqual(ADMITTED);
  expect(await admit(image, rule("subjectRegExp: 'reviewer:Alice@Example[.]com'"))).toEqual(ADMITTED);
  expect((await admit(image, rule("subjectRegExp: 'reviewer:Bob@Example[.]com'")))[0]).toBe(20);
});

describe('what anybody can have certified', () => {
  test('changes no verdict, neither by a no nor by a yes', { timeout: 180_000 }, async () => {
    const good = await goodImage('strangers');
    const bare = await here.push('webshop-strangers-bare');
    await here.document('sign', ...CONTEXT, bare);
    const policy = policyOf(byAlice(), `require: [{ issuer: ${here.url}, subject: agent:code-writer }]\n`);
    const before = [await admit(good, policy), (await admit(bare, policy))[0]];
    for (const [, signer] of STRANGERS) {
      const { subject } = signer;
      await company.attach(good, signed(good, says('rejected', subject), signer));
      await company.attach(
        good,
        signed(good, { result: 'FAILED' }, signer, 'https://in-toto.io/attestation/test-result/v0.1'),
      );
      // Who the statement says that it is, is nobody's word.
      await company.attach(good, signed(good, says('rejected'), signer));
      for (const image of [good, bare]) await company.attach(image, signed(image, says('approved'), signer));
    }
    expect([await admit(good, policy), (await admit(bare, policy))[0]]).toEqual(before);
    expect(before).toEqual([ADMITTED, 20]);
  });
});

describe('review reject --reviewer Alice@Example.com', () => {
  const reviewer = () => `issuer: ${here.url}, subject: reviewer:${ALICE}`;
  const by = (address: string) => ['--reviewer', address, '--commit-sha', COMMIT];
  let image: string;
  let sbom: string;

  beforeAll(async () => {
    sbom = here.file('bom.cdx.json', {
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      version: 1,
      components: [{ type: 'file', 'bom-ref': 'f', name: 'a.ts' }],
    });
    image = await here.push('webshop-five');
    await here.document('sign', ...CONTEXT, image);
    await here.document('review', 'approve', image, ...by(ALICE));
  });

  async function webhook(policy: string): Promise<boolean> {
    const own = join(here.dataDir, 'trust', 'trusted_root.json');
    const file = here.file(
      'webhook.yaml',
      `listen: { address: 127.0.0.1, port: 0, drainSeconds: 0 }
trust: { roots: [${own}] }
policies: [${policy}]
namespaces: { exclude: [colophon-system] }
data: ${join(here.folder, 'webhook')}
timeoutSeconds: 29
mode: enforce
`,
    );
    const running = await startAdmission({ file, env: here.env });
    try {
      const container = { name: 'web', image };
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers: [container] } };
      const kind = { group: '', version: 'v1', kind: 'Pod' };
      const request = { uid: '1', kind, resource: { ...kind, resource: 'pods' }, operation: 'CREATE', object: pod };
      const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
      const answer = await fetch(`http://${running.addresses[0]}/validate`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(review),
      });
      return ((await answer.json()) as { response: { allowed: boolean } }).response.allowed;
    } finally {
      await running.close();
    }
  }

  async function reviewedBy(): Promise<string | undefined> {
    const out = join(here.folder, 'marked.cdx.json');
    await here.document('sbom', 'attribute', sbom, '--commit', COMMIT, ...here.pinned, '--out', out);
    const [component] = JSON.parse(readFileSync(out, 'utf8')).components;
    const properties: Array<{ name: string; value: string }> = component.properties;
    return properties.find(({ name }) => name === 'colophon:ai:reviewed_by')?.value;
  }

  test('is heard by admit, the webhook, verify --require, verify --offline and sbom attribute', {
    timeout: 180_000,
  }, async () => {
    const policy = policyOf(reviewer());
    const rule = `{ issuer: ${here.url}, subject: reviewer:${ALICE}, predicateType: ${REVIEW_TYPE} }`;
    const pack = async (name: string) => {
      const out = join(here.folder, `${name}.pack.json`);
      await here.run('pack', image, '--policy', policy, '--out', out);
      const root = join(here.folder, 'root.json');
      copyFileSync(join(here.dataDir, 'trust', 'trusted_root.json'), root);
      return here.run('verify', '--offline', out, '--trusted-root', root, '--policy', policy, '-o', 'json');
    };
    const run = here.file('run.json', { ...AGENT_RUN, git: { ...AGENT_RUN.git, files_changed: ['a.ts'] } });
    await here.document('attest', '--type', 'agent-run', '--predicate', run, ...CONTEXT, image);
    const verdicts = async (name: string) => ({
      admit: (await here.run('admit', image, '--policy', policy)).exitCode,
      webhook: await webhook(policy),
      require: (await here.run('verify', image, '--require', rule)).exitCode,
      offline: (await pack(name)).exitCode,
      attribute: await reviewedBy(),
    });
    expect(await verdicts('before')).toEqual({ admit: 0, webhook: true, require: 0, offline: 0, attribute: ALICE });
    await here.document('review', 'reject', image, ...by('Alice@Example.com'));
    expect(await verdicts('after')).toEqual({
      admit: 20,
      webhook: false,
      require: 12,
      offline: 20,
      attribute: undefined,
    });
  });
});
