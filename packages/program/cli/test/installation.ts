import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Namespace } from '@colophon/records';
import { type readConfiguredTrust, startServer } from '@colophon/server';
import { temporaryFolder } from '@colophon/testkit';
import { pushImageOf } from '../src/demo/scene.ts';
import { documentOf, type Ran, runLine } from './command-line.ts';

export const COMMIT = '8f5a1c0d9e7b6a5f4e3d2c1b0a9f8e7d6c5b4a39';

/** The context of a run, as flags. */
export const CONTEXT = [
  ...['--agent-name', 'code-writer', '--agent-version', '2.4.1', '--model-id', 'large-model-2026-05-14'],
  ...['--model-provider', 'anthropic', '--prompt-hash', '5a'.repeat(32), '--policy-pack-hash', 'c3'.repeat(32)],
  ...['--human-reviewer', 'alice@example.com', '--repo', 'acme/webshop', '--commit-sha', COMMIT],
];

/** A running server on a scratch folder, and command lines against it. */
export type Installation = {
  readonly folder: string;
  readonly dataDir: string;
  readonly url: string;
  /** `localhost:<port>`: the registry. */
  readonly registry: string;
  readonly env: NodeJS.ProcessEnv;
  /** What pins the agent's signatures. */
  readonly pinned: readonly string[];
  run(...line: string[]): Promise<Ran>;
  /** Runs a line that must succeed; answers with its document. */
  // biome-ignore lint/suspicious/noExplicitAny: tests say what must be in it
  document(...line: string[]): Promise<any>;
  /** Runs a line that must not succeed; answers with its exit code and the error in its document. */
  // biome-ignore lint/suspicious/noExplicitAny: tests say what must be in it
  refusal(...line: string[]): Promise<any>;
  /** Writes a file into the folder; answers with its path. */
  file(name: string, content: string | Uint8Array | object): string;
  /** Pushes an image of one file; answers with its reference by digest. */
  push(name: string): Promise<string>;
};

/** Starts a server, under `names` of its own or the placeholders, and with trust in others where that is said. */
export async function install(
  cleanup: (undo: () => void | Promise<void>) => void,
  names: Partial<Namespace> & {
    readonly trust?: ReturnType<typeof readConfiguredTrust>;
    readonly peopleIssuers?: readonly string[];
  } = {},
): Promise<Installation> {
  const folder = temporaryFolder(cleanup);
  const dataDir = join(folder, 'data');
  const env = {
    HOME: folder,
    COLOPHON_HOME: dataDir,
    XDG_CONFIG_HOME: join(folder, 'config'),
    DOCKER_CONFIG: join(folder, 'docker'),
  };
  const reviewerSecretFile = join(folder, 'config', 'colophon', 'reviewer-secret');
  const server = await startServer({ dataDir, reviewerSecretFile, port: 0, ...names });
  cleanup(() => server.close());
  const { url } = server;
  const registry = url.replace('http://', '');
  const run = (...line: string[]) => runLine(line, env);
  return {
    folder,
    dataDir,
    url,
    registry,
    env,
    pinned: ['--certificate-identity', 'agent:code-writer', '--certificate-oidc-issuer', url],
    run,
    document: async (...line) => {
      const ran = await run(...line, '--output', 'json');
      if (ran.exitCode !== 0) throw new Error(`colophon ${line[0]} ended with ${ran.exitCode}: ${ran.stdout}`);
      return documentOf(ran);
    },
    refusal: async (...line) => {
      const ran = await run(...line, '--output', 'json');
      return { exitCode: ran.exitCode, ...documentOf(ran).error };
    },
    file: (name, content) => {
      const path = join(folder, name);
      const isText = typeof content === 'string' || content instanceof Uint8Array;
      writeFileSync(path, isText ? content : JSON.stringify(content));
      return path;
    },
    push: (name) => pushImageOf(registry, name, { 'app/NAME': Buffer.from(name) }, COMMIT),
  };
}

/** A predicate of agent-run with everything that it must have, reviewed in 48 seconds. */
export const AGENT_RUN = {
  agent: { name: 'code-writer', version: '2.4.1' },
  model: { id: 'large-model-2026-05-14', provider: 'anthropic' },
  input: { prompt_hash: `sha256:${'5a'.repeat(32)}` },
  policy: { pack_hash: `sha256:${'c3'.repeat(32)}` },
  human_review: {
    reviewer: 'alice@example.com',
    reviewed_at: '2026-11-21T12:00:00Z',
    review_duration_seconds: 48,
    approved: true,
  },
  git: { commit_sha: COMMIT },
};

export const policyText = (url: string, registry: string) => `version: 1
images: ["${registry}/webshop*"]
agent:
  issuer: ${url}
  subjectRegExp: ^agent:code-(writer|fixer)$
review:
  issuer: ${url}
  subjectRegExp: ^reviewer:.*@example\\.com$
`;
