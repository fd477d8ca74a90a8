import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { freePort, postgresPrograms, startPostgres } from '@colophon/testkit';
import { fulcioConfig } from '../packages/identity/setup/src/fulcio-configuration/fulcio-configuration.ts';
import type { Installation } from './colophon-up.ts';
import { findProgram, isMissing, run, shell, TOOLS } from './programs.ts';

/** A server of somebody else's on loopback. */
export type SigstoreServer = {
  /** Where clients go: with the path that the service wants to be named with. */
  readonly url: string;
  /** Certificate chain or public key in PEM: what a trusted root pins. */
  readonly trust: string;
  stop(): Promise<void>;
};

/** A transparency log, and the version of its API. */
export type LogServer = Pick<SigstoreServer, 'url' | 'trust'> & { readonly apiVersion: 1 | 2 };

/** A CA of somebody else's: an encrypted intermediate key as Fulcio's `fileca` wants it, and its chain. */
const MAKE_CA = `
openssl ecparam -name prime256v1 -genkey -noout -out root.key
openssl req -x509 -new -key root.key -sha256 -days 30 -subj '/O=Example/CN=root' -out root.pem \
  -addext basicConstraints=critical,CA:TRUE,pathlen:1 -addext keyUsage=critical,keyCertSign,cRLSign
openssl ecparam -name prime256v1 -genkey -noout -out ca-plain.key
openssl req -new -key ca-plain.key -subj '/O=Example/CN=intermediate' -out ca.csr
printf 'basicConstraints=critical,CA:TRUE,pathlen:0\\nkeyUsage=critical,keyCertSign,cRLSign\\nextendedKeyUsage=codeSigning\\nsubjectKeyIdentifier=hash\\n' > ca.ext
openssl x509 -req -in ca.csr -CA root.pem -CAkey root.key -CAcreateserial -days 20 -sha256 -extfile ca.ext -out ca.pem
openssl pkcs8 -topk8 -v2 aes-256-cbc -in ca-plain.key -passout pass:secret -out ca.key
cat ca.pem root.pem > chain.pem`;

/** Makes the CA in a folder; `root.pem` is for the CT log, which takes certificates of known roots only. */
export async function makeCa(folder: string): Promise<void> {
  await must(MAKE_CA, folder);
}

/** A company's login, whose people Fulcio certifies by their e-mail addresses. */
export type TrustedLogin = { readonly url: string; readonly clientId: string };

/**
 * Fulcio with our mapping and the CA of `makeCa`; it trusts the issuer of the installation, or another one, and the
 * people of a login beside it. `ctLog`: the log of the installation, at its own address or at another one, or none.
 */
export async function startFulcio(
  { issuer, trust, folder }: Pick<Installation, 'issuer' | 'trust' | 'folder'>,
  {
    trustedIssuer = issuer,
    ctLog = issuer,
    login,
  }: { readonly trustedIssuer?: string; readonly ctLog?: string | false; readonly login?: TrustedLogin } = {},
): Promise<SigstoreServer> {
  const people = login === undefined ? '' : emailIssuer(login);
  const config = fulcioConfig(trustedIssuer).replace('oidc-issuers:\n', `oidc-issuers:\n${people}`);
  writeFileSync(join(folder, 'fulcio.yaml'), config);
  const [port, grpcPort, metricsPort] = [await freePort(), await freePort(), await freePort()];
  const url = `http://localhost:${port}`;
  const args = [
    ...['serve', '--host', '127.0.0.1', '--port', `${port}`, '--grpc-host', '127.0.0.1', '--grpc-port', `${grpcPort}`],
    ...[
      '--metrics-port',
      `${metricsPort}`,
      '--config-path',
      'fulcio.yaml',
      '--legacy-unix-domain-socket',
      `@${folder}`,
    ],
    ...['--ca', 'fileca', '--fileca-cert', 'chain.pem', '--fileca-key', 'ca.key', '--fileca-key-passwd', 'secret'],
    ...['--ct-log-url', ctLog || ''],
    ...(ctLog ? ['--ct-log-public-key-path', join(trust, 'ctfe.pub')] : []),
  ];
  const stop = await startProgram('fulcio', args, folder, `${url}/api/v2/configuration`);
  return { url, trust: join(folder, 'chain.pem'), stop };
}

function emailIssuer({ url, clientId }: TrustedLogin): string {
  const entry = [
    `${url}:`,
    `  issuer-url: ${url}`,
    `  client-id: ${clientId}`,
    '  type: email',
    '  contact: a@example.com',
  ];
  return entry.map((line) => `  ${line}\n`).join('');
}

/** A log of Rekor v2 on disk. Its origin is the name of its host, and has to be. */
export async function startRekorTiles(folder: string): Promise<SigstoreServer & LogServer> {
  const home = join(folder, 'rekor-tiles');
  mkdirSync(join(home, 'tiles'), { recursive: true });
  await must(
    'openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem; openssl pkey -in key.pem -pubout -out key.pub',
    home,
  );
  const [port, grpcPort, metricsPort] = [await freePort(), await freePort(), await freePort()];
  const url = `http://localhost:${port}`;
  const args = [
    ...['serve', '--http-address', '127.0.0.1', '--http-port', `${port}`, '--http-metrics-port', `${metricsPort}`],
    ...['--grpc-address', '127.0.0.1', '--grpc-port', `${grpcPort}`, '--hostname', 'localhost'],
    ...[
      '--storage-dir',
      'tiles',
      '--signer-filepath',
      'key.pem',
      '--checkpoint-interval',
      '100ms',
      '--batch-max-age',
      '50ms',
    ],
  ];
  const stop = await startProgram('rekor-tiles', args, home, `${url}/healthz`);
  const front = await serveTiles(join(home, 'tiles'), url);
  const stopBoth = async () => {
    await front.stop();
    await stop();
  };
  return { url: front.url, trust: join(home, 'key.pub'), apiVersion: 2, stop: stopBoth };
}

/** The program only writes: what reads is answered by a static host, under the same address. */
async function serveTiles(folder: string, writer: string): Promise<Pick<SigstoreServer, 'url' | 'stop'>> {
  const server = createServer(async (request, response) => {
    const file = /^\/api\/v2\/(checkpoint|tile\/[\w./]+)$/.exec(request.url ?? '')?.[1];
    if (request.method === 'GET' && file !== undefined) {
      const bytes = await readFile(join(folder, file)).catch(() => undefined);
      response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
      return;
    }
    const headers = { 'content-type': request.headers['content-type'] ?? 'application/json' };
    const body = request.method === 'POST' ? await buffer(request) : undefined;
    const answer = await fetch(`${writer}${request.url}`, {
      method: request.method ?? 'GET',
      headers,
      ...(body === undefined ? {} : { body: new Uint8Array(body) }),
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const stop = async () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://localhost:${port}`, stop };
}

/** In Debian the server is this file, called by another name. */
const REDIS = '/usr/bin/redis-check-rdb';

/** For `describe.skipIf`: whether something is missing that {@link startRekorV1} needs; in CI an error. */
export function isRekorV1Missing(): boolean {
  const programs = ['rekor-server', 'trillian_log_server', 'trillian_log_signer', REDIS, 'openssl', 'psql'];
  if (isMissing(...programs)) return true;
  if (postgresPrograms() !== undefined) return false;
  if (process.env['CI'] === 'true') throw new Error('PostgreSQL is missing: .ci/tools.sh installs it');
  process.stderr.write('skipped: PostgreSQL not found; run .ci/tools.sh\n');
  return true;
}

/**
 * A log of Rekor v1, whose tree is new: rekor-server on Trillian in a PostgreSQL of its own, its index in Redis.
 * rekor-server's metrics stand at port 2112 of every interface, unless the port is taken.
 */
export async function startRekorV1(folder: string): Promise<SigstoreServer & LogServer> {
  const home = join(folder, 'rekor-v1');
  mkdirSync(home, { recursive: true });
  await must(
    'openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem; openssl pkey -in key.pem -pubout -out key.pub',
    home,
  );
  const cleanups: (() => unknown)[] = [];
  const stop = async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  };
  try {
    const { address } = await startPostgres((cleanup) => void cleanups.push(cleanup));
    await must(
      `psql --quiet --set ON_ERROR_STOP=1 --file "${join(TOOLS, 'trillian-postgresql.sql')}" "${address}"`,
      home,
    );
    const [redis, rpc, port] = [await freePort(), await freePort(), await freePort()];
    const loopback = async () => `127.0.0.1:${await freePort()}`;
    const trillian = async (program: string, rpcEndpoint: string, more: readonly string[] = []) => {
      const http = await loopback();
      const args = [
        ...['--storage_system=postgresql', '--quota_system=noop', `--postgresql_uri=${address}`],
        ...[`--rpc_endpoint=${rpcEndpoint}`, `--http_endpoint=${http}`, ...more],
      ];
      cleanups.push(await startProgram(program, args, home, `http://${http}/healthz`));
    };
    await Promise.all([
      trillian('trillian_log_server', `127.0.0.1:${rpc}`),
      trillian('trillian_log_signer', await loopback(), ['--force_master', '--sequencer_interval=50ms']),
    ]);
    const index = ['--bind', '127.0.0.1', '--port', `${redis}`, '--save', '', '--appendonly', 'no'];
    cleanups.push(await startProgram(REDIS, index, home, undefined, 'redis-server'));
    const url = `http://localhost:${port}`;
    const args = [
      ...['serve', '--rekor_server.address', '127.0.0.1', '--port', `${port}`, '--rekor_server.hostname', 'localhost'],
      ...[
        '--rekor_server.signer',
        'key.pem',
        '--trillian_log_server.port',
        `${rpc}`,
        '--redis_server.port',
        `${redis}`,
      ],
    ];
    cleanups.push(await startProgram('rekor-server', args, home, `${url}/api/v1/log`));
    return { url, trust: join(home, 'key.pub'), apiVersion: 1, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Sigstore's timestamp authority. Its metrics stand at port 2112 of every interface: it has no flag for them. */
export async function startTimestampServer(folder: string): Promise<SigstoreServer> {
  const port = await freePort();
  const url = `http://localhost:${port}/api/v1/timestamp`;
  const args = [
    ...['serve', '--host', '127.0.0.1', '--port', `${port}`, '--timestamp-signer', 'memory'],
    '--disable-ntp-monitoring',
  ];
  const stop = await startProgram('timestamp-server', args, folder, `${url}/certchain`);
  const trust = join(folder, 'timestamp-chain.pem');
  writeFileSync(trust, await (await fetch(`${url}/certchain`)).text());
  return { url, trust, stop };
}

/** An authority's certificate, and what `openssl ts` wants to know. */
const MAKE_TIMESTAMP_AUTHORITY = `
openssl req -x509 -newkey "$NEWKEY" \${PKEYOPT:+-pkeyopt "$PKEYOPT"} -nodes -sha256 -days 30 -keyout root.key -out root.pem \
  -subj '/O=Example/CN=timestamp root' -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign
openssl req -newkey "$NEWKEY" \${PKEYOPT:+-pkeyopt "$PKEYOPT"} -nodes -keyout tsa.key -out tsa.csr -subj '/O=Example/CN=timestamps'
printf 'keyUsage=critical,digitalSignature\\nextendedKeyUsage=critical,timeStamping\\nsubjectKeyIdentifier=hash\\nauthorityKeyIdentifier=keyid\\n' > tsa.ext
openssl x509 -req -in tsa.csr -CA root.pem -CAkey root.key -CAcreateserial -days 20 -sha256 -extfile tsa.ext -out tsa.pem
cat tsa.pem root.pem > chain.pem
echo 01 > serial
cat > tsa.cnf <<'END'
[tsa]
default_tsa = authority
[authority]
serial = serial
signer_cert = tsa.pem
signer_key = tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ordering = yes
END`;

/** Keys that timestamp authorities have. */
export type TimestampKey = 'P-256' | 'RSA';

/** An authority as others run them: it speaks RFC 3161 at its own address and nothing else. OpenSSL makes the timestamps. */
export async function startOpensslAuthority(key: TimestampKey): Promise<SigstoreServer> {
  const home = mkdtempSync(join(tmpdir(), 'colophon-interop-'));
  const env = key === 'RSA' ? { NEWKEY: 'rsa:2048' } : { NEWKEY: 'ec', PKEYOPT: 'ec_paramgen_curve:P-256' };
  await must(MAKE_TIMESTAMP_AUTHORITY, home, env);
  const server = createServer(async (request, response) => {
    const query = await buffer(request);
    if (request.method !== 'POST' || request.headers['content-type'] !== 'application/timestamp-query') {
      response.writeHead(415).end();
      return;
    }
    writeFileSync(join(home, 'query.tsq'), query);
    const line = ['ts', '-reply', '-config', 'tsa.cnf', '-queryfile', 'query.tsq', '-out', 'reply.tsr'];
    execFile(findProgram('openssl') as string, line, { cwd: home }, (failure) => {
      response.writeHead(failure === null ? 200 : 500, { 'content-type': 'application/timestamp-reply' });
      response.end(failure === null ? readFileSync(join(home, 'reply.tsr')) : '');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://localhost:${(server.address() as { port: number }).port}`,
    trust: join(home, 'chain.pem'),
    stop: async () => {
      await new Promise((resolve) => server.close(resolve));
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** crane as a registry, in memory and without a referrers API: what is attached to an image is found by tags. */
export async function startRegistry(folder: string): Promise<{ readonly name: string; stop(): Promise<void> }> {
  const name = `localhost:${await freePort()}`;
  const args = ['registry', 'serve', '--address', name.replace('localhost', '127.0.0.1')];
  return { name, stop: await startProgram('crane', args, folder, `http://${name}/v2/`) };
}

type Address = Pick<SigstoreServer, 'url' | 'trust'>;

/** Writes `trusted_root.json` beside an installation, as cosign does: another authority, the installation's own logs. */
export async function writeTrustedRoot({ issuer, trust, folder, env }: Installation, fulcio: Address): Promise<void> {
  const since = 'start-time=2020-01-01T00:00:00Z';
  const { code, stderr } = await run(
    'cosign',
    [
      ...['trusted-root', 'create', '--out', 'trusted_root.json'],
      ...['--fulcio', `url=${fulcio.url},certificate-chain=${fulcio.trust}`],
      ...['--rekor', `url=${issuer},public-key=${join(trust, 'rekor.pub')},${since}`],
      ...['--ctfe', `url=${issuer},public-key=${join(trust, 'ctfe.pub')},${since}`],
    ],
    { cwd: folder, env },
  );
  if (code !== 0) throw new Error(stderr);
}

/** Paths of the two files that clients read. */
export type ClientFiles = { readonly signingConfig: string; readonly trustedRoot: string };

/** Where clients sign and whom they trust, in the files that cosign writes. */
export async function writeClientFiles(
  { issuer, trust, folder, env }: Installation,
  { fulcio, log, timestamps }: { fulcio: Address; log: LogServer; timestamps: Address },
  name: string,
): Promise<ClientFiles> {
  const files = {
    signingConfig: join(folder, `${name}-signing_config.json`),
    trustedRoot: join(folder, `${name}-trusted_root.json`),
  };
  const since = 'start-time=2020-01-01T00:00:00Z';
  const service = (url: string, version = 1) => `url=${url},api-version=${version},${since},operator=example.com`;
  const written = [
    await run('cosign', [
      ...['signing-config', 'create', '--out', files.signingConfig, '--oidc-provider', service(issuer)],
      ...['--fulcio', service(fulcio.url), '--rekor', service(log.url, log.apiVersion), '--rekor-config', 'ANY'],
      // Of the selectors, sigstore-js knows this one alone.
      ...['--tsa', service(timestamps.url), '--tsa-config', 'ANY'],
    ]),
    await run(
      'cosign',
      [
        ...['trusted-root', 'create', '--out', files.trustedRoot],
        ...['--fulcio', `url=${fulcio.url},certificate-chain=${fulcio.trust}`],
        ...['--rekor', `url=${log.url},public-key=${log.trust},${since},origin=localhost`],
        ...['--ctfe', `url=${issuer},public-key=${join(trust, 'ctfe.pub')},${since}`],
        ...['--tsa', `url=${timestamps.url},certificate-chain=${timestamps.trust}`],
      ],
      { env },
    ),
  ];
  for (const { code, stderr } of written) if (code !== 0) throw new Error(stderr);
  return files;
}

async function must(script: string, cwd: string, env: Record<string, string> = {}): Promise<void> {
  const { code, stderr } = await shell(script, { cwd, env });
  if (code !== 0) throw new Error(stderr);
}

/** Starts a program, by another name where it goes by several, and waits until the address answers; what is given back ends it. */
async function startProgram(
  program: string,
  args: readonly string[],
  cwd: string,
  readyUrl: string | undefined,
  argv0 = program,
): Promise<() => Promise<void>> {
  const child = spawn(findProgram(program) as string, args, { argv0, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  for (let attempt = 0; readyUrl !== undefined; attempt++) {
    const isReady = await fetch(readyUrl).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) break;
    if (attempt > 300 || child.exitCode !== null) {
      child.kill('SIGKILL');
      throw new Error(`${program} did not start: ${output}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return async () => {
    // One that still has a client may take minutes to end in good order.
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
  };
}
