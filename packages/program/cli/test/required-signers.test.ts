// Two signers at once (contract §5.4), by the program: an agent here, a build runner of another authority that is pinned too.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { imageToFetch, RegistryClient } from '@colophon/sigstore';
import { cleanupAt } from '@colophon/testkit';
import { draftBlob, draftStatement, logged, toBytes } from '@colophon/testkit/local-sigstore/draft-bundle';
import { emailName, LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import { relabel, signText } from '@colophon/testkit/local-sigstore/relabel';
import { envelopeText } from '@colophon/testkit/local-sigstore/signed-texts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attachBundle } from '../../../signing/sigstore/src/image-signature/attach.ts';
import { buildRunner, CI_ISSUER, WORKFLOW } from './build-runner.ts';
import { documentOf } from './command-line.ts';
import { AGENT_RUN, COMMIT, CONTEXT, type Installation, install } from './installation.ts';

const SIGN_TYPE = 'https://sigstore.dev/cosign/sign/v1';
const SLSA = 'https://slsa.dev/provenance/v1';
const cleanup = cleanupAt(afterAll);
const foreign = new LocalSigstore();
const CHANGE = Buffer.from('a change\n');
let here: Installation;
let artifact: string;
let configuration: string;
let byAgent: string;
let byFixer: string;
let byRunner: string;
let next = 0;

const AGENT = () => `{ issuer: ${here.url}, subject: agent:code-writer }`;
const AGENTS = () => `{ issuer: ${here.url}, subjectRegExp: "agent:.*" }`;
const RUNNER = `{ issuer: ${CI_ISSUER}, subject: "${WORKFLOW}" }`;
const PROVENANCE = `{ issuer: ${CI_ISSUER}, subject: "${WORKFLOW}", predicateType: ${SLSA} }`;
const bundleFile = (bundle: unknown) => here.file(`bundle-${next++}.json`, toBytes(bundle));
const requiring = (...rules: string[]) => rules.flatMap((rule) => ['--require', rule]);
const withBundles = (...bundles: string[]) => bundles.flatMap((bundle) => ['--bundle', bundle]);

const statement = (sha256: string, predicateType: string) => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject: [{ name: 'image', digest: { sha256 } }],
  predicateType,
  predicate: {},
});

/** What the program says: the rules that are met, or the code of the refusal and of each issue in it. */
async function said(...line: string[]): Promise<readonly string[]> {
  const ran = await here.run(...line, '--config', configuration, '-o', 'json');
  const document = documentOf(ran);
  if (ran.exitCode !== 0) {
    const { code, issues = [] } = document.error;
    return [`exit ${ran.exitCode}`, code, ...issues.map((one: { code: string }) => one.code)];
  }
  const met = document.signatures ?? [document, ...(document.further_signatures ?? [])];
  return met.map((one: { certificate_identity: { subject: string } }) => one.certificate_identity.subject);
}

const verifyBlob = (rules: readonly string[], ...bundles: string[]) =>
  said('verify-blob', artifact, ...requiring(...rules), ...withBundles(...bundles));
const UNMET = ['exit 12', 'cli.requirement_unmet', 'admission.required_signature_missing'];

beforeAll(async () => {
  here = await install(cleanup);
  artifact = here.file('change.patch', CHANGE);
  here.file('company.json', foreign.trustedRootJson());
  const own = join(here.dataDir, 'trust', 'trusted_root.json');
  configuration = here.file('colophon.yaml', `trust: { roots: [{ name: own, file: ${own} }, company.json] }\n`);
  await here.document('sign-blob', ...CONTEXT, artifact);
  byAgent = `${artifact}.sigstore.json`;
  byFixer = join(here.folder, 'fixer.json');
  await here.document('sign-blob', ...CONTEXT.toSpliced(1, 1, 'code-fixer'), '--bundle', byFixer, artifact);
  byRunner = bundleFile(draftBlob(foreign, CHANGE, buildRunner()));
});
describe('verify-blob --require', () => {
  test('takes a file that agent and build runner signed, in whatever order', async () => {
    expect(await verifyBlob([AGENT(), RUNNER], byAgent, byRunner)).toEqual(['agent:code-writer', WORKFLOW]);
    expect(await verifyBlob([RUNNER, AGENT()], byAgent, byRunner)).toEqual([WORKFLOW, 'agent:code-writer']);
    expect(await verifyBlob([AGENTS(), AGENT()], byAgent, byFixer)).toEqual(['agent:code-fixer', 'agent:code-writer']);
    expect(await verifyBlob([AGENT()])).toEqual(['agent:code-writer']);
  });

  test('reads rules out of a file, and tells what each is met by', async () => {
    const rules = here.file('rules.yaml', `- ${AGENT()}\n- ${RUNNER}\n`);
    const line = [
      'verify-blob',
      artifact,
      '--require',
      rules,
      ...withBundles(byAgent, byRunner),
      '--config',
      configuration,
    ];
    const document = await here.document(...line);
    expect(document).toMatchObject({
      rule: `agent:code-writer of ${here.url}`,
      further_signatures: [{ ok: true, rule: `${WORKFLOW} of ${CI_ISSUER}` }],
    });
    const { stdout } = await here.run(...line);
    expect(stdout).toMatch(
      /^verified \S+change\.patch: 2 signatures by agent:code-writer \(.*\) and https:\/\/github\.com/,
    );
    const details = await here.run(...line, '--details');
    expect(details.stdout.match(/^verified /gm)).toHaveLength(2);
  });

  test('takes no signature for two', async () => {
    const again = JSON.parse(readFileSync(byAgent, 'utf8'));
    const rewritten = here.file('rewritten.json', JSON.stringify(again, null, 2));
    const { mediaType, verificationMaterial, messageSignature } = again;
    const reordered = here.file('reordered.json', { messageSignature, verificationMaterial, mediaType });
    for (const copy of [byAgent, rewritten, reordered]) {
      expect(await verifyBlob([AGENT(), AGENTS()], byAgent, copy)).toEqual(UNMET);
    }
    // The same signature, logged once more by somebody who has no key.
    const once = draftBlob(foreign, CHANGE, buildRunner());
    const body = JSON.parse(
      Buffer.from(once.verificationMaterial.tlogEntries[0].canonicalizedBody, 'base64').toString(),
    );
    const relogged = structuredClone(once);
    relogged.verificationMaterial.tlogEntries = [logged(foreign, body)];
    expect(await verifyBlob([RUNNER, RUNNER], bundleFile(once), bundleFile(relogged))).toEqual(UNMET);
  });

  test('takes no two signatures of one signer for those of two', async () => {
    const second = join(here.folder, 'second.json');
    await here.document('sign-blob', ...CONTEXT, '--bundle', second, artifact);
    expect(await verifyBlob([AGENT(), AGENTS()], byAgent, second)).toEqual(UNMET);
    expect(await verifyBlob([AGENTS(), AGENTS()], byAgent, byFixer)).toHaveLength(2);
  });

  test('takes one address for one person, however it is spelt and whoever certifies it', async () => {
    const by = (iss: string, address: string) =>
      bundleFile(draftBlob(foreign, CHANGE, { claims: { iss, sub: address }, sans: [emailName(address)] }));
    const anyOf = (iss: string) => `{ issuer: ${iss}, subjectRegExp: "(?i).*@acme[.]example" }`;
    const [sso, other] = ['https://sso.example', 'https://other-sso.example'];
    const dana = by(sso, 'dana@acme.example');
    expect(await verifyBlob([anyOf(sso), anyOf(sso)], dana, by(sso, 'Dana@ACME.example'))).toEqual(UNMET);
    expect(await verifyBlob([anyOf(sso), anyOf(other)], dana, by(other, 'dana@acme.example'))).toEqual(UNMET);
    expect(await verifyBlob([anyOf(sso), anyOf(other)], dana, by(other, 'erin@acme.example'))).toHaveLength(2);
    expect(await verifyBlob([anyOf(sso), anyOf(sso)], dana, by(sso, 'erin@acme.example'))).toHaveLength(2);
  });

  test('tells a signature from an attestation', async () => {
    const attested = join(here.folder, 'run.json');
    const predicate = here.file('run-predicate.json', AGENT_RUN);
    await here.document(
      'attest-blob',
      '--type',
      'agent-run',
      '--predicate',
      predicate,
      ...CONTEXT,
      '--bundle',
      attested,
      artifact,
    );
    expect(await verifyBlob([AGENT()], attested)).toEqual(UNMET);
    const run = `{ issuer: ${here.url}, subject: agent:code-writer, predicateType: https://colophon.example/predicates/agent-run/v1 }`;
    expect(await verifyBlob([run], byAgent)).toEqual(UNMET);
    expect(await verifyBlob([run], attested)).toEqual(['agent:code-writer']);
    expect(await verifyBlob([run, AGENT()], attested)).toEqual(UNMET);
    expect(await verifyBlob([run, AGENT()], attested, byAgent)).toHaveLength(2);
  });

  test('takes no signature that somebody without a key shows as one of another kind', async () => {
    const { claims = {} } = buildRunner();
    const sha256 = createHash('sha256').update(CHANGE).digest('hex');
    const payload = Buffer.from(JSON.stringify(statement(sha256, SLSA)));
    const ofFile = signText(foreign, CHANGE, { claims });
    const ofStatement = signText(foreign, envelopeText(payload), { claims });
    for (const how of ['v1', 'v1 again', 'v2'] as const) {
      const asStatement = bundleFile(relabel(foreign, ofFile, 'envelope', how, payload));
      const asFile = bundleFile(relabel(foreign, ofStatement, 'message', how));
      for (const taken of [await verifyBlob([PROVENANCE], asStatement), await verifyBlob([RUNNER], asFile)]) {
        expect(taken[0]).toMatch(/^exit 1[23]$/);
      }
    }
    expect(await verifyBlob([PROVENANCE], bundleFile(relabel(foreign, ofStatement, 'envelope', 'v1')))).toEqual([
      WORKFLOW,
    ]);
    expect(await verifyBlob([RUNNER], bundleFile(relabel(foreign, ofFile, 'message', 'v1')))).toEqual([WORKFLOW]);
  });

  test('takes no rejection for the word that is required', async () => {
    const review = `{ issuer: ${here.url}, subject: reviewer:bob@example.com, predicateType: https://colophon.example/predicates/agent-review/v1 }`;
    const decided = async (decision: string) => {
      const bundle = join(here.folder, `${decision}-${next++}.json`);
      await here.document(
        'review',
        decision,
        artifact,
        '--reviewer',
        'bob@example.com',
        '--commit-sha',
        COMMIT,
        '--bundle',
        bundle,
      );
      return bundle;
    };
    const approved = await decided('approve');
    expect(await verifyBlob([review], approved)).toEqual(['reviewer:bob@example.com']);
    const rejected = await decided('reject');
    const [exit, code, ...issues] = UNMET;
    expect(await verifyBlob([review], rejected)).toEqual([exit, code, 'admission.review_rejected', ...issues]);
    expect(await verifyBlob([review], approved, rejected)).toEqual([exit, code, 'admission.review_rejected']);
  });

  test('takes no signature of an image with the digest of the file for one of the file', async () => {
    const sha256 = createHash('sha256').update(CHANGE).digest('hex');
    const ofImage = bundleFile(draftStatement(foreign, statement(sha256, SIGN_TYPE), buildRunner()));
    const alone = ['--certificate-identity', WORKFLOW, '--certificate-oidc-issuer', CI_ISSUER];
    expect(await said('verify-blob', artifact, ...alone, '--bundle', ofImage)).toEqual([
      'exit 12',
      'signature.not_a_signature',
    ]);
    expect(await verifyBlob([RUNNER], ofImage)).toEqual(['exit 12', 'signature.not_a_signature']);
  });

  test('has every bundle verify on its own', async () => {
    const other = bundleFile(draftBlob(foreign, Buffer.from('another change\n'), buildRunner()));
    expect(await verifyBlob([AGENT()], byAgent, other)).toEqual(['exit 12', 'artifact.mismatch']);
    const keyed = bundleFile(draftBlob(foreign, CHANGE, { keyed: true }));
    expect(await verifyBlob([AGENT()], byAgent, keyed)).toEqual(['exit 13', 'key.missing']);
    const stranger = bundleFile(draftBlob(new LocalSigstore(), CHANGE, buildRunner()));
    expect(await verifyBlob([AGENT()], byAgent, stranger)).toContain('certificate.untrusted');
  });

  test('refuses rules that constrain nobody, or are none', async () => {
    const open = `{ issuer: ${here.url}, subjectRegExp: ".*" }`;
    expect(await verifyBlob([AGENT(), open], byAgent)).toEqual(['exit 1', 'identity.unconstrained']);
    expect(await verifyBlob([`{ issuer: ${here.url} }`], byAgent)).toEqual([
      'exit 1',
      'cli.policy_invalid',
      'policy.subject_choice',
    ]);
    expect(await verifyBlob([here.file('none.yaml', '[]')], byAgent)).toEqual([
      'exit 1',
      'cli.policy_invalid',
      'policy.value',
    ]);
    expect(await verifyBlob([here.file('policy.yaml', `require: [${AGENT()}]`)], byAgent)).toContain(
      'policy.wrong_type',
    );
    expect(await verifyBlob([join(here.folder, 'nowhere.yaml')], byAgent)).toEqual(['exit 1', 'cli.file_unreadable']);
  });

  test('stands alone: neither one signer nor a key beside it, and several bundles only with it', async () => {
    for (const flags of [here.pinned, ['--key', 'k.pem'], ['--document'], ['--identity-gated-elsewhere']]) {
      expect(await said('verify-blob', artifact, ...requiring(AGENT()), ...flags)).toEqual(['exit 1', 'cli.usage']);
    }
    // The word alone, as another flag's value, is not the flag.
    for (const more of [[], ['--data=--require'], ['--data', '--require']]) {
      expect(await said('verify-blob', artifact, ...here.pinned, ...withBundles(byAgent, byRunner), ...more)).toEqual([
        'exit 1',
        'cli.flag_repeated',
      ]);
    }
  });
});

describe('verify --require', () => {
  /** An image that the agent signed; `attached` are bundles of others, made for its digest. */
  async function imageWith(
    name: string,
    ...attached: Array<(sha256: string) => readonly [bundle: unknown, type: string]>
  ) {
    const image = await here.push(`webshop-${name}`);
    await here.document('sign', ...CONTEXT, image);
    const client = new RegistryClient();
    const place = await client.resolve(imageToFetch(image));
    for (const make of attached) {
      const [bundle, predicateType] = make(place.digest.slice('sha256:'.length));
      await attachBundle(client, place, { bundle: toBytes(bundle), predicateType, now: new Date() });
    }
    return image;
  }
  const runnerSigned = (type: string) => (sha256: string) =>
    [draftStatement(foreign, statement(sha256, type), buildRunner()), type] as const;
  const verify = (image: string, ...rules: string[]) => said('verify', image, ...requiring(...rules));

  test('takes an image that both signed', async () => {
    const image = await imageWith('both', runnerSigned(SIGN_TYPE));
    expect(await verify(image, RUNNER, AGENT())).toEqual([WORKFLOW, 'agent:code-writer']);
    const { stdout } = await here.run('verify', image, ...requiring(RUNNER, AGENT()), '--config', configuration);
    expect(stdout).toMatch(/2 signatures by https:\/\/github\.com\S+ \(.*\) and agent:code-writer/);
    expect(await verify(image, AGENT(), AGENTS())).toEqual(UNMET);
  });

  test('refuses one that only one of them signed', async () => {
    expect(await verify(await imageWith('agent-alone'), RUNNER, AGENT())).toEqual(UNMET);
    expect(await verify(await here.push('webshop-bare'), AGENT())).toEqual(['exit 10', 'image.no_signatures']);
  });

  test('tells the build runner’s signature from its attestation', async () => {
    const image = await imageWith('attested', runnerSigned(SLSA));
    expect(await verify(image, RUNNER, AGENT())).toEqual(UNMET);
    expect(await verify(image, PROVENANCE, AGENT())).toEqual([WORKFLOW, 'agent:code-writer']);
    const signed = await imageWith('signed', runnerSigned(SIGN_TYPE));
    expect(await verify(signed, PROVENANCE, AGENT())).toEqual(UNMET);
  });

  test('hears whom a rule names say no', async () => {
    const type = 'https://in-toto.io/attestation/test-result/v0.1';
    const image = await imageWith('failed', runnerSigned(SIGN_TYPE), runnerSigned(type));
    expect(await verify(image, RUNNER, AGENT())).toEqual([
      'exit 12',
      'cli.requirement_unmet',
      'admission.verdict_failed',
    ]);
    expect(await verify(image, AGENT())).toEqual(['agent:code-writer']);
  });

  test('stands alone', async () => {
    const image = await imageWith('alone');
    expect(await said('verify', image, ...requiring(AGENT()), ...here.pinned)).toEqual(['exit 1', 'cli.usage']);
  });
});
