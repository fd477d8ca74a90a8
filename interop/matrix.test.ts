import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Installation, mint, RUN_PREDICATE, startColophon } from './colophon-up.ts';
import { attachBundle, attachedBundle } from './image-bundles.ts';
import { pushImage } from './images.ts';
import {
  type Cannot,
  type Kind,
  type Log,
  PROGRAMS,
  type Program,
  readCannots,
  type Signature,
  signatures,
} from './matrix-cells.ts';
import { isMissing, type Outcome, run } from './programs.ts';
import {
  type ClientFiles,
  isRekorV1Missing,
  makeCa,
  type SigstoreServer,
  startFulcio,
  startRegistry,
  startRekorTiles,
  startRekorV1,
  startTimestampServer,
  writeClientFiles,
} from './sigstore-servers.ts';

const TYPE = 'https://colophon.example/predicates/agent-run/v1';
const COSIGN_SIGNATURE = 'https://sigstore.dev/cosign/sign/v1';
const IN_TOTO = 'application/vnd.in-toto+json';
const NEEDED = ['fulcio', 'rekor-tiles', 'timestamp-server', 'cosign', 'crane', 'sigstore-js', 'curl'];
const APP = 'what an agent made';
const APP_SHA256 = createHash('sha256').update(APP).digest('hex');
const cannots = readCannots();
const named = ({ signer, kind, log }: Signature, verifier?: Program): Cannot | undefined =>
  cannots.find((one) => one.signer === signer && one.kind === kind && one.log === log && one.verifier === verifier);

/** What one signer made of one thing: the file or image, and the file of the bundle where it is not attached. */
type Made = { readonly target: string; readonly sha256: string; readonly bundle: string };

describe.skipIf(isMissing(...NEEDED) || isRekorV1Missing())('signers, verifiers and logs', () => {
  let up: Installation;
  let registry: Awaited<ReturnType<typeof startRegistry>>;
  let files: Record<Log, ClientFiles>;
  const servers: SigstoreServer[] = [];
  const started = async <Server extends SigstoreServer>(server: Promise<Server>): Promise<Server> => {
    servers.push(await server);
    return server;
  };

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'colophon-interop-'));
    await makeCa(folder);
    // rekor-server does without its metrics where their port is taken, the timestamp server ends: it has to be first.
    const timestamps = await started(startTimestampServer(folder));
    const [v1, v2] = [await started(startRekorV1(folder)), await started(startRekorTiles(folder))];
    up = await startColophon({ folder, args: ['--ct-root', join(folder, 'root.pem')] });
    const fulcio = await started(startFulcio(up));
    registry = await startRegistry(folder);
    files = {
      embedded: {
        signingConfig: join(up.trust, 'signing_config.json'),
        trustedRoot: join(up.trust, 'trusted_root.json'),
      },
      'Rekor v1': await writeClientFiles(up, { fulcio, log: v1, timestamps }, 'v1'),
      'Rekor v2': await writeClientFiles(up, { fulcio, log: v2, timestamps }, 'v2'),
    };
    writeFileSync(join(folder, 'app'), APP);
    writeFileSync(join(folder, 'other'), 'what somebody else made');
    writeFileSync(join(folder, 'run.json'), JSON.stringify(RUN_PREDICATE));
  });
  afterAll(async () => {
    await registry?.stop();
    for (const server of servers.reverse()) await server.stop();
    await up?.stop();
  });

  const call = (program: Program, args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> =>
    program === 'colophon'
      ? up.colophon(args, { cwd: up.folder, env })
      : run(program, args, { cwd: up.folder, env: { ...up.env, ...env } });

  async function sign({ signer, kind, log }: Signature): Promise<{ outcome: Outcome; made: Made }> {
    const name = `${signer}-${kind}-${log}`.toLowerCase().replaceAll(' ', '-');
    const isImage = kind.startsWith('image');
    const image = isImage ? await pushImage({ ...up, registry: registry.name }, name) : undefined;
    const made = {
      target: image?.reference ?? 'app',
      sha256: image?.digest.replace('sha256:', '') ?? APP_SHA256,
      bundle: `${name}.json`,
    };
    const env = { SIGSTORE_ID_TOKEN: await mint(up.issuer) };
    const outcome =
      signer === 'sigstore-js'
        ? await signWithLibrary(kind, log, made, env)
        : await call(signer, [...commandOf(kind, made), '--yes', ...optionsOf(log), made.target], env);
    return { outcome, made };
  }

  const optionsOf = (log: Log) => [
    '--signing-config',
    files[log].signingConfig,
    '--trusted-root',
    files[log].trustedRoot,
  ];

  function commandOf(kind: Kind, { bundle }: Made): readonly string[] {
    const predicate = ['--predicate', 'run.json', '--type', TYPE];
    switch (kind) {
      case 'blob':
        return ['sign-blob', '--bundle', bundle];
      case 'statement':
        return ['attest-blob', '--bundle', bundle, ...predicate];
      case 'image signature':
        return ['sign'];
      case 'image attestation':
        return ['attest', ...predicate];
    }
  }

  async function signWithLibrary(kind: Kind, log: Log, made: Made, env: Record<string, string>): Promise<Outcome> {
    const line = ['sign', '--signing-config', files[log].signingConfig, '--bundle', made.bundle];
    if (kind === 'blob') return call('sigstore-js', [...line, made.target], env);
    const isSignature = kind === 'image signature';
    const statement = {
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: made.target.replace(/@.*/, ''), digest: { sha256: made.sha256 } }],
      predicateType: isSignature ? COSIGN_SIGNATURE : TYPE,
      predicate: isSignature ? {} : RUN_PREDICATE,
    };
    writeFileSync(join(up.folder, 'statement.json'), JSON.stringify(statement));
    const outcome = await call('sigstore-js', [...line, '--payload-type', IN_TOTO, 'statement.json'], env);
    if (outcome.code === 0 && made.target !== 'app') {
      await attachBundle(made.target, readFileSync(join(up.folder, made.bundle)), statement.predicateType);
    }
    return outcome;
  }

  async function verify(
    verifier: Program,
    { kind, log }: Signature,
    { target, sha256, bundle }: Made,
    agent = 'agent:code-writer',
    issuer = up.issuer,
  ): Promise<Outcome> {
    const root = ['--trusted-root', files[log].trustedRoot];
    if (verifier === 'sigstore-js') {
      if (target.includes('@')) writeFileSync(join(up.folder, bundle), await attachedBundle(target));
      const artifact = target.includes('@') ? ['--digest', sha256] : [target];
      const identity = ['--identity', `^${agent}$`, '--issuer', issuer];
      return call(verifier, ['verify', ...root, '--bundle', bundle, ...identity, ...artifact]);
    }
    const command = {
      blob: ['verify-blob', '--bundle', bundle],
      statement: ['verify-blob-attestation', '--type', TYPE, '--bundle', bundle],
      'image signature': ['verify'],
      'image attestation': ['verify-attestation', '--type', TYPE],
    }[kind];
    const identity = ['--certificate-identity', agent, '--certificate-oidc-issuer', issuer];
    return call(verifier, [...command, ...root, ...identity, target]);
  }

  const scope = process.env['FULL_RUN'] ? 'full' : 'short';
  describe.each(signatures(scope, cannots))('$kind by $signer in $log', (signature) => {
    let made: Made;
    test('is signed', async () => {
      const signed = await sign(signature);
      made = signed.made;
      expectAsListed(signed.outcome, named(signature));
    });
    const verifiers = named(signature) === undefined ? PROGRAMS : [];
    test.each(verifiers)('is verified by %s', async (verifier) => {
      expectAsListed(await verify(verifier, signature, made), named(signature, verifier));
    });
  });

  const made: Partial<Record<Kind, Made>> = {};
  test.each(PROGRAMS)('%s refuses another agent, another issuer and another file', async (verifier) => {
    for (const kind of ['blob', 'statement'] as const) {
      const signature = { signer: 'colophon', kind, log: 'Rekor v2' } as const;
      made[kind] ??= (await sign(signature)).made;
      const one = made[kind];
      expect((await verify(verifier, signature, one)).code).toBe(0);
      expect((await verify(verifier, signature, one, 'agent:code-fixer')).code).not.toBe(0);
      expect((await verify(verifier, signature, one, undefined, 'https://issuer.example')).code).not.toBe(0);
      expect((await verify(verifier, signature, { ...one, target: 'other' })).code).not.toBe(0);
    }
  });
});

/** Fails where something new cannot be done, and where something can be done that is listed as impossible. */
function expectAsListed({ code, stdout, stderr }: Outcome, cannot: Cannot | undefined): void {
  if (cannot === undefined) expect(code, `${stdout}\n${stderr}`).toBe(0);
  else {
    expect(code, 'listed as impossible, and works').not.toBe(0);
    expect(`${stdout}${stderr}`).toContain(cannot.error);
  }
}
