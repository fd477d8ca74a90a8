// From review to image by build provenance: an adversary without keys, and an agent that would be its own build runner.
import { join } from 'node:path';
import { imageToFetch, RegistryClient } from '@colophon/sigstore';
import { cleanupAt } from '@colophon/testkit';
import { draftStatement, toBytes } from '@colophon/testkit/local-sigstore/draft-bundle';
import { type Claims, LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attachBundle } from '../../../signing/sigstore/src/image-signature/attach.ts';
import { buildRunner, CI_ISSUER, CI_REPOSITORY, WORKFLOW } from './build-runner.ts';
import { documentOf } from './command-line.ts';
import { AGENT_RUN, COMMIT, CONTEXT, type Installation, install, policyText } from './installation.ts';

const SLSA = 'https://slsa.dev/provenance/v1';
const OTHER_COMMIT = 'b'.repeat(40);
const cleanup = cleanupAt(afterAll);
const foreign = new LocalSigstore();
let here: Installation;
let configuration: string;
let policy: string;
let next = 0;

beforeAll(async () => {
  here = await install(cleanup);
  here.file('company.json', foreign.trustedRootJson());
  const own = join(here.dataDir, 'trust', 'trusted_root.json');
  configuration = here.file('colophon.yaml', `trust: { roots: [{ name: own, file: ${own} }, company.json] }\n`);
  const rule = `provenance:\n  issuer: ${CI_ISSUER}\n  subject: ${WORKFLOW}\n  sourceRepository: ${CI_REPOSITORY}\n`;
  policy = here.file('policy.yaml', policyText(here.url, here.registry) + rule);
});
const source = (gitCommit = COMMIT, repository = CI_REPOSITORY) => ({
  uri: `git+${repository}@refs/heads/main`,
  digest: { gitCommit },
});
/** As GitHub's action writes it. */
const predicate = (...resolvedDependencies: object[]) => ({
  buildDefinition: {
    buildType: 'https://actions.github.io/buildtypes/workflow/v1',
    externalParameters: {
      workflow: { ref: 'refs/heads/main', repository: CI_REPOSITORY, path: '.github/workflows/build.yml' },
    },
    internalParameters: { github: { event_name: 'push', repository_id: '42' } },
    resolvedDependencies,
  },
  runDetails: { builder: { id: WORKFLOW }, metadata: { invocationId: `${CI_REPOSITORY}/actions/runs/1/attempts/1` } },
});

/** Attaches a statement by the build runner, or by whom `claims` say, about the image, or about another digest. */
async function attachBuild(
  image: string,
  said: unknown,
  { claims = {}, sha256, type = SLSA }: { claims?: Claims; sha256?: string; type?: string } = {},
) {
  const client = new RegistryClient();
  const place = await client.resolve(imageToFetch(image));
  const digest = sha256 ?? place.digest.slice('sha256:'.length);
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'webshop', digest: { sha256: digest } }],
    predicateType: type,
    predicate: said,
  };
  const bundle = toBytes(draftStatement(foreign, statement, buildRunner({ commit_sha: COMMIT, ...claims })));
  await attachBundle(client, place, { bundle, predicateType: type, now: new Date() });
  return bundle;
}

const review = (image: string, commit = COMMIT) =>
  here.document('review', 'approve', image, '--reviewer', 'alice@example.com', '--commit-sha', commit);
async function reviewedImage(name: string, commit = COMMIT) {
  const image = await here.push(`webshop-${name}`);
  await here.document('sign', ...CONTEXT.toSpliced(-1, 1, commit), image);
  await review(image, commit);
  return image;
}

async function admit(image: string, ...more: string[]): Promise<string[]> {
  const ran = await here.run('admit', image, '--policy', policy, '--config', configuration, ...more, '-o', 'json');
  const { reasons = [], error } = documentOf(ran) as { reasons?: Array<{ code: string }>; error?: { code: string } };
  expect(ran.exitCode).toBe(error === undefined && reasons.length === 0 ? 0 : 20);
  return error === undefined ? reasons.map(({ code }) => code.replace('admission.', '')) : [error.code];
}

describe('an image that was built from the reviewed commit', () => {
  test('is admitted by the build runner’s provenance, and it says so', async () => {
    const image = await reviewedImage('good');
    expect(await admit(image)).toEqual(['provenance_missing']);
    await attachBuild(image, predicate(source()));
    expect(await admit(image)).toEqual([]);
    const { verdicts } = await here.document('admit', image, '--policy', policy, '--config', configuration);
    expect(verdicts[0].provenance).toMatchObject([
      { certificate_identity: { subject: WORKFLOW, claims: { repo: 'acme/webshop', commit_sha: COMMIT } } },
    ]);
    const { stdout } = await here.run('admit', image, '--policy', policy, '--config', configuration);
    expect(stdout).toContain(`built by ${WORKFLOW}`);
  });

  test('was built from another than was reviewed', async () => {
    const image = await reviewedImage('other');
    await attachBuild(image, predicate(source(OTHER_COMMIT)), { claims: { commit_sha: OTHER_COMMIT } });
    expect(await admit(image)).toEqual(['review_other_build']);
  });

  test.each<[string, unknown, Parameters<typeof attachBuild>[2], string]>([
    [
      'another workflow',
      predicate(source()),
      { claims: { sub: WORKFLOW.replace('main', 'fork') } },
      'builder_not_accepted',
    ],
    ['another issuer', predicate(source()), { claims: { iss: 'https://ci.example' } }, 'builder_not_accepted'],
    [
      'another repository',
      predicate(source(COMMIT, 'https://github.com/evil/webshop')),
      { claims: { repo: 'evil/webshop', repo_uri: 'https://github.com/evil/webshop' } },
      'provenance_other_repository',
    ],
    [
      'a repository that its certificate denies',
      predicate(source()),
      { claims: { repo_uri: 'https://github.com/acme/other' } },
      'provenance_contradicts_certificate',
    ],
    [
      'a commit that its certificate denies',
      predicate(source()),
      { claims: { commit_sha: OTHER_COMMIT } },
      'provenance_contradicts_certificate',
    ],
    ['two commits', predicate(source(), source(OTHER_COMMIT)), {}, 'provenance_source_ambiguous'],
    ['no commit that was fetched', predicate(), {}, 'provenance_source_missing'],
    ['no builder', { buildDefinition: predicate(source()).buildDefinition }, {}, 'provenance_malformed'],
    ['another image', predicate(source()), { sha256: 'e'.repeat(64) }, 'provenance_other_image'],
    ['version 0.2', { materials: [source()] }, { type: 'https://slsa.dev/provenance/v0.2' }, 'provenance_missing'],
  ])('is not admitted by provenance of %s', async (_title, said, options, code) => {
    const image = await reviewedImage(`refused-${next++}`);
    await attachBuild(image, said, options);
    expect(await admit(image)).toEqual([code]);
  });

  test('is not admitted by provenance that a stranger’s authority certified', async () => {
    const image = await reviewedImage('stranger');
    const bundle = await attachBuild(await here.push('elsewhere'), predicate(source()));
    const client = new RegistryClient();
    const place = await client.resolve(imageToFetch(image));
    await attachBundle(client, place, { bundle, predicateType: SLSA, now: new Date() });
    expect(await admit(image)).toEqual(['provenance_other_image']);
    const roots = ['--trusted-root', join(here.dataDir, 'trust', 'trusted_root.json')];
    await attachBuild(image, predicate(source()));
    expect(await admit(image, ...roots)).toEqual(['provenance_not_verified']);
  });

  test('is not admitted by provenance of the agent, who is no build runner', async () => {
    const image = await reviewedImage('own');
    const file = here.file('own-provenance.json', predicate(source()));
    await here.document('attest', image, '--type', 'slsaprovenance1', '--predicate', file, ...CONTEXT);
    expect(await admit(image)).toEqual(['provenance_signed_by_agent']);
    const rule = `provenance: { issuer: ${here.url}, subject: "agent:code-writer" }\n`;
    const own = here.file('own.yaml', policyText(here.url, here.registry) + rule);
    expect(await here.refusal('admit', image, '--policy', own)).toMatchObject({
      code: 'cli.policy_invalid',
      issues: [{ code: 'policy.builder_is_agent' }],
    });
  });
});

describe('a review of the commit alone', () => {
  test('admits what was built from it, with the agent’s run of that commit', async () => {
    const image = await here.push('webshop-commit');
    const run = here.file('run.json', {
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: CI_REPOSITORY, digest: { gitCommit: COMMIT } }],
      predicateType: 'https://colophon.example/predicates/agent-run/v1',
      predicate: AGENT_RUN,
    });
    const word = join(here.folder, 'review.json');
    const agreed = join(here.folder, 'agent.json');
    await here.document('attest-blob', '--statement', run, ...CONTEXT, '--bundle', agreed);
    await here.document(
      'review',
      'approve',
      '--reviewer',
      'alice@example.com',
      '--commit-sha',
      COMMIT,
      '--bundle',
      word,
    );
    await attachBuild(image, predicate(source()));
    await here.document('attachments', image, '--add', word, '--add', agreed, '--config', configuration);
    expect(await admit(image)).toEqual([]);

    const listed = await here.document('attachments', image, '--config', configuration);
    expect(listed).toMatchObject({ attachment_count: 3, unverified_count: 0 });
    expect(listed).not.toHaveProperty('added_count');

    const other = await here.push('webshop-commit-other');
    await here.document('attachments', other, '--add', word, '--add', agreed, '--config', configuration);
    expect(await admit(other)).toEqual(['signature_other_image', 'provenance_missing', 'review_other_image']);
    await attachBuild(other, predicate(source(OTHER_COMMIT)), { claims: { commit_sha: OTHER_COMMIT } });
    expect(await admit(other)).toEqual(['signature_other_image', 'review_other_image']);
  });

  test('is attached where it verifies, and is about nothing else', async () => {
    const image = await here.push('webshop-added');
    const file = here.file('other.txt', 'another file\n');
    await here.document('sign-blob', ...CONTEXT, file);
    const ofFile = join(here.folder, 'of-file.json');
    const line = [
      'review',
      'approve',
      file,
      '--reviewer',
      'alice@example.com',
      '--commit-sha',
      COMMIT,
      '--bundle',
      ofFile,
    ];
    await here.document(...line);
    const foreignBundle = here.file(
      'foreign.json',
      await attachBuild(await here.push('webshop-theirs'), predicate(source())),
    );
    const add = (...line: string[]) => here.refusal('attachments', image, ...line.flatMap((one) => ['--add', one]));
    const good = join(here.folder, 'review.json');
    expect(await add(good, ofFile)).toMatchObject({
      exitCode: 1,
      code: 'image.statement_about_other',
      checked: ofFile,
    });
    expect(await add(good, `${file}.sigstore.json`)).toMatchObject({ exitCode: 12, code: 'image.not_an_attestation' });
    expect(await add(good, foreignBundle)).toMatchObject({ exitCode: 13 });
    // Nothing was attached beside what was refused.
    expect(await here.document('attachments', image)).toMatchObject({ attachment_count: 0 });
    expect(await here.document('attachments', image, '--add', good)).toMatchObject({
      attachment_count: 1,
      added_count: 1,
    });
  });

  test('that rejects it refuses what was built from it', async () => {
    const commit = 'd'.repeat(40);
    const image = await reviewedImage('rejected', commit);
    await attachBuild(image, predicate(source(commit)), { claims: { commit_sha: commit } });
    expect(await admit(image)).toEqual([]);
    const word = ['--reviewer', 'bob@example.com', '--commit-sha', commit, '--bundle', join(here.folder, 'no.json')];
    await here.document('review', 'reject', ...word);
    // The trust of this machine's own store is not the configuration's, so its list is named.
    const negatives = `negatives: { from: "${here.url}/negatives", signer: { issuer: ${here.url}, subject: "evidence:${here.registry}" } }\n`;
    const rule = `provenance: { issuer: ${CI_ISSUER}, subject: "${WORKFLOW}" }\n`;
    const listed = here.file('listed.yaml', policyText(here.url, here.registry) + rule + negatives);
    expect(await admit(image, '--policy', listed)).toContain('review_rejected');
  });
});

describe('attest --type slsaprovenance1', () => {
  test('writes what verify-attestation reads by the same name', async () => {
    const image = await here.push('webshop-written');
    const file = here.file('provenance.json', predicate(source()));
    await here.document('attest', image, '--type', 'slsaprovenance1', '--predicate', file, ...CONTEXT);
    const { signatures } = await here.document(
      'verify-attestation',
      image,
      '--type',
      'slsaprovenance1',
      ...here.pinned,
    );
    expect(signatures).toMatchObject([{ statement: { predicateType: SLSA, predicate: predicate(source()) } }]);
  });

  test('writes no predicate that lacks what SLSA promises', async () => {
    const image = await here.push('webshop-unwritten');
    const bad = here.file('bad.json', { ...predicate(source()), runDetails: {} });
    const statement = here.file('bad-statement.json', {
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'x', digest: { sha256: 'e'.repeat(64) } }],
      predicateType: SLSA,
      predicate: {},
    });
    for (const said of [
      ['--predicate', bad, '--type', 'slsaprovenance1'],
      ['--statement', statement],
    ]) {
      const refused = await here.refusal('attest', image, ...said, ...CONTEXT);
      expect(refused).toMatchObject({ exitCode: 20, code: 'cli.predicate_invalid' });
      expect(refused.issues[0].code).toBe('build_provenance.field_missing');
    }
  });
});
