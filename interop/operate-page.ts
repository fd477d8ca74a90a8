// Does what docs/operate.md says, in namespaces of its own (operate-page.test.ts makes them): types its commands in order,
// and runs its workflow, job and pod with tokens as their platforms make them. Prints the claims of the tokens that they got.
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { makeIssuerKey, mintToken, type PlatformName, platformTokens, startForeignIssuer } from '@colophon/testkit';
import { parse } from 'yaml';
import { type Fence, parseFences } from '../tools/doc-fences.ts';
import { COLOPHON } from './colophon-up.ts';
import { typed } from './install-page.ts';

const [work = ''] = process.argv.slice(2);
const page = parseFences(readFileSync(join(import.meta.dirname, '../docs/operate.md'), 'utf8'));

const github = await startForeignIssuer({ alg: 'RS256' });
const gitlab = await startForeignIssuer({ alg: 'RS256' });
const cluster = makeIssuerKey('RS256', 'cluster');
const ISSUERS = {
  'GitHub Actions': { iss: 'https://token.actions.githubusercontent.com', signer: github },
  'GitLab CI': { iss: 'https://gitlab.example.com', signer: gitlab },
} as const;

/** Adds to the configuration of the page that both have their keys on this machine; nothing else of the page is changed. */
function withLocalKeys(configuration: string): string {
  return Object.values(ISSUERS).reduce((text, { iss, signer }) => {
    const line = `      issuer: ${iss}\n`;
    if (!text.includes(line)) throw new Error(`the page trusts ${iss} no more`);
    return text.replace(line, `${line}      keys: { url: ${signer.jwksUrl} }\n`);
  }, configuration);
}

function jobToken(platform: keyof typeof ISSUERS, audience: string): string {
  const { iss, signer } = ISSUERS[platform];
  return signer.sign({ iss, ...claimsOf(platform, audience) });
}

function claimsOf(platform: PlatformName, audience: string): Record<string, unknown> {
  return { ...platformTokens(audience, Math.floor(Date.now() / 1000))[platform].claims, jti: randomUUID() };
}

/** The address at which a runner gives a job its token. */
const runner = createServer((request, response) => {
  const audience = new URL(request.url ?? '/', 'http://runner').searchParams.get('audience') ?? '';
  const isJob = request.headers.authorization === 'Bearer of-this-job';
  response.writeHead(isJob ? 200 : 401, { 'content-type': 'application/json' });
  response.end(JSON.stringify(isJob ? { value: jobToken('GitHub Actions', audience) } : {}));
});
await new Promise<void>((resolve) => runner.listen(0, '127.0.0.1', resolve));

/** Lines of a shell that run a script in a folder of its own, with the variables that its platform sets. */
function inJob(name: string, variables: Readonly<Record<string, string>>, scripts: readonly string[]): string {
  const folder = join(work, name);
  mkdirSync(folder);
  return scripts
    .map((script, index) => {
      const file = join(work, `${name}-${index}.sh`);
      writeFileSync(file, script);
      const set = Object.entries(variables).map(([variable, value]) => `${variable}='${value}'`);
      return `(cd ${folder} && env -u COLOPHON_CONFIG ${set.join(' ')} bash -eo pipefail ${file})`;
    })
    .join('\n');
}

function githubJob(text: string): string {
  const { port } = runner.address() as AddressInfo;
  const [job] = Object.values<{ permissions: Record<string, string>; steps: { run: string }[] }>(parse(text).jobs);
  if (job?.permissions['id-token'] !== 'write') throw new Error('the job may not ask for a token');
  const variables = {
    ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/token?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-this-job',
  };
  return inJob(
    'github',
    variables,
    job.steps.map(({ run }) => run),
  );
}

function gitlabJob(text: string): string {
  const { id_tokens, script } = parse(text).agent as { id_tokens: Record<string, { aud: string }>; script: string[] };
  const tokens = Object.entries(id_tokens).map(([name, { aud }]) => [name, jobToken('GitLab CI', aud)]);
  return inJob('gitlab', Object.fromEntries(tokens), script);
}

function pod(text: string): string {
  const { metadata, spec } = parse(text);
  const [container] = spec.containers;
  const [{ serviceAccountToken: projected }] = spec.volumes[0].projected.sources;
  const claims = claimsOf('Kubernetes', projected.audience);
  const sub = `system:serviceaccount:${metadata.namespace}:${spec.serviceAccountName}`;
  const exp = (claims['iat'] as number) + projected.expirationSeconds;
  const iss = 'https://kubernetes.default.svc.cluster.local';
  const mounted = container.volumeMounts[0].mountPath as string;
  mkdirSync(mounted, { recursive: true });
  writeFileSync(join(mounted, projected.path), mintToken(cluster, { ...claims, iss, sub, exp }, { typ: undefined }));
  const variables = container.env.map(({ name, value }: { name: string; value: string }) => [name, value]);
  return inJob('kubernetes', Object.fromEntries(variables), [container.command.at(-1)]);
}

function linesOf({ language, markers, text }: Fence): string {
  const [marker, name] = markers;
  if (marker === 'file') {
    writeFileSync(name!, withLocalKeys(text));
    return '';
  }
  if (marker === 'github') return githubJob(text);
  if (marker === 'gitlab') return gitlabJob(text);
  if (marker === 'kubernetes') return pod(text);
  return marker === undefined ? '' : typed({ language, markers, text, line: 0 });
}

// What the operator brings: a certificate, and a cluster that kubectl asks.
mkdirSync('/etc/colophon');
mkdirSync('/var/lib/colophon', { mode: 0o700 });
mkdirSync('/var/lib/colophon-pins', { mode: 0o700 });
const certificate = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
const named = ['-subj', '/CN=agents.example.com', '-addext', 'subjectAltName=DNS:agents.example.com'];
const files = ['-keyout', '/etc/colophon/tls.key', '-out', '/etc/colophon/tls.crt'];
execFileSync('openssl', [...certificate, ...named, ...files], { stdio: 'ignore' });
const programs = join(work, 'bin');
mkdirSync(programs);
writeFileSync(join(work, 'cluster-keys.json'), JSON.stringify({ keys: [cluster.jwk] }));
writeFileSync(
  join(programs, 'kubectl'),
  `#!/bin/sh\n[ "$*" = 'get --raw /openid/v1/jwks' ] && exec cat ${join(work, 'cluster-keys.json')}\nexit 1\n`,
  { mode: 0o755 },
);

const script = page.map(linesOf).join('\n');
const shell = spawn('/bin/bash', ['-euxo', 'pipefail', '-c', script], {
  cwd: work,
  stdio: ['ignore', 2, 2],
  env: {
    ...{ HOME: work, NO_COLOR: '1', CURL_CA_BUNDLE: '/etc/colophon/tls.crt', SSL_CERT_FILE: '/etc/colophon/tls.crt' },
    PATH: [programs, join(COLOPHON, '..'), '/usr/bin', '/bin'].join(delimiter),
  },
});
const code = await new Promise<number | null>((resolve) => shell.once('exit', resolve));
if (code !== 0) process.exit(code ?? 1);
const payload = (name: string) => {
  const [, claims = ''] = readFileSync(join(work, name, 'token.jwt'), 'utf8').split('.');
  return JSON.parse(Buffer.from(claims, 'base64url').toString());
};
const jobs = ['github', 'gitlab', 'kubernetes'].map((name) => [name, payload(name)]);
process.stdout.write(JSON.stringify(Object.fromEntries(jobs)));
process.exit(0);
