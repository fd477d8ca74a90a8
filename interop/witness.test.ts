import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ForeignIssuer,
  freePort,
  type ModelProvider,
  startForeignIssuer,
  startModelProvider,
} from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COLOPHON, type Installation, startColophon, startServe } from './colophon-up.ts';
import { tellStory } from './doc-story.ts';
import { pushImage } from './images.ts';
import { isMissing, isNotRoot, run } from './programs.ts';
import { reviewersEntry, signedInReview } from './signed-in-reviewer.ts';
import { makeCa, type SigstoreServer, startFulcio, writeTrustedRoot } from './sigstore-servers.ts';

const NOBODY = 65_534;
const REAL_KEY = 'sk-ant-the-real-one';
const PROMPT = 'Fix the bug in the parser.';
const EDIT = { name: 'write_file', input: { path: 'change.patch', content: '--- a\n+++ b\n' } };
const AGENT = join(import.meta.dirname, 'scripted-agent.mjs');
const AS_AGENT = ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups'];

/** A folder with a repository of the agent's user, and what the run is given. */
async function workFolder(): Promise<string> {
  const work = mkdtempSync(join(tmpdir(), 'colophon-witness-'));
  chmodSync(work, 0o755);
  const shop = join(work, 'shop');
  mkdirSync(shop);
  await must('git', ['init', '--quiet', '--initial-branch=main', shop]);
  const author = ['-c', 'user.name=dana', '-c', 'user.email=dana@example.com'];
  await must('git', ['-C', shop, ...author, 'commit', '--quiet', '--allow-empty', '-m', 'first']);
  await must('chown', ['-R', 'nobody:nogroup', shop]);
  writeFileSync(join(work, 'prompt.txt'), `${PROMPT}\n`);
  writeFileSync(join(work, 'policy-pack.yaml'), 'rules: []\n');
  return work;
}

async function must(program: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(program, args);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** Ends the process of a file with its id, and waits until it is gone. */
async function endBy(file: string): Promise<void> {
  const id = Number(readFileSync(file, 'utf8'));
  const isThere = (signal: 0 | 'SIGTERM') => {
    try {
      return process.kill(id, signal);
    } catch {
      return false;
    }
  };
  for (let signal: 0 | 'SIGTERM' = 'SIGTERM'; isThere(signal); signal = 0)
    await new Promise((go) => setTimeout(go, 50));
}

describe.skipIf(isNotRoot() || isMissing('curl', 'setpriv'))('docs/isolated-witness.md', () => {
  let work: string;
  let provider: ModelProvider;
  let environment: Record<string, string> = {};
  const undo: Array<() => void> = [];

  beforeAll(async () => {
    work = await workFolder();
    provider = await startModelProvider((last) => undo.push(last), [{ model: 'claude-opus-4-1-20250805', tool: EDIT }]);
    const [witnessPort, issuerPort] = [await freePort(), await freePort()];
    environment = {
      HOME: work,
      WORK: work,
      ANTHROPIC: provider.url,
      ANTHROPIC_API_KEY: REAL_KEY,
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9/the-agent-has-no-say',
      WITNESS_PORT: String(witnessPort),
      ISSUER: `http://localhost:${issuerPort}`,
      ISSUER_PORT: String(issuerPort),
      AGENT: `${process.execPath} ${AGENT} claude-opus-4-1 ${PROMPT.replaceAll(' ', '_')}`,
      XDG_CONFIG_HOME: join(work, 'config'),
    };
    writeFileSync(join(work, 'prompt.txt'), PROMPT.replaceAll(' ', '_'));
  });
  afterAll(async () => {
    for (const file of ['witness.pid', 'serve.pid']) await endBy(join(work, file));
    for (const last of undo) last();
    rmSync(work, { recursive: true, force: true });
  });

  tellStory('isolated-witness.md', () => environment);

  test('the credential was the witness’s, and stands in nothing that it wrote', () => {
    expect(provider.requests.map(({ headers }) => headers['x-api-key'])).toEqual([REAL_KEY]);
    expect(provider.requests[0]?.headers.authorization).toBeUndefined();
    for (const file of ['run.receipt.json', 'run.json', 'witness/witness.log', 'serve.log']) {
      const text = readFileSync(join(work, file), 'utf8');
      expect(text).not.toContain(REAL_KEY);
      expect(text).not.toContain(PROMPT);
    }
    const run = JSON.parse(readFileSync(join(work, 'run.json'), 'utf8'));
    expect(run).toMatchObject({
      model: { id: 'claude-opus-4-1-20250805', provider: 'anthropic', requested: 'claude-opus-4-1' },
      git: { files_changed: ['change.patch'], lines_added: 2 },
      witness: { place: 'isolated', outcome: { reason: 'exited', exit_code: 0 } },
    });
  });
});

const isSkipped = isNotRoot() || isMissing('fulcio', 'cosign', 'crane', 'openssl', 'setpriv');
describe.skipIf(isSkipped)('an observed run and the real Fulcio', () => {
  let up: Installation;
  let serve: Installation;
  let fulcio: SigstoreServer;
  let witness: ChildProcess;
  let work: string;
  let secrets: string;
  let apiKey: string;
  let sso: ForeignIssuer;
  const undo: Array<() => void> = [];

  beforeAll(async () => {
    work = await workFolder();
    secrets = join(work, 'secrets');
    mkdirSync(secrets, { mode: 0o700 });
    const provider = await startModelProvider(
      (last) => undo.push(last),
      [{ model: 'claude-opus-4-1-20250805', tool: EDIT }],
    );
    const folder = mkdtempSync(join(tmpdir(), 'colophon-interop-'));
    await makeCa(folder);
    up = await startColophon({ folder, args: ['--ct-root', join(folder, 'root.pem')] });
    const port = await freePort();
    for (const [name, text] of Object.entries({ 'ci.secret': 's'.repeat(40), 'anthropic.key': REAL_KEY })) {
      writeFileSync(join(secrets, name), text, { mode: 0o600 });
    }
    const servePort = await freePort();
    writeFileSync(
      join(secrets, 'witness.yaml'),
      `listen: { address: 127.0.0.1, port: ${port} }
control: { socket: control.sock }
key: file:witness.pem
data: data
issuer: http://localhost:${servePort}
agent: { user: nobody }
upstreams: { anthropic: { address: "${provider.url}", credential: "file:anthropic.key" } }
callers: [{ name: builder, secret: "file:ci.secret" }]
`,
    );
    sso = await startForeignIssuer({ alg: 'RS256' });
    const own = mkdtempSync(join(tmpdir(), 'colophon-interop-'));
    const publicKey = await must(COLOPHON, ['witness', 'public-key', '--config', join(secrets, 'witness.yaml')]);
    writeFileSync(join(own, 'witness.pub'), publicKey);
    serve = await startServe({
      folder: own,
      port: servePort,
      configuration: (issuer, chosen) => `
issuer: ${issuer}
listen: { address: localhost, port: ${chosen} }
data: data
callers:
  - { name: builder, apiKey: true, may: { agents: [code-writer] } }${reviewersEntry(sso, issuer)}
witnesses:
  - { name: ci, key: "file:witness.pub", place: isolated, callers: [builder], upstreams: { anthropic: "${provider.url}" } }
`,
    });
    apiKey = join(work, 'api.key');
    writeFileSync(apiKey, (await serve.colophon(['callers', 'key', 'create', 'builder'])).stdout, { mode: 0o600 });
    fulcio = await startFulcio(up, { trustedIssuer: serve.issuer });
    await writeTrustedRoot(up, fulcio);
    witness = spawn(COLOPHON, ['witness', 'serve', '--config', join(secrets, 'witness.yaml')], { stdio: 'ignore' });
    for (let i = 0; i < 100 && !readable(join(secrets, 'control.sock')); i++)
      await new Promise((go) => setTimeout(go, 100));
  });
  afterAll(async () => {
    const ended = witness && new Promise((end) => witness.once('exit', end));
    witness?.kill('SIGTERM');
    await ended;
    for (const last of undo) last();
    await fulcio?.stop();
    await serve?.stop();
    await up?.stop();
    await sso?.stop();
    rmSync(work, { recursive: true, force: true });
  });

  /** A review by somebody who signed in elsewhere, with a certificate of their own. */
  async function review(reference: string, commit: string): Promise<void> {
    const { token, predicate } = await signedInReview(sso, serve.issuer, commit);
    writeFileSync(join(work, 'review.json'), JSON.stringify(predicate));
    const line = ['attest', '--type', 'agent-review', '--predicate', join(work, 'review.json'), reference];
    const services = ['--fulcio-url', fulcio.url, '--rekor-url', up.issuer];
    const attested = await up.colophon([...line, ...services], { env: { SIGSTORE_ID_TOKEN: token } });
    expect(attested.code, attested.stderr).toBe(0);
  }

  test('its token says so, its certificates say so, and a policy that demands it admits the image', async () => {
    const image = await pushImage(up, 'observed');
    const receipt = join(work, 'run.receipt.json');
    const observed = await up.colophon(
      ['run', '--witness', `unix:${join(secrets, 'control.sock')}`, '--witness-credential', join(secrets, 'ci.secret')]
        .concat(['--agent', 'code-writer', '--agent-version', '2.4.1', '--prompt', join(work, 'prompt.txt')])
        .concat(['--policy-pack', join(work, 'policy-pack.yaml'), '--receipt-out', receipt])
        .concat(['--predicate-out', join(work, 'run.json'), '--', ...AS_AGENT, process.execPath, AGENT])
        .concat(['claude-opus-4-1', PROMPT]),
      { cwd: join(work, 'shop'), env: await trusting(work) },
    );
    expect(observed).toMatchObject({ code: 0, stdout: 'claude-opus-4-1-20250805\n' });
    const run = JSON.parse(readFileSync(join(work, 'run.json'), 'utf8'));
    const context = [
      ...['--agent-name', 'code-writer', '--agent-version', '2.4.1', '--model-id', run.model.id],
      ...['--prompt', join(work, 'prompt.txt'), '--policy-pack', join(work, 'policy-pack.yaml'), '--receipt', receipt],
      ...['--human-reviewer', 'alice@example.com', '--repo', 'acme/shop', '--commit-sha', run.git.commit_sha],
      ...['--issuer', serve.issuer, '--caller-credential', apiKey],
    ];
    const services = ['--fulcio-url', fulcio.url, '--rekor-url', up.issuer];
    const ok = async (args: readonly string[]) => expect(await up.colophon(args)).toMatchObject({ code: 0 });
    await ok(['sign', ...context, ...services, image.reference]);
    await ok([
      'attest',
      ...context,
      ...services,
      '--type',
      'agent-run',
      '--predicate',
      join(work, 'run.json'),
      image.reference,
    ]);

    await review(image.reference, run.git.commit_sha);
    const root = ['--trusted-root', join(up.folder, 'trusted_root.json')];
    const policy = (sources: string) => {
      const file = join(work, 'policy.yaml');
      writeFileSync(
        file,
        `version: 1
images: ["${up.registry}/**"]
agent: { issuer: "${serve.issuer}", subject: agent:code-writer }
sources: { model_id: [${sources}], model_provider: [${sources}] }
`,
      );
      return file;
    };
    const verified = await up.colophon([
      ...['verify-attestation', '--type', 'agent-run', '--certificate-identity', 'agent:code-writer', ...root],
      ...['--certificate-oidc-issuer', serve.issuer, '--output', 'json', image.reference],
    ]);
    expect(verified.stdout).toContain('"model_id": "witness-isolated"');
    const admit = async (sources: string) => {
      const line = ['admit', '--policy', policy(sources), ...root, '--output', 'json', image.reference];
      const { code, stdout } = await up.colophon(line);
      return { code, reasons: JSON.parse(stdout).reasons?.map(({ code: reason }: { code: string }) => reason) };
    };
    expect(await admit('witness-isolated')).toEqual({ code: 0, reasons: [] });
    const refused = await admit('witness-same-host');
    expect([refused.code, new Set(refused.reasons)]).toEqual([20, new Set(['admission.source_not_allowed'])]);
  });

  test.each([
    ['the key', 'witness.pem'],
    ['the provider’s credential', 'anthropic.key'],
    ['the control socket', 'control.sock'],
  ])('the agent’s user does not get at %s', async (_what, name) => {
    const { code } = await run(AS_AGENT[0]!, [...AS_AGENT.slice(1), 'cat', join(secrets, name)]);
    expect(code).not.toBe(0);
  });

  test('a witness whose secret the agent could read does not start', async () => {
    const open = join(work, 'open');
    mkdirSync(open, { mode: 0o755 });
    for (const name of ['witness.yaml', 'ci.secret', 'anthropic.key']) {
      writeFileSync(join(open, name), readFileSync(join(secrets, name)), {
        mode: name === 'ci.secret' ? 0o644 : 0o600,
      });
    }
    chownSync(join(open, 'anthropic.key'), NOBODY, NOBODY);
    const config = readFileSync(join(open, 'witness.yaml'), 'utf8').replace(/port: \d+/, `port: ${await freePort()}`);
    writeFileSync(join(open, 'witness.yaml'), config);
    const { code, stderr } = await run(COLOPHON, ['witness', 'serve', '--config', join(open, 'witness.yaml')]);
    expect(code).toBe(20);
    for (const name of ['ci.secret', 'anthropic.key']) expect(stderr).toContain(join(open, name));
    expect(stderr).not.toContain(join(open, 'witness.pem'));
  });
});

function readable(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENXIO';
  }
}

/** The environment of somebody who has git look into a repository of another user. */
async function trusting(work: string): Promise<Record<string, string>> {
  const file = join(work, 'gitconfig');
  writeFileSync(file, `[safe]\n\tdirectory = ${join(work, 'shop')}\n`);
  return { GIT_CONFIG_GLOBAL: file };
}
