import { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inScratchFolder } from '@colophon/durable-file';
import { startServer } from '@colophon/server';
import { EXIT } from '../exit-code/exit-code.ts';
import { dataFolder, reviewerSecretFile } from '../home/home.ts';
import type { Session } from '../program/program.ts';
import { type Change, makeChange, readTree } from './change.ts';
import { playRefusals } from './refusals.ts';
import { playSbom } from './sbom-act.ts';
import { pushImageOf, type Scene } from './scene.ts';
import { Stage } from './stage.ts';
import { playTriage } from './triage-act.ts';
import { playWitness } from './witness-act.ts';

export const PROMPT = 'Let the cart count quantities and take off a discount.\nRun the tests before you commit.\n';
const POLICY_PACK = 'rules:\n  - no new dependency without a reviewer\n  - tests run before every commit\n';
/** What a person types: in a checkout, where this is TypeScript, the program is not on the PATH. */
const PROGRAM = import.meta.filename.endsWith('.ts') ? 'npx colophon' : 'colophon';
/** How long the reviewer of the demo looked: the first question of contract §2.3 finds it. */
const REVIEW_SECONDS = 48;
/** What the demo writes, 5 MB, with room for larger blocks of a file system. */
const SCRATCH_BYTES = 8_000_000;

/**
 * Plays the whole of contract §1 in a scratch folder, with real cryptography: context to admission, the SBOM with what
 * the agent wrote, vulnerabilities until they are gone, then everything that must be refused. Leaves nothing behind, also when it is interrupted.
 * @throws CliError `cli.demo_step_failed` for the first step that is not as it should be; ScratchError `scratch.folder_unusable`
 */
export async function playDemo(session: Session): Promise<void> {
  await inScratchFolder('demo', (scratch) => playIn(scratch, session), { needsBytes: SCRATCH_BYTES });
  session.setExitCode(EXIT.ok);
}

async function playIn(scratch: string, session: Session): Promise<void> {
  const startedAt = performance.now();
  const startFolder = process.cwd();
  const env = demoEnvironment(session.env, scratch);
  const stage = new Stage(session, env);
  let server: Awaited<ReturnType<typeof startServer>> | undefined;
  try {
    process.chdir(scratch);
    stage.chapter('From an agent’s run to an admitted image');
    stage.step('Start issuer, certificate authority, transparency log, evidence store and registry');
    server = await startServer({
      dataDir: dataFolder(env),
      reviewerSecretFile: reviewerSecretFile(env),
      port: 0,
      singleUseTokens: true,
    });
    stage.say(`${server.url}, loopback only; scratch folder ${scratch}`);
    await playRun(stage, server.url, scratch, env);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    stage.chapter(`All ${stage.steps} steps were as they should be, in ${seconds} s.`);
    stage.say(`Next: ${PROGRAM} up, then eval "$(${PROGRAM} env)" in another terminal.`);
  } finally {
    process.chdir(startFolder);
    await server?.close();
  }
}

// Nothing of the person's own installation, registry logins or tokens takes part.
function demoEnvironment(env: NodeJS.ProcessEnv, scratch: string): NodeJS.ProcessEnv {
  const kept = ['PATH', 'TERM', 'NO_COLOR', 'LANG'].flatMap((name) =>
    env[name] === undefined ? [] : [[name, env[name]]],
  );
  return {
    ...Object.fromEntries(kept),
    HOME: scratch,
    COLOPHON_HOME: join(scratch, 'data'),
    XDG_CONFIG_HOME: join(scratch, 'config'),
    DOCKER_CONFIG: join(scratch, 'docker'),
  };
}

async function playRun(stage: Stage, issuer: string, scratch: string, env: NodeJS.ProcessEnv): Promise<void> {
  stage.step('An agent commits a change');
  const change = await makeChange(join(scratch, 'webshop'));
  stage.say(change.shown);
  await writeFile('change.patch', change.patch);

  stage.step('An image is built from it, without docker, and pushed');
  const registry = issuer.replace('http://', '');
  const tree = await readTree(join(scratch, 'webshop'));
  const image = await pushImageOf(registry, 'webshop', tree, change.commit);
  stage.say(image);
  const scene: Scene = { stage, issuer, registry, change, image, tree };

  stage.step('Prompt and policy pack are hashed before the run; the texts stay here');
  await writeFile('prompt.txt', PROMPT);
  await writeFile('policy-pack.yaml', POLICY_PACK);
  const promptHash = (await stage.run(['hash', 'prompt', 'prompt.txt'])).trim();
  stage.say(promptHash);
  const policyHash = (await stage.run(['hash', 'policy', 'policy-pack.yaml'])).trim();
  stage.say(policyHash);
  await writeContext(change, promptHash, policyHash);

  stage.step('The run’s context becomes an identity token, good for 600 seconds');
  const token = await stage.run(['token', '--context', 'context.json']);
  await writeFile('token.jwt', token);
  await stage.show(['inspect', 'token.jwt']);

  stage.step('The token buys a 10-minute certificate; the patch is signed and logged');
  await stage.show(['sign-blob', '--identity-token', 'token.jwt', 'change.patch']);
  await writeCertificate('change.patch.sigstore.json', 'certificate.pem');
  stage.say(await describeCertificate(stage));

  stage.step('The image is signed by its digest, with a token of its own');
  await stage.show(['sign', '--context', 'context.json', image]);

  stage.step('The run is attested: the context fills agent, model, prompt, policy and commit');
  await writeFile('agent-run.json', JSON.stringify(runDetails(change), null, 2));
  await stage.show([
    'attest',
    '--context',
    'context.json',
    '--type',
    'agent-run',
    '--predicate',
    'agent-run.json',
    image,
  ]);

  stage.step('A person reviews, and signs with a certificate of their own');
  const approve = ['review', 'approve', image, '--reviewer', 'alice@example.com', '--commit-sha', change.commit];
  await stage.show([...approve, '--repo', 'acme/webshop', '--duration', String(REVIEW_SECONDS)]);

  stage.step('The signature is found in the log by the digest of the patch');
  await stage.show(['log', 'search', '--artifact', 'change.patch']);

  stage.step('Patch, image and attestation are verified');
  const identity = ['--certificate-identity', 'agent:code-writer', '--certificate-oidc-issuer', issuer];
  await stage.show(['verify-blob', '--details', '--bundle', 'change.patch.sigstore.json', ...identity, 'change.patch']);
  await stage.run(['verify', ...identity, image]);
  await stage.run(['verify-attestation', '--type', 'agent-run', ...identity, image]);
  stage.say('The image is signed, and its agent-run attestation holds.');

  stage.step('The policy admits it: an approved agent, and a review by somebody else');
  await writeFile('policy.yaml', policyText(issuer, registry));
  stage.say(policyText(issuer, registry));
  await stage.show(['admit', image, '--policy', 'policy.yaml']);

  stage.step('The evidence is queried');
  await stage.show(['query', 'runs where review.duration < 60s']);

  await playWitness(scene, env, PROMPT);
  await playSbom(scene);
  await playTriage(scene);
  await playRefusals(scene);

  stage.chapter('Ledger and logs');
  stage.step('Every token that was issued is in the ledger; the logs only grew');
  await stage.show(['ledger', 'verify']);
  await stage.show(['log', 'verify']);
}

async function writeContext({ commit }: Change, prompt_hash: string, policy_pack_hash: string): Promise<void> {
  const context = {
    agent_name: 'code-writer',
    agent_version: '2.4.1',
    model_id: 'claude-sonnet-4-5-20250929',
    prompt_hash,
    policy_pack_hash,
    human_reviewer: 'alice@example.com',
    model_provider: 'anthropic',
    review_timestamp: new Date().toISOString(),
    repo: 'acme/webshop',
    repo_uri: 'https://github.com/acme/webshop',
    commit_sha: commit,
  };
  await writeFile('context.json', JSON.stringify(context, null, 2));
}

/** The certificate without our own arc, which says the same claims once more. */
async function describeCertificate(stage: Stage): Promise<string> {
  const lines = (await stage.run(['inspect', 'certificate.pem'])).trimEnd().split('\n');
  const identity = lines.findIndex((line) => line.trim() === 'certificate_identity:');
  const extensions = lines.findIndex((line) => line.trim() === 'extensions:');
  const shown = [...lines.slice(0, identity), ...lines.slice(extensions).filter((line) => !line.includes('[2.999.'))];
  const ownArc = lines.filter((line) => line.includes('[2.999.')).length;
  return `${shown.join('\n')}\n… and ${ownArc} more: every claim on its own, under 2.999.7080.1`;
}

/** What only the orchestrator knows of the run. */
function runDetails({ files, linesAdded, linesRemoved }: Change) {
  return {
    model: { temperature: 0.2, max_tokens: 8192 },
    input: { context_files: files, context_token_count: 1460 },
    policy: { rules_evaluated: 2, rules_violated: 0 },
    tools_invoked: [
      { name: 'edit', count: 2 },
      { name: 'shell', count: 1, exit_code: 0 },
    ],
    human_review: { review_duration_seconds: REVIEW_SECONDS, approved: true },
    git: { files_changed: files, lines_added: linesAdded, lines_removed: linesRemoved },
  };
}

function policyText(issuer: string, registry: string): string {
  return `version: 1
images: ["${registry}/webshop*"]
agent:
  issuer: ${issuer}
  subjectRegExp: ^agent:code-(writer|fixer)$
review:
  issuer: ${issuer}
  subjectRegExp: ^reviewer:.*@example\\.com$
`;
}

async function writeCertificate(bundleFile: string, file: string): Promise<void> {
  const bundle = JSON.parse(await readFile(bundleFile, 'utf8')) as {
    verificationMaterial: { certificate: { rawBytes: string } };
  };
  const der = Buffer.from(bundle.verificationMaterial.certificate.rawBytes, 'base64');
  await writeFile(file, new X509Certificate(der).toString());
}
