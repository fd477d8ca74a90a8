// Two pinned roots. Whoever owns the second certifies whomever he likes, and is no word about the issuer of the first.
import { createHash, X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  agentReviewType,
  agentRunType,
  createAgentReviewStatement,
  createReviewWithdrawalStatement,
  DEFAULT_PREDICATE_BASE,
  type Statement,
} from '@colophon/records';
import { readConfiguredTrust, startServer } from '@colophon/server';
import { imageToFetch, RegistryClient } from '@colophon/sigstore';
import { freePort, temporaryFolder } from '@colophon/testkit';
import { draftBlob, draftStatement, toBytes } from '@colophon/testkit/local-sigstore/draft-bundle';
import { LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { attachBundle } from '../../../signing/sigstore/src/image-signature/attach.ts';
import { documentOf, runLine } from './command-line.ts';
import { AGENT_RUN, COMMIT, CONTEXT, type Installation, install, policyText } from './installation.ts';

const REVIEW = agentReviewType(DEFAULT_PREDICATE_BASE);
const RUN = agentRunType(DEFAULT_PREDICATE_BASE);
const SLSA = 'https://slsa.dev/provenance/v1';
const undo: Array<() => void | Promise<void>> = [];
const cleanup = (one: () => void | Promise<void>) => undo.push(one);
/** The owner of the second root, who has the keys of its authority and of its logs. */
const partner = new LocalSigstore();
/** Ours; its evidence store trusts the partner too. */
let here: Installation;
/** Roots of the client: its own, and the partner's. */
let configuration: string;
let policy: string;
let next = 0;

beforeAll(async () => {
  const file = join(temporaryFolder(cleanup), 'partner.json');
  writeFileSync(file, JSON.stringify(partner.trustedRootJson()));
  const roots = [{ name: 'partner', file, insecureIgnoreSct: false }];
  here = await install(cleanup, { trust: readConfiguredTrust({ roots }, new Date()) });
  const own = join(here.dataDir, 'trust', 'trusted_root.json');
  configuration = here.file(
    'colophon.yaml',
    `issuer: ${here.url}\ntrust: { roots: [{ name: own, file: ${own} }, ${file}] }\n`,
  );
  here.env['COLOPHON_CONFIG'] = configuration;
  policy = here.file('policy.yaml', `${policyText(here.url, here.registry)}${WITHDRAWALS()}`);
});
afterAll(async () => {
  for (const one of undo.reverse()) await one();
});

const WITHDRAWALS = () => `  mayWithdraw: [{ issuer: ${here.url}, subject: "reviewer:bob@example.com" }]\n`;
const by = (name: string) => ['--reviewer', `${name}@example.com`, '--commit-sha', COMMIT];
const sha256Of = (image: string) => image.slice(image.indexOf('@sha256:') + '@sha256:'.length);
const subjectsOf = (image: string) => [
  { name: 'image', digest: { sha256: sha256Of(image) } },
  { name: 'commit', digest: { gitCommit: COMMIT } },
];

/** A statement that the partner certified for somebody of ours, now or as much later as is asked. */
function byPartner(subject: string, statement: Statement, laterMs = 0, issuer = here.url) {
  partner.now = new Date(Math.floor(Date.now() / 1000) * 1000 + laterMs);
  const name = subject.startsWith('agent:') ? { agent_name: subject.slice('agent:'.length) } : {};
  const claims = { iss: issuer, sub: subject, aud: 'sigstore', jti: `partner-${next++}`, ...name } as const;
  return toBytes(draftStatement(partner, statement, { claims }));
}

function reviewOf(image: string, decision: 'approved' | 'rejected', reviewer = 'alice@example.com'): Statement {
  const review_timestamp = new Date().toISOString();
  const predicate = { human_reviewer: reviewer, review_timestamp, decision, review_duration_seconds: 90 };
  return createAgentReviewStatement({ subjects: subjectsOf(image), predicate });
}

const statementOf = (image: string, predicateType: string, predicate: object): Statement => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject: subjectsOf(image),
  predicateType,
  predicate,
});

async function attach(image: string, bundle: Uint8Array, predicateType: string): Promise<void> {
  const client = new RegistryClient();
  const resolved = await client.resolve(imageToFetch(image));
  await attachBundle(client, resolved, { bundle, predicateType, now: new Date() });
}

/** Signed by the agent and approved by alice, all of it under our root. */
async function goodImage(name: string): Promise<string> {
  const image = await here.push(`webshop-${name}`);
  await here.document('sign', ...CONTEXT, image);
  await here.document('review', 'approve', image, ...by('alice'));
  return image;
}

/** What every command that judges an image says of it: nothing in here may hang on what the partner signed. */
async function answers(image: string, file = policy) {
  const admitted = documentOf(await here.run('admit', image, '--policy', file, '-o', 'json'));
  const explained = documentOf(await here.run('explain', image, '--policy', file, '-o', 'json'));
  const { admitted: isAdmitted, reasons, warnings, verdicts } = admitted;
  const { reviews = [], contradictions = [], signatures = [] } = explained;
  return {
    isAdmitted,
    reasons: codesOf(reasons),
    warnings,
    verdicts: verdicts.map(({ reasons, ...verdict }: { reasons: Reason[] }) => ({
      ...verdict,
      reasons: codesOf(reasons),
    })),
    explained: { reviews, contradictions, signatures },
  };
}

type Reason = { readonly code: string };

/** What is missing is missing, whether or not something is attached that does not count. */
const NOT_THERE: Readonly<Record<string, string>> = {
  'admission.review_not_verified': 'admission.review_missing',
  'admission.signature_rejected': 'admission.no_signature',
};
const codesOf = (reasons: readonly Reason[]) => reasons.map(({ code }) => NOT_THERE[code] ?? code);

/** Does what the partner can do, and expects that nobody's answer changed. */
async function changesNothing(image: string, bundle: Uint8Array, predicateType: string, file = policy) {
  const before = await answers(image, file);
  await attach(image, bundle, predicateType);
  const stored = await here.refusal('evidence', 'import', here.file(`partner-${next++}.json`, bundle));
  expect(stored).toMatchObject({ code: 'evidence.not_verified' });
  expect(await answers(image, file)).toEqual(before);
  return before;
}

describe('under the root of somebody else nobody of ours', () => {
  test('approves', async () => {
    const image = await here.push('webshop-approved');
    await here.document('sign', ...CONTEXT, image);
    const bundle = byPartner('reviewer:alice@example.com', reviewOf(image, 'approved'));
    const { isAdmitted, reasons } = await changesNothing(image, bundle, REVIEW);
    expect([isAdmitted, reasons]).toEqual([false, ['admission.review_missing']]);
    // What is attached and is no word is said beside the others, and is not incomplete.
    const explained = documentOf(await here.run('explain', image, '-o', 'json'));
    expect(JSON.stringify(explained.rejected ?? explained)).toContain('certificate.issuer_not_of_root');
  });

  test('rejects', async () => {
    const image = await goodImage('rejected');
    const bundle = byPartner('reviewer:alice@example.com', reviewOf(image, 'rejected'));
    expect((await changesNothing(image, bundle, REVIEW)).isAdmitted).toBe(true);
  });

  test('ends a rejection by an approval', async () => {
    const image = await here.push('webshop-ended');
    await here.document('review', 'reject', image, ...by('alice'));
    const approval = byPartner('reviewer:alice@example.com', reviewOf(image, 'approved'), 5_000);
    expect((await changesNothing(image, approval, REVIEW)).isAdmitted).toBe(false);
  });

  test('withdraws a rejection', async () => {
    const image = await here.push('webshop-withdrawn');
    await here.document('review', 'reject', image, ...by('alice'));
    const { rejections } = await here.document('review', 'list');
    const { id } = rejections.find((one: { images: string[] }) => one.images.includes(`sha256:${sha256Of(image)}`));
    const withdrawal = createReviewWithdrawalStatement({
      subjects: subjectsOf(image),
      predicate: { rejection: id, reason: 'all is well', withdrawn_at: new Date().toISOString() },
    });
    const bundle = byPartner('reviewer:bob@example.com', withdrawal, 5_000);
    expect((await changesNothing(image, bundle, withdrawal.predicateType)).isAdmitted).toBe(false);
    const listed = await here.document('review', 'list');
    expect([listed.rejections.length, listed.withdrawals]).toEqual([rejections.length, []]);
  });

  test('signs an image', async () => {
    const bare = await here.push('webshop-bare');
    const run = byPartner('agent:code-writer', statementOf(bare, RUN, AGENT_RUN));
    expect((await changesNothing(bare, run, RUN)).isAdmitted).toBe(false);
  });

  test('was run without approval', async () => {
    const image = await goodImage('run');
    const not = { ...AGENT_RUN, human_review: { ...AGENT_RUN.human_review, approved: false } };
    const bad = byPartner('agent:code-writer', statementOf(image, RUN, not));
    expect((await changesNothing(image, bad, RUN)).isAdmitted).toBe(true);
  });

  test('builds', async () => {
    const image = await goodImage('built');
    const rule = `{ issuer: ${here.url}, subject: "agent:builder", predicateType: ${SLSA} }`;
    const built = here.file('built.yaml', `${policyText(here.url, here.registry)}require:\n  - ${rule}\n`);
    const provenance = byPartner('agent:builder', statementOf(image, SLSA, { buildDefinition: {}, runDetails: {} }));
    expect((await changesNothing(image, provenance, SLSA, built)).isAdmitted).toBe(false);
  });

  test('signs the list of rejections', async () => {
    const image = await goodImage('listed');
    const forged: Statement = {
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'standing-negatives', digest: { sha256: 'a'.repeat(64) } }],
      predicateType: `${DEFAULT_PREDICATE_BASE}/standing-negatives/v1`,
      predicate: { sequence: 1_000_000, time: new Date().toISOString(), rejections: [], withdrawals: [] },
    };
    const list = byPartner(`evidence:${new URL(here.url).host}`, forged);
    const server = createServer((_, reply) => reply.end(list)).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const from = `http://127.0.0.1:${(server.address() as AddressInfo).port}/negatives`;
    const signer = `{ issuer: ${here.url}, subject: "evidence:${new URL(here.url).host}" }`;
    const file = here.file(
      'listed.yaml',
      `${policyText(here.url, here.registry)}negatives: { from: "${from}", signer: ${signer}, maxAge: 15m }\n`,
    );
    const { admitted, reasons } = documentOf(await here.run('admit', image, '--policy', file, '-o', 'json'));
    expect(admitted).toBe(false);
    expect(JSON.stringify(reasons)).toContain('certificate.issuer_not_of_root');
  });
});

test('a file that the partner certified for our agent is refused with the roots, and his own people count', async () => {
  const artifact = here.file('change.patch', 'a change\n');
  partner.now = new Date(Math.floor(Date.now() / 1000) * 1000);
  const claims = { iss: here.url, sub: 'agent:code-writer', agent_name: 'code-writer', jti: 'x' };
  const bundle = here.file('partner-blob.json', toBytes(draftBlob(partner, Buffer.from('a change\n'), { claims })));
  expect(await here.refusal('verify-blob', '--bundle', bundle, ...here.pinned, artifact)).toMatchObject({
    exitCode: 13,
    code: 'certificate.issuer_not_of_root',
    expected: 'own',
    found: 'partner',
  });
  const theirs = { ...claims, iss: 'https://partner.example' };
  const good = here.file(
    'partner-own.json',
    toBytes(draftBlob(partner, Buffer.from('a change\n'), { claims: theirs })),
  );
  const pinned = ['--certificate-identity', 'agent:code-writer', '--certificate-oidc-issuer', theirs.iss];
  const verified = await here.document('verify-blob', '--bundle', good, ...pinned, artifact);
  expect(verified.certificate_identity).toMatchObject({ issuer: theirs.iss, root: 'partner' });
  // With his root alone there is nobody to take the issuer from him: as it always was.
  const alone = {
    ...here.env,
    COLOPHON_CONFIG: '',
    COLOPHON_TRUSTED_ROOT: here.file('alone.json', partner.trustedRootJson()),
  };
  expect((await runLine(['verify-blob', '--bundle', bundle, ...here.pinned, artifact], alone)).exitCode).toBe(0);
});

describe('two `colophon up` of one port', () => {
  /** Each with a folder of its own, one after the other. */
  async function upTwice(): Promise<readonly [string, string]> {
    const folder = temporaryFolder(onTestFinished);
    const roots = [];
    const port = await freePort();
    for (const name of ['first', 'second']) {
      const dataDir = join(folder, name);
      const server = await startServer({ dataDir, reviewerSecretFile: join(folder, `${name}.secret`), port });
      await server.close();
      roots.push(join(dataDir, 'trust', 'trusted_root.json'));
    }
    return [roots[0]!, roots[1]!];
  }

  test('are refused together, since each says who is whom at the other’s address', async () => {
    const [first, second] = await upTwice();
    const issuer = JSON.parse(readFileSync(first, 'utf8')).certificateAuthorities[0].uri;
    const roots = `[{ name: first, file: ${first}, issuers: [${issuer}] }, { name: second, file: ${second}, issuers: [${issuer}] }]`;
    const file = here.file('twice.yaml', `trust: { roots: ${roots} }\n`);
    const artifact = here.file('twice.txt', 'twice\n');
    await here.document('sign-blob', ...CONTEXT, artifact);
    const line = ['verify-blob', '--config', file, '--bundle', `${artifact}.sigstore.json`, ...here.pinned, artifact];
    expect(await here.refusal(...line)).toMatchObject({
      exitCode: 1,
      code: 'trusted_root.local_issuer_repeated',
      checked: `${first}, ${second}`,
      found: 'first, second',
      expected: expect.stringContaining('colophon up --data NEW-FOLDER --port 0'),
    });
    // The same one twice is one.
    const same = here.file('same.yaml', `trust: { roots: ${roots.replace(second, first)} }\n`);
    expect(await here.refusal(...line.with(2, same))).toMatchObject({ code: 'certificate.untrusted' });
  });

  test('have authorities whose names end in their keys', async () => {
    const names = (await upTwice()).flatMap((file) =>
      JSON.parse(readFileSync(file, 'utf8')).certificateAuthorities[0].certChain.certificates.map(
        ({ rawBytes }: { rawBytes: string }) => new X509Certificate(Buffer.from(rawBytes, 'base64')),
      ),
    );
    for (const certificate of names) {
      const spki = certificate.publicKey.export({ type: 'spki', format: 'der' });
      const word = createHash('sha256').update(spki).digest('hex').slice(0, 8);
      expect(certificate.subject.split('\n')).toContainEqual(
        expect.stringMatching(new RegExp(`^CN=Colophon local (root|intermediate) ${word}$`)),
      );
    }
    expect(new Set(names.map(({ subject }) => subject)).size).toBe(4);
  });
});

test('two roots that do not say whom they are for are refused, wherever several can be named', async () => {
  const [a, b] = [partner, new LocalSigstore()].map((one, index) =>
    here.file(`open-${index}.json`, one.trustedRootJson()),
  );
  const roots = `[{ name: first, file: ${a} }, { name: second, file: ${b} }]`;
  const artifact = here.file('open.txt', 'open\n');
  await here.document('sign-blob', ...CONTEXT, artifact);
  const digest = 'e'.repeat(64);
  const run = statementOf(`shop@sha256:${digest}`, RUN, AGENT_RUN);
  const kept = byPartner('agent:code-writer', run, 0, 'https://partner.example');
  await here.document('evidence', 'import', here.file('theirs.json', kept));
  const client = here.file('open.yaml', `trust: { roots: ${roots} }\n`);
  const line = ['verify-blob', '--config', client, '--bundle', `${artifact}.sigstore.json`, ...here.pinned, artifact];
  expect(await here.refusal(...line)).toMatchObject({
    exitCode: 1,
    code: 'trusted_root.issuers_missing',
    found: 'no issuers: first, second',
  });
  const listen = 'listen: { address: localhost, port: 7081 }';
  const store = (more: string) =>
    `issuer: ${here.url}\n${listen}\ndata: ${here.dataDir}\nroles: [issuer, authority, evidence]\ntrust: { roots: ${more} }\n`;
  const checked = await here.refusal('config', 'check', here.file('store.yaml', store(roots)));
  expect(checked).toMatchObject({
    code: 'server.configuration_invalid',
    issues: [{ code: 'configuration.root_without_issuers', path: '/trust/roots/1', found: expect.any(String) }],
  });
  // What the store keeps shows whom each of them certified: nothing is left to guess.
  expect(checked.issues[0].found).toBe('first: https://partner.example; second: nobody');
  const one = roots.replace(`${b} }`, `${b}, issuers: ["https://*.b.example"] }`);
  const ok = await here.document('config', 'check', here.file('store.yaml', store(one)));
  expect(ok.roots).toEqual([
    expect.objectContaining({
      name: 'embedded',
      issuers: [here.url],
      certifies_others: false,
      seen_issuers: [here.url],
    }),
    expect.objectContaining({
      name: 'first',
      issuers: [],
      certifies_others: true,
      seen_issuers: ['https://partner.example'],
    }),
    expect.objectContaining({
      name: 'second',
      issuers: ['https://*.b.example'],
      certifies_others: false,
      seen_issuers: [],
    }),
  ]);
  expect(ok.warnings.join()).not.toContain('belongs to');
  const told = await here.run('config', 'check', here.file('store.yaml', store(one)));
  expect(told.stdout).toMatch(/^ {2}root {5}first: whom no other root names; seen: https:\/\/partner\.example$/m);
  const wrong = one.replace('"https://*.b.example"', '"https://*.example"');
  expect(await here.refusal('config', 'check', here.file('store.yaml', store(wrong)))).toMatchObject({
    issues: [{ code: 'configuration.issuer_invalid', path: '/trust/roots/1/issuers/0' }],
  });
});

describe('the root stands beside each signer', () => {
  /** Signed by an agent that says different things, run and reviewed, and rejected by somebody else. */
  async function explainedImage(): Promise<string> {
    const image = await goodImage('rooted');
    const run = here.file('rooted.json', AGENT_RUN);
    await here.document('attest', '--type', 'agent-run', '--predicate', run, ...CONTEXT, image);
    await here.document('sign', ...CONTEXT.map((one) => (one === 'acme/webshop' ? 'acme/other' : one)), image);
    await here.document('review', 'reject', image, ...by('carol'));
    return image;
  }

  /** Paths of what names a signer, and no root beside. */
  function withoutRoot(value: unknown, path = ''): string[] {
    if (typeof value !== 'object' || value === null || path.endsWith('/statement')) return [];
    const members = Object.entries(value).flatMap(([name, member]) => withoutRoot(member, `${path}/${name}`));
    const named = value as Record<string, unknown>;
    const { root, signer, subject, issuer, person, certificate_identity: identity, by: said } = named;
    const isSigner = typeof signer === 'string' || (typeof subject === 'string' && typeof issuer === 'string');
    const isSaid = typeof said === 'string' && said.includes(' of ') && !said.endsWith(' (root own)');
    const isBare = person !== undefined && identity === undefined;
    return [...members, ...((isSigner && root !== 'own') || isSaid || isBare ? [path] : [])];
  }

  test('in what explains an image', async () => {
    const image = await explainedImage();
    const explained = await here.document('explain', image);
    const { sentence, facts, claimed_reviews: claimed, rejections, differences } = explained;
    for (const found of [facts, claimed, rejections, differences]) expect(found).not.toEqual([]);
    expect(withoutRoot(explained)).toEqual([]);
    expect(sentence).toContain(`(issuer ${here.url}, root own)`);
    const { stdout } = await here.run('explain', image);
    const text = stdout.replaceAll(/\s+/g, ' ');
    const named = text.match(/(?:signed by|the word of) \S+ of [^\s,)]+/g) ?? [];
    expect(named.length).toBeGreaterThan(4);
    for (const one of named) expect(text).toContain(`${one}, root own`);
  });

  test('in the list of rejections, of whoever signed the list', async () => {
    const list = await here.document('review', 'list');
    expect(list.signed_by).toMatchObject({ issuer: here.url, root: 'own' });
    const { stdout } = await here.run('review', 'list');
    expect(stdout.split('\n')[0]).toContain(`signed by ${list.signed_by.subject} (root own)`);
  });
});

test('a pack says under which roots it was made, and a reader’s own decide', async () => {
  const image = await goodImage('packed');
  const pack = join(here.folder, 'packed.json');
  const before = await here.document('pack', image, '--policy', policy, '--out', pack);
  await attach(image, byPartner('reviewer:alice@example.com', reviewOf(image, 'rejected')), REVIEW);
  const after = await here.document('pack', image, '--policy', policy, '--out', pack);
  expect([before.admission.admitted, after.admission.admitted]).toEqual([true, true]);
  const read = await here.document('verify', '--offline', pack, '--policy', policy);
  expect(read.admission.admitted).toBe(true);
  const alone = { ...here.env, COLOPHON_CONFIG: '', COLOPHON_HOME: join(here.folder, 'nowhere') };
  const ran = await runLine(['verify', '--offline', pack, '--policy', policy, '-o', 'json'], alone);
  expect([ran.exitCode, documentOf(ran).trusted_by, documentOf(ran).admission.admitted]).toEqual([13, 'pack', true]);
});
