// One rule says whose address is a person's, wherever a person signs, is named or is counted.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { cleanupAt } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runLine } from './command-line.ts';
import { type Company, installWithCompany, REVIEW_TYPE, SSO } from './company.ts';
import { COMMIT, CONTEXT, type Installation } from './installation.ts';
import { SERVICE_PRIVATE_KEY, SERVICE_PUBLIC_KEY } from './openpgp-key.ts';

const cleanup = cleanupAt(afterAll);
let here: Installation;
let company: Company;

/** Of each kind one; records/src/reviewer/machine-address.test.ts has many more. */
const PROGRAMS = [
  '198982749+Copilot@users.noreply.github.com',
  'noreply@github.com',
  'noreply@anthropic.com',
  'CursorAgent@cursor.com',
  'x7f3@bots.bitbucket.org',
  '557058@connect.atlassian.com',
  'release-bot@acme.example',
  'agent@warp.dev',
];
const PEOPLE = ['dana@acme.example', '12345+dana@users.noreply.github.com'];

beforeAll(async () => {
  ({ here, company } = await installWithCompany(cleanup));
  here.file('service.pub', SERVICE_PUBLIC_KEY);
  here.file('service.key', SERVICE_PRIVATE_KEY);
});
/** A policy for the images of this name, whose reviewers are those of the login, with more for `review`. */
function policyFor(name: string, subject: string, more = ''): string {
  return here.file(
    `${name}.yaml`,
    `version: 1
images: ["${here.registry}/${name}*"]
agent: { issuer: "${here.url}", subject: "agent:code-writer" }
review: { issuer: "${SSO}", ${subject}${more} }
`,
  );
}

type Word = {
  readonly address: string;
  readonly decision?: string;
  readonly issuer?: string;
  readonly isUri?: boolean;
};

/** An image that the agent signed, with the words of these people about it. */
async function reviewed(name: string, ...words: readonly Word[]): Promise<string> {
  const image = await here.push(name);
  await here.document('sign', ...CONTEXT, image);
  const sha256 = image.split('@sha256:')[1];
  for (const { address, decision = 'approved', issuer = SSO, isUri = false } of words) {
    const statement = {
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ digest: { sha256, gitCommit: COMMIT } }],
      predicateType: REVIEW_TYPE,
      predicate: {
        human_reviewer: address,
        review_timestamp: company.authority.now.toISOString(),
        decision,
        commit_sha: COMMIT,
        review_duration_seconds: 60,
      },
    };
    const subject = isUri ? `reviewer:${address}` : address;
    const claims = { issuer, subject, isUri };
    await company.attach(image, company.sign(statement, claims));
  }
  return image;
}

async function admitted(image: string, policy: string): Promise<{ exitCode: number; codes: string[] }> {
  const { exitCode, stdout } = await here.run(
    'admit',
    image,
    '--policy',
    policy,
    '--config',
    company.configuration,
    '-o',
    'json',
  );
  const { reasons = [], error } = JSON.parse(stdout) as { reasons?: Array<{ code: string }>; error?: object };
  if (error !== undefined && reasons.length === 0) throw new Error(stdout);
  return { exitCode, codes: reasons.map(({ code }) => code) };
}

describe('a reviewer', () => {
  test.each(PROGRAMS)('is not %s, whose e-mail certificate or name the policy lets through', async (address) => {
    const name = `program-${PROGRAMS.indexOf(address)}`;
    const policy = policyFor(name, "subjectRegExp: '(reviewer:)?.+@.+[.](com|org|dev|example)'");
    const found = await admitted(await reviewed(name, { address }), policy);
    expect(found).toEqual({ exitCode: 20, codes: ['admission.reviewer_no_person'] });
    const prefixed = await admitted(await reviewed(name, { address, isUri: true }), policy);
    expect(prefixed.exitCode).toBe(20);
  });

  test.each(PEOPLE)('is %s', async (address) => {
    const name = `person-${PEOPLE.indexOf(address)}`;
    const policy = policyFor(name, "subjectRegExp: '.+@.+[.](com|org|dev|example)'");
    expect(await admitted(await reviewed(name, { address }), policy)).toEqual({ exitCode: 0, codes: [] });
  });

  test.each(PROGRAMS)('by the name of %s gets no token, and signs nothing', async (address) => {
    const line = ['review', 'approve', '--reviewer', address, '--commit-sha', COMMIT, '--repo', 'acme/shop'];
    const ran = await runLine([...line, '-o', 'json'], { COLOPHON_HOME: here.dataDir });
    expect([ran.exitCode, JSON.parse(ran.stdout).error.code]).toEqual([1, 'cli.usage']);
  });
});

describe('a no', () => {
  test('is heard whatever its signer’s address reads like', async () => {
    const policy = policyFor('program-no', "subjectRegExp: '.+@.+[.](com|org|dev|example)'");
    const image = await reviewed(
      'program-no',
      { address: 'dana@acme.example' },
      { address: 'release-bot@acme.example', decision: 'rejected' },
    );
    expect((await admitted(image, policy)).codes).toContain('admission.review_rejected');
  });
});

test('an OpenPGP key of a service account is no person’s, as its certificate is none', async () => {
  const file = join(here.folder, 'service.vex.json');
  const product = 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1';
  const about = ['--vulnerability', 'CVE-2021-44228', '--product', product];
  const status = ['--status', 'not_affected', '--justification', 'vulnerable_code_not_present'];
  await here.document('vex', 'create', '--author', 'Dana', '--out', file, ...about, ...status);
  const key = join(here.folder, 'service.key');
  await here.document('vex', 'sign', file, '--reviewer', 'dana@example.com', '--openpgp-key', key);
  const verified = await here.document('vex', 'verify', file, '--openpgp-key', join(here.folder, 'service.pub'));
  expect(verified).toMatchObject({
    signatures: [{ kind: 'openpgp', signer: 'Deploy <deploy@acme.iam.gserviceaccount.com>', is_person: false }],
  });
});

describe('the domains of the people', () => {
  const pattern = "subjectRegExp: '(dana|eve)@.+'";
  const domains = ", domains: [Acme.example, '*.acme.example', bücher.example]";

  test.each([
    ['dana@acme.example', []],
    ['dana@ACME.example', []],
    ['dana@eu.acme.example', []],
    ['dana@xn--bcher-kva.example', []],
    ['dana@evilacme.example', ['admission.reviewer_domain']],
    ['dana@acme.example.evil.example', ['admission.reviewer_domain']],
    ['dana@a.eu.acme.example', ['admission.reviewer_domain']],
    ['dana@example', ['admission.reviewer_domain']],
  ])('count %s for a yes: %j', async (address, codes) => {
    const name = `domain-${address.replace(/\W/g, '').toLowerCase()}${address.length}`;
    const found = await admitted(await reviewed(name, { address }), policyFor(name, pattern, domains));
    expect(found).toEqual({ exitCode: codes.length === 0 ? 0 : 20, codes });
  });

  test('hear a no from everywhere, and let no other domain take it back', async () => {
    const policy = policyFor('domain-no', pattern, domains);
    const image = await reviewed(
      'domain-no',
      { address: 'dana@acme.example' },
      { address: 'eve@other.example', decision: 'rejected' },
    );
    expect((await admitted(image, policy)).codes).toEqual(['admission.review_rejected']);
  });

  test('let no other domain withdraw a rejection', async () => {
    const image = await here.push('domain-withdraw');
    await here.document('sign', ...CONTEXT, image);
    const as = (name: string) => ['--reviewer', name, '--commit-sha', COMMIT];
    await here.document('review', 'approve', image, ...as('bob@acme.example'));
    await here.document('review', 'reject', image, ...as('dana@acme.example'));
    const digest = image.split('@')[1] as string;
    const { rejections } = await here.document('review', 'list');
    const { id } = rejections.find(({ images }: { images: string[] }) => images.includes(digest));
    const policy = here.file(
      'domain-withdraw.yaml',
      `version: 1
images: ["${here.registry}/domain-withdraw*"]
agent: { issuer: "${here.url}", subject: "agent:code-writer" }
review:
  issuer: ${here.url}
  subjectRegExp: 'reviewer:.+@.+'
  domains: [acme.example]
  mayWithdraw: [{ issuer: "${here.url}", subjectRegExp: 'reviewer:lead@.+' }]
`,
    );
    const withdrawn = (by: string) =>
      here.document('review', 'withdraw', image, '--rejection', id, '--reason', 'left', '--reviewer', by);
    await withdrawn('lead@other.example');
    expect((await admitted(image, policy)).codes).toEqual(['admission.review_rejected']);
    await withdrawn('lead@acme.example');
    expect((await admitted(image, policy)).codes).toEqual([]);
  });

  test('are not needed, and lint warns of a pattern that takes a domain which anybody can have', async () => {
    const lint = async (subject: string, more = '') => {
      const file = policyFor('domain-lint', subject, more);
      const { policies } = await here.document('admission', 'lint', file);
      const { warnings } = policies[0] as { warnings: Array<{ code: string }> };
      return warnings.map(({ code }) => code).filter((code) => /any_(?:domain|reviewer)/.test(code));
    };
    expect(await lint("subjectRegExp: 'dana@.+'")).toEqual(['policy.lint_any_domain']);
    expect(await lint("subjectRegExp: '.+@.*acme[.]example'")).toEqual(['policy.lint_any_domain']);
    expect(await lint("subjectRegExp: '.+@acme[.]example'")).toEqual([]);
    expect(await lint("subjectRegExp: '.+@(.+[.])?acme[.]example'")).toEqual([]);
    expect(await lint("subjectRegExp: 'dana@.+'", domains)).toEqual([]);
    const open = await admitted(
      await reviewed('domain-open', { address: 'dana@any.example' }),
      policyFor('domain-open', pattern),
    );
    expect(open).toEqual({ exitCode: 0, codes: [] });
  });

  test('are said where the policy is generated for another program, with what that loses', async () => {
    const file = policyFor('domain-generated', "subjectRegExp: 'reviewer:.+@.+'", domains);
    const out = join(here.folder, 'generated');
    await here.run('admission', 'generate', '--policy', file, '--to', 'cosign', '--out', out);
    const text = readdirSync(out, { recursive: true, encoding: 'utf8' })
      .filter((one) => statSync(join(out, one)).isFile())
      .map((one) => readFileSync(join(out, one), 'utf8'))
      .join('\n');
    expect(text).toContain('@(acme[.]example|[^.@]+[.]acme[.]example|xn--bcher-kva[.]example)$');
    expect(text).toContain('review.domains: the domain is asked of the reviewer whom the review names');
  });

  test.each(['alice@acme.example', '*', 'acme example'])('are domains, and not %j', async (text) => {
    const file = policyFor('domain-wrong', pattern, `, domains: ['${text}']`);
    const { stdout } = await here.run('admission', 'lint', file, '-o', 'json');
    expect(stdout).toContain('policy.domain_invalid');
  });
});
