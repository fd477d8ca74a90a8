import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Installation, mint, RUN_PREDICATE, startColophon } from './colophon-up.ts';
import { pushImage } from './images.ts';
import { isMissing, type Outcome, run } from './programs.ts';
import {
  makeCa,
  type SigstoreServer,
  startFulcio,
  startOpensslAuthority,
  startRegistry,
  startRekorTiles,
  startTimestampServer,
  writeClientFiles,
} from './sigstore-servers.ts';

const PROGRAMS = ['colophon', 'cosign'] as const;
type Program = (typeof PROGRAMS)[number];
const TYPE = 'https://colophon.example/predicates/agent-run/v1';
/** What each program ends with when it does not accept a signature. */
const REFUSED = { colophon: 13, cosign: 1 } as const;

describe.skipIf(isMissing('fulcio', 'rekor-tiles', 'timestamp-server', 'cosign', 'crane', 'openssl', 'curl'))(
  'Fulcio, Rekor v2 and a timestamp authority, as a company runs them',
  () => {
    let up: Installation;
    let fulcio: SigstoreServer;
    let log: SigstoreServer;
    let timestamps: SigstoreServer;
    let registry: Awaited<ReturnType<typeof startRegistry>>;
    let own: ClientFiles;
    const others: SigstoreServer[] = [];
    type ClientFiles = Awaited<ReturnType<typeof writeClientFiles>>;

    beforeAll(async () => {
      const folder = mkdtempSync(join(tmpdir(), 'colophon-interop-'));
      await makeCa(folder);
      up = await startColophon({ folder, args: ['--ct-root', join(folder, 'root.pem')] });
      fulcio = await startFulcio(up);
      log = await startRekorTiles(folder);
      timestamps = await startTimestampServer(folder);
      registry = await startRegistry(folder);
      own = await writeClientFiles(up, { fulcio, log, timestamps }, 'own');
      writeFileSync(join(folder, 'app'), 'what an agent made');
      writeFileSync(join(folder, 'run.json'), JSON.stringify(RUN_PREDICATE));
    });
    afterAll(async () => {
      for (const server of [...others, registry, timestamps, log, fulcio]) await server?.stop();
      await up?.stop();
    });

    const call = (program: Program, args: readonly string[]): Promise<Outcome> =>
      program === 'colophon'
        ? up.colophon(args, { cwd: up.folder })
        : run('cosign', args, { cwd: up.folder, env: up.env });

    /** Runs one of the signing commands with a token of its own. */
    const sign = async (program: Program, [command, ...rest]: [string, ...string[]], files: ClientFiles = own) =>
      call(program, [
        ...[command, '--yes', '--signing-config', files.signingConfig, '--trusted-root', files.trustedRoot],
        ...['--identity-token', await mint(up.issuer), ...rest],
      ]);

    /** Runs one of the verifying commands; whoever signed has to be the agent. */
    const verify = (
      program: Program,
      [command, ...rest]: [string, ...string[]],
      { files = own, identity = 'agent:code-writer', issuer = up.issuer } = {},
    ) =>
      call(program, [
        ...[command, '--trusted-root', files.trustedRoot],
        ...['--certificate-identity', identity, '--certificate-oidc-issuer', issuer, ...rest],
      ]);

    const must = async (outcome: Promise<Outcome>) => {
      const { code, stderr } = await outcome;
      expect(code, stderr).toBe(0);
    };

    describe.each(PROGRAMS)('what %s signs', (signer) => {
      test('is a file that both verify; its time is the authority’s, and the log gives none', async () => {
        const bundle = `file-${signer}.json`;
        await must(sign(signer, ['sign-blob', '--bundle', bundle, 'app']));
        const { verificationMaterial } = JSON.parse(readFileSync(join(up.folder, bundle), 'utf8'));
        expect(verificationMaterial.timestampVerificationData.rfc3161Timestamps).toHaveLength(1);
        expect(verificationMaterial.tlogEntries).toHaveLength(1);
        expect(verificationMaterial.tlogEntries[0].kindVersion).toEqual({ kind: 'hashedrekord', version: '0.0.2' });
        expect(verificationMaterial.tlogEntries[0].inclusionPromise ?? undefined).toBeUndefined();
        for (const verifier of PROGRAMS) await must(verify(verifier, ['verify-blob', '--bundle', bundle, 'app']));
      });

      test('is a statement about a file that both verify', async () => {
        const bundle = `statement-${signer}.json`;
        const line = ['--predicate', 'run.json', '--type', TYPE, '--bundle', bundle, 'app'];
        await must(sign(signer, ['attest-blob', ...line]));
        for (const verifier of PROGRAMS) {
          await must(verify(verifier, ['verify-blob-attestation', '--type', TYPE, '--bundle', bundle, 'app']));
        }
      });

      test('is an image that both verify, with its attestation', async () => {
        const { reference } = await pushImage({ ...up, registry: registry.name }, `webshop-${signer}`);
        await must(sign(signer, ['sign', reference]));
        for (const verifier of PROGRAMS) await must(verify(verifier, ['verify', reference]));
        await must(sign(signer, ['attest', '--predicate', 'run.json', '--type', TYPE, reference]));
        for (const verifier of PROGRAMS) {
          await must(verify(verifier, ['verify-attestation', '--type', TYPE, reference]));
        }
      });

      test('is nobody else’s, of no other issuer and about no other file', async () => {
        const bundle = `refused-${signer}.json`;
        await must(sign(signer, ['sign-blob', '--bundle', bundle, 'app']));
        writeFileSync(join(up.folder, 'other'), 'what nobody signed');
        for (const verifier of PROGRAMS) {
          const line: [string, ...string[]] = ['verify-blob', '--bundle', bundle, 'app'];
          const outcomes = [
            await verify(verifier, line, { identity: 'agent:code-fixer' }),
            await verify(verifier, line, { issuer: 'https://issuer.example' }),
            await verify(verifier, ['verify-blob', '--bundle', bundle, 'other']),
          ];
          for (const { code } of outcomes) expect(code, verifier).not.toBe(0);
        }
      });
    });

    test('with no authority to be reached, nothing is signed: no file, nothing in the registry', async () => {
      const hangUp = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
      onTestFinished(() => void hangUp.close());
      await once(hangUp, 'listening');
      const { port } = hangUp.address() as AddressInfo;
      const dead = { ...timestamps, url: `http://localhost:${port}/api/v1/timestamp` };
      const files = await writeClientFiles(up, { fulcio, log, timestamps: dead }, 'dead');
      const blob = await sign('colophon', ['sign-blob', '--output', 'json', '--bundle', 'dead.json', 'app'], files);
      expect([blob.code, JSON.parse(blob.stdout).error.code]).toEqual([3, 'signing.timestamp_unavailable']);
      expect(existsSync(join(up.folder, 'dead.json'))).toBe(false);
      const { reference } = await pushImage({ ...up, registry: registry.name }, 'webshop-dead');
      const image = await sign('colophon', ['sign', '--output', 'json', reference], files);
      expect([image.code, JSON.parse(image.stdout).error.code]).toEqual([3, 'signing.timestamp_unavailable']);
      const verified = await verify('colophon', ['verify', '--output', 'json', reference]);
      expect([verified.code, JSON.parse(verified.stdout).error.code]).toEqual([10, 'image.no_signatures']);
    });

    test.each(['P-256', 'RSA'] as const)(
      'an authority of another kind, with a key of %s and at its own address, does where it is pinned, and only there',
      async (key) => {
        const other = await startOpensslAuthority(key);
        others.push(other);
        const files = await writeClientFiles(up, { fulcio, log, timestamps: other }, key);
        for (const signer of PROGRAMS) {
          const bundle = `other-${key}-${signer}.json`;
          await must(sign(signer, ['sign-blob', '--bundle', bundle, 'app'], files));
          for (const verifier of PROGRAMS) {
            await must(verify(verifier, ['verify-blob', '--bundle', bundle, 'app'], { files }));
            const unpinned = await verify(verifier, ['verify-blob', '--bundle', bundle, 'app']);
            expect(unpinned.code, verifier).toBe(REFUSED[verifier]);
          }
        }
        // Who signs would have to throw such a signature away: it is not handed out.
        const mixed = { ...files, trustedRoot: own.trustedRoot };
        const line: [string, ...string[]] = ['sign-blob', '--output', 'json', '--bundle', `mixed-${key}.json`, 'app'];
        const signed = await sign('colophon', line, mixed);
        expect([signed.code, JSON.parse(signed.stdout).error.code]).toEqual([13, 'signing.verification_failed']);
        expect(existsSync(join(up.folder, `mixed-${key}.json`))).toBe(false);
      },
    );
  },
);
