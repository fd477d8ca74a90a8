import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@colophon/testkit';
import { type Outcome, run } from './programs.ts';

export const COLOPHON = join(import.meta.dirname, '..', 'node_modules', '.bin', 'colophon');

/** A real `colophon up` in a scratch folder of its own. */
export type Installation = {
  readonly issuer: string;
  /** `localhost:<port>`: the registry's name in image references. */
  readonly registry: string;
  readonly folder: string;
  readonly data: string;
  readonly trust: string;
  readonly env: Record<string, string>;
  readonly process: ChildProcess;
  colophon(
    args: readonly string[],
    options?: { env?: Record<string, string>; cwd?: string; input?: string; timeoutMs?: number },
  ): Promise<Outcome>;
  stop(): Promise<void>;
};

/** Starts it and waits until it answers; `folder` and `port` continue an earlier one. */
export async function startColophon({
  folder = mkdtempSync(join(tmpdir(), 'colophon-interop-')),
  port,
  args = [],
}: {
  folder?: string;
  port?: number;
  args?: readonly string[];
} = {}): Promise<Installation> {
  const chosen = port ?? (await freePort());
  return launch(folder, chosen, ['up', '--port', String(chosen), ...args]);
}

/** A real `colophon serve` on loopback; `configuration` writes its file, whose data folder has to be `data`. */
export async function startServe({
  folder = mkdtempSync(join(tmpdir(), 'colophon-interop-')),
  port: chosen,
  configuration,
}: {
  folder?: string;
  port?: number;
  configuration: (issuer: string, port: number) => string;
}): Promise<Installation> {
  const port = chosen ?? (await freePort());
  const file = join(folder, 'colophon.yaml');
  writeFileSync(file, configuration(`http://localhost:${port}`, port));
  return launch(folder, port, ['serve', '--log-level', 'warn'], { COLOPHON_CONFIG: file });
}

async function launch(
  folder: string,
  port: number,
  line: readonly string[],
  variables: Record<string, string> = {},
): Promise<Installation> {
  const data = join(folder, 'data');
  const issuer = `http://localhost:${port}`;
  const env = {
    COLOPHON_HOME: data,
    XDG_CONFIG_HOME: join(folder, 'config'),
    HOME: folder,
    DOCKER_CONFIG: join(folder, 'docker'),
    ...variables,
  };
  const child = spawn(COLOPHON, line, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  for (let attempt = 0; ; attempt++) {
    const answered = await fetch(`${issuer}/.well-known/openid-configuration`).then(
      (response) => response.ok,
      () => false,
    );
    if (answered) break;
    if (child.exitCode !== null || attempt > 300) throw new Error(`colophon ${line[0]} did not start: ${output}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    issuer,
    registry: `localhost:${port}`,
    folder,
    data,
    trust: join(data, 'trust'),
    env,
    process: child,
    colophon: (commandArgs, options = {}) =>
      run(COLOPHON, commandArgs, { ...options, env: { ...env, ...options.env } }),
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM');
        await ended;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The token request of contract §2.2, exactly as it shows it, and the fields that we add. */
export const SIX_FIELDS = {
  agent_name: 'code-writer',
  agent_version: '2.4.1',
  model_id: 'claude-sonnet-4-5-20250929',
  prompt_hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  policy_pack_hash: 'sha256:60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
  human_reviewer: 'alice@example.com',
} as const;
export const FULL_REQUEST = {
  ...SIX_FIELDS,
  model_provider: 'anthropic',
  review_timestamp: '2026-11-20T10:11:12Z',
  repo: 'acme/webshop',
  repo_uri: 'https://github.com/acme/webshop',
  commit_sha: '8f5a1c0d9e7b6a5f4e3d2c1b0a9f8e7d6c5b4a39',
} as const;

/** A predicate of agent-run with all that is required. */
export const RUN_PREDICATE = {
  agent: { name: 'code-writer', version: '2.4.1' },
  model: { id: 'claude-sonnet-4-5-20250929', provider: 'anthropic' },
  input: { prompt_hash: `sha256:${SIX_FIELDS.prompt_hash}` },
  policy: { pack_hash: SIX_FIELDS.policy_pack_hash },
  git: { commit_sha: FULL_REQUEST.commit_sha },
};

/** The predicate of a SLSA build provenance, as GitHub's action writes it. */
export const BUILD_PROVENANCE = {
  buildDefinition: {
    buildType: 'https://actions.github.io/buildtypes/workflow/v1',
    externalParameters: { workflow: { ref: 'refs/heads/main', repository: 'https://github.com/acme/webshop' } },
    resolvedDependencies: [
      {
        uri: 'git+https://github.com/acme/webshop@refs/heads/main',
        digest: { gitCommit: FULL_REQUEST.commit_sha },
      },
    ],
  },
  runDetails: { builder: { id: 'https://github.com/acme/webshop/.github/workflows/build.yml@refs/heads/main' } },
};

/** Mints a token as a person would with curl. */
export async function mint(issuer: string, request: object = SIX_FIELDS): Promise<string> {
  const { code, stdout, stderr } = await run('curl', [
    '-sSf',
    '-H',
    'Content-Type: application/json',
    '-d',
    JSON.stringify(request),
    `${issuer}/oauth/token`,
  ]);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}
