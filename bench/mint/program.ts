import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SIX_FIELDS } from '@colophon/testkit';
import { CALLER_ISSUER, CALLER_SUBJECT, callerKeySet } from './caller-tokens.ts';
import type { Algorithm, Credential } from './contender.ts';

/** How our program is started: `up`, or `serve` with a caller that shows an API key or a token. */
export type ProgramKind =
  | 'up'
  | 'serve, API key'
  | 'serve, caller token'
  | 'serve, token once'
  | 'serve, 10,000 callers';

/** The program as its users run it, with everything that it keeps in `folder`. */
export class Program {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #port: number;
  readonly #kind: ProgramKind;

  constructor(kind: ProgramKind, { folder, port }: { readonly folder: string; readonly port: number }) {
    this.#kind = kind;
    this.#folder = folder;
    this.#port = port;
    this.#env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
  }

  start(alg: Algorithm) {
    const data = join(this.#folder, 'data');
    const log = openSync(join(this.#folder, 'log'), 'a');
    const words =
      this.#kind === 'up'
        ? ['--data', data, 'up', '--port', String(this.#port), '--token-algorithm', alg]
        : ['serve', '--config', this.#writeConfiguration(data, alg)];
    return spawn(process.execPath, [...process.execArgv, PROGRAM, ...words], {
      env: this.#env,
      stdio: ['ignore', log, log],
    });
  }

  /** What a request shows, once the program runs. */
  credential(): Credential {
    if (this.#kind === 'up') return {};
    const isKey = this.#kind === 'serve, API key' || this.#kind === 'serve, 10,000 callers';
    if (isKey) return { bearer: this.#newApiKey() };
    return { caller: { privateKey: this.#key, audience: this.#url, isOnce: this.#kind === 'serve, token once' } };
  }

  readonly #key = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { format: 'pem', type: 'pkcs8' },
    publicKeyEncoding: { format: 'pem', type: 'spki' },
  }).privateKey;

  get #url(): string {
    return `http://localhost:${this.#port}`;
  }

  #newApiKey(): string {
    const words = [PROGRAM, '--data', join(this.#folder, 'data'), 'callers', 'key', 'create', 'builder'];
    const { stdout, stderr } = spawnSync(process.execPath, words, { env: this.#env, encoding: 'utf8' });
    const key = /colophon_[0-9A-Za-z_]+/.exec(stdout)?.[0];
    if (key === undefined) throw new Error(`no API key: ${stderr}`);
    return key;
  }

  /** YAML that is JSON. */
  #writeConfiguration(data: string, alg: Algorithm): string {
    const may = { agents: [SIX_FIELDS.agent_name] };
    const more = this.#kind === 'serve, 10,000 callers' ? 9_998 : 0;
    const numbered = (name: string) => Array.from({ length: more }, (_, index) => `${name}-${index}`);
    const configuration = {
      issuer: this.#url,
      listen: { address: 'localhost', port: this.#port },
      data,
      tokens: { algorithm: alg },
      limits: { requestsPerSecond: 100_000, burst: 1_000_000 },
      callers: [
        ...numbered('caller').map((name) => ({ name, apiKey: true, may })),
        { name: 'builder', apiKey: true, may },
        {
          name: 'job',
          kind: 'oidc',
          oidc: {
            issuer: CALLER_ISSUER,
            audience: this.#url,
            where: { sub: CALLER_SUBJECT },
            singleUse: this.#kind === 'serve, token once',
            keys: { file: 'caller-keys.json' },
          },
          may,
        },
      ],
      agents: [...numbered('agent').map((name) => ({ name })), { name: SIX_FIELDS.agent_name }],
      models: [{ id: SIX_FIELDS.model_id, provider: 'example' }],
    };
    writeFileSync(join(this.#folder, 'caller-keys.json'), callerKeySet(this.#key));
    const file = join(this.#folder, 'colophon.yaml');
    writeFileSync(file, JSON.stringify(configuration, undefined, 1));
    return file;
  }
}

const PROGRAM = fileURLToPath(import.meta.resolve('../../packages/program/cli/bin/colophon.js'));
