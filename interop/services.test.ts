import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { toPem } from '@colophon/testkit/local-sigstore/certificate-writer';
import { LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { FULL_REQUEST, type Installation, mint, RUN_PREDICATE, startColophon } from './colophon-up.ts';
import { type Fault, type FaultyProxy, type Relayed, startFaultyProxy } from './faulty-proxy.ts';
import { pushImage } from './images.ts';
import { isMissing, type Outcome, run } from './programs.ts';
import {
  type ClientFiles,
  type LogServer,
  makeCa,
  type SigstoreServer,
  startFulcio,
  startOpensslAuthority,
  startRegistry,
  startRekorTiles,
  startTimestampServer,
  type TimestampKey,
  writeClientFiles,
} from './sigstore-servers.ts';

const PROGRAMS = ['colophon', 'cosign'] as const;
type Program = (typeof PROGRAMS)[number];
type Line = readonly [command: string, ...rest: string[]];
const TYPE = 'https://colophon.example/predicates/agent-run/v1';
/** What each program ends with when it does not accept a signature. */
const REFUSED = { colophon: 13, cosign: 1 } as const;
const IS_LONG = Boolean(process.env['FULL_RUN']);
/** For `hang` one attempt takes 20 s, and there are three. */
const FAULTS: readonly Fault[] = ['refused', 'status 500', ...(IS_LONG ? (['hang'] as const) : [])];
/** Of authorities of another kind. The timestamp-server has P-256 too. */
const TIMESTAMP_KEYS: readonly TimestampKey[] = IS_LONG ? ['RSA', 'P-256'] : ['RSA'];
const HANG_MS = 150_000;

/** Whom a signer asks, with the code of the one who does not answer. */
const STEPS = [
  ['ca', 'signing.ca_unavailable'],
  ['log', 'signing.log_unavailable'],
  ['timestamps', 'signing.timestamp_unavailable'],
] as const;
type Step = (typeof STEPS)[number][0];

describe.skipIf(isMissing('fulcio', 'rekor-tiles', 'timestamp-server', 'cosign', 'crane', 'openssl', 'curl'))(
  'Fulcio, a log and a timestamp authority, as a company runs them',
  () => {
    let up: Installation;
    let fulcio: SigstoreServer;
    let log: SigstoreServer & LogServer;
    let timestamps: SigstoreServer;
    let registry: Awaited<ReturnType<typeof startRegistry>>;
    let own: ClientFiles;
    const others: Pick<SigstoreServer, 'stop'>[] = [];

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
        ? up.colophon(args, { cwd: up.folder, timeoutMs: HANG_MS })
        : run('cosign', args, { cwd: up.folder, env: up.env });

    /** Runs one of the signing commands with a token of its own. */
    const sign = async ([command, ...rest]: Line, files = own) =>
      call('colophon', [
        ...[command, '--yes', '--signing-config', files.signingConfig, '--trusted-root', files.trustedRoot],
        ...['--identity-token', await mint(up.issuer), ...rest],
      ]);

    /** Runs one of the verifying commands; whoever signed has to be the agent. */
    const verify = (program: Program, [command, ...rest]: Line, { files = own } = {}) =>
      call(program, [
        ...[command, '--trusted-root', files.trustedRoot],
        ...['--certificate-identity', 'agent:code-writer', '--certificate-oidc-issuer', up.issuer, ...rest],
      ]);

    const must = async (outcome: Promise<Outcome>) => {
      const { code, stderr } = await outcome;
      expect(code, stderr).toBe(0);
    };
    const refusalOf = ({ code, stdout }: Outcome) => [code, JSON.parse(stdout).error.code];
    const image = async (name: string) =>
      (await pushImage({ ...up, registry: registry.name }, name.toLowerCase().replaceAll(/\W/g, '-'))).reference;
    const tagsOf = async (reference: string): Promise<string[]> => {
      const repository = reference.replace(/^[^/]+\/|@.*/g, '');
      const answer = await fetch(`http://${registry.name}/v2/${repository}/tags/list`);
      return ((await answer.json()) as { tags: string[] }).tags;
    };

    test('in Rekor v2 the time is the authority’s, and the log gives none', async () => {
      await must(sign(['sign-blob', '--bundle', 'file.json', 'app']));
      const { verificationMaterial } = JSON.parse(readFileSync(join(up.folder, 'file.json'), 'utf8'));
      expect(verificationMaterial.timestampVerificationData.rfc3161Timestamps).toHaveLength(1);
      expect(verificationMaterial.tlogEntries).toHaveLength(1);
      expect(verificationMaterial.tlogEntries[0].kindVersion).toEqual({ kind: 'hashedrekord', version: '0.0.2' });
      expect(verificationMaterial.tlogEntries[0].inclusionPromise ?? undefined).toBeUndefined();
    });

    test('Rekor v2 proves by its tiles that it continues what was seen, and a checkpoint that was kept', async () => {
      const bundle = (n: number) => `seen-${n}.json`;
      await must(sign(['sign-blob', '--bundle', bundle(0), 'app']));
      const kept = ['--trusted-root', own.trustedRoot, '--rekor-url', log.url];
      await must(call('colophon', ['log', 'checkpoint', ...kept, '--out', 'kept.checkpoint']));
      for (const n of [1, 2, 3]) await must(sign(['sign-blob', '--bundle', bundle(n), 'app']));
      for (const n of [3, 0]) {
        await must(verify('colophon', ['verify-blob', '--bundle', bundle(n), '--require-consistency', 'app']));
      }
      const line = ['log', 'verify', ...kept, '--checkpoint', 'kept.checkpoint', '--output', 'json'];
      const audit = await call('colophon', line);
      expect(audit.code, audit.stderr).toBe(0);
      const { size, continues } = JSON.parse(audit.stdout);
      expect(size).toBeGreaterThanOrEqual(continues[0].size + 3);
    });

    test('the embedded log stands beside Fulcio and the authority as any other log does', async () => {
      const embedded = { url: up.issuer, trust: join(up.trust, 'rekor.pub'), apiVersion: 1 } as const;
      const files = await writeClientFiles(up, { fulcio, log: embedded, timestamps }, 'embedded-log');
      const reference = await image('webshop-embedded');
      const predicate = ['--predicate', 'run.json', '--type', TYPE];
      await must(sign(['sign-blob', '--bundle', 'embedded.json', 'app'], files));
      await must(sign(['attest-blob', ...predicate, '--bundle', 'embedded-run.json', 'app'], files));
      await must(sign(['sign', reference], files));
      await must(sign(['attest', ...predicate, reference], files));
      const { verificationMaterial } = JSON.parse(readFileSync(join(up.folder, 'embedded.json'), 'utf8'));
      expect(verificationMaterial.timestampVerificationData.rfc3161Timestamps).toHaveLength(1);
      expect(verificationMaterial.tlogEntries[0].inclusionPromise).toBeDefined();
      const lines: Line[] = [
        ['verify-blob', '--bundle', 'embedded.json', 'app'],
        ['verify-blob-attestation', '--type', TYPE, '--bundle', 'embedded-run.json', 'app'],
        ['verify', reference],
        ['verify-attestation', '--type', TYPE, reference],
      ];
      for (const line of lines) await must(verify('colophon', line, { files }));
    });

    describe('a service that is away', () => {
      const proxies = {} as Record<Step, FaultyProxy>;
      const filesOf = {} as Record<Step, ClientFiles>;

      beforeAll(async () => {
        for (const [step] of STEPS) {
          const service = { ca: fulcio, log, timestamps }[step];
          const proxy = await startFaultyProxy(service.url);
          others.unshift(proxy);
          proxies[step] = proxy;
          const seen = { fulcio, log, timestamps, [step === 'ca' ? 'fulcio' : step]: { ...service, url: proxy.url } };
          filesOf[step] = await writeClientFiles(up, seen, `through-${step}`);
        }
      });
      afterEach(async () => {
        for (const [step] of STEPS) await proxies[step].fail(undefined);
      });

      test.each(FAULTS.map((fault) => [fault]))(
        '(%s) ends signing with 3; no file, nothing in the registry, and it goes on with the next token',
        async (fault) => {
          await Promise.all(
            STEPS.map(async ([step, code]) => {
              const [bundle, reference] = [`away-${step}-${fault}.json`, await image(`away-${step}-${fault}`)];
              await proxies[step].fail(fault);
              const line: Line = ['sign-blob', '--output', 'json', '--bundle', bundle, 'app'];
              const outcomes = await Promise.all([
                sign(line, filesOf[step]),
                sign(['sign', '--output', 'json', reference], filesOf[step]),
              ]);
              for (const outcome of outcomes) expect(refusalOf(outcome), step).toEqual([3, code]);
              expect(existsSync(join(up.folder, bundle)), step).toBe(false);
              expect(await tagsOf(reference), step).toEqual(['1']);
              await proxies[step].fail(undefined);
              await must(sign(line, filesOf[step]));
            }),
          );
        },
        2 * HANG_MS,
      );

      test.each(['ca', 'timestamps'] as const)(
        'for a moment only: the %s is sent the same request again, and Fulcio takes a token twice',
        async (step) => {
          const { requests } = proxies[step];
          const before = requests.length;
          await proxies[step].fail('lost', 1);
          await must(sign(['sign-blob', '--bundle', `lost-${step}.json`, 'app'], filesOf[step]));
          expect(requests.length - before).toBe(2);
          expect(requests.at(-1)).toBe(requests.at(-2));
        },
      );

      test('for a moment only: Rekor v2 has the entry then and gives it to nobody, so the next signing has another', async () => {
        await proxies.log.fail('lost', 1);
        const line: Line = ['sign-blob', '--output', 'json', '--bundle', 'lost-log.json', 'app'];
        expect(refusalOf(await sign(line, filesOf.log))).toEqual([3, 'signing.log_unavailable']);
        expect(existsSync(join(up.folder, 'lost-log.json'))).toBe(false);
        await must(sign(line, filesOf.log));
      });

      test('behind Fulcio, as its CT log, is Fulcio’s own failure: 3, and the next token signs', async () => {
        const ctLog = await startFaultyProxy(up.issuer);
        const folder = mkdtempSync(join(tmpdir(), 'colophon-interop-'));
        for (const name of ['chain.pem', 'ca.key']) copyFileSync(join(up.folder, name), join(folder, name));
        const behind = await startFulcio({ ...up, folder }, { ctLog: ctLog.url });
        others.unshift(behind, ctLog, { stop: async () => rmSync(folder, { recursive: true, force: true }) });
        const files = await writeClientFiles(
          up,
          { fulcio: { ...behind, trust: fulcio.trust }, log, timestamps },
          'ct-log',
        );
        const line: Line = ['sign-blob', '--output', 'json', '--bundle', 'ct-log.json', 'app'];
        // Where nobody listens Fulcio itself asks on, for longer than anybody waits.
        await ctLog.fail('status 500');
        expect(refusalOf(await sign(line, files))).toEqual([3, 'signing.ca_unavailable']);
        expect(existsSync(join(up.folder, 'ct-log.json'))).toBe(false);
        await ctLog.fail(undefined);
        await must(sign(line, files));
      });

      /** Has a service answer what it answered first, whatever it is asked. */
      const repeating = (): ((answer: Relayed) => Relayed) => {
        let first: Relayed | undefined;
        return (answer) => (first ??= answer);
      };

      test.each([
        ['ca', 'signing.certificate_not_ours', 'a certificate of another key'],
        ['log', 'signing.log_answer_invalid', 'an entry for something else'],
        ['timestamps', 'signing.timestamp_answer_invalid', 'a timestamp over something else'],
      ] as const)('is none that lies: the %s is refused (%s) with %s', async (step, code, _lie) => {
        await proxies[step].fail(repeating());
        const line: Line = ['sign-blob', '--output', 'json', '--bundle', `lies-${step}.json`, 'app'];
        await must(sign(['sign-blob', '--bundle', `true-${step}.json`, 'app'], filesOf[step]));
        const reference = await image(`lies-${step}`);
        const outcomes = await Promise.all([
          sign(line, filesOf[step]),
          sign(['sign', '--output', 'json', reference], filesOf[step]),
        ]);
        for (const outcome of outcomes) expect(refusalOf(outcome)).toEqual([13, code]);
        expect(existsSync(join(up.folder, `lies-${step}.json`))).toBe(false);
        expect(await tagsOf(reference)).toEqual(['1']);
      });
    });

    test.each([
      ['an hour late', 3600],
      ['an hour early', -3600],
    ])('an authority whose clock is %s is refused, though it is pinned', async (name, seconds) => {
      const clock = await startWrongClock(seconds);
      const files = await writeClientFiles(up, { fulcio, log, timestamps: clock }, name.replaceAll(' ', '-'));
      const line: Line = ['sign-blob', '--output', 'json', '--bundle', 'wrong-clock.json', 'app'];
      const signed = await sign(line, files);
      expect(refusalOf(signed)).toEqual([13, 'signing.verification_failed']);
      expect(JSON.parse(signed.stdout).error.message).toContain('timestamp.outside_certificate');
      expect(existsSync(join(up.folder, 'wrong-clock.json'))).toBe(false);
    });

    /** A timestamp authority of our own, whose clock is wrong by so many seconds. */
    async function startWrongClock(seconds: number): Promise<{ url: string; trust: string }> {
      const authority = new LocalSigstore();
      const server = createServer(async (request, response) => {
        authority.now = new Date(Date.now() + seconds * 1000);
        const query = (await buffer(request)).toString('base64');
        response.setHeader('content-type', 'application/timestamp-reply').end(authority.answerTimestampQuery(query));
      }).listen(0, '127.0.0.1');
      onTestFinished(() => void server.close());
      await new Promise((resolve) => server.once('listening', resolve));
      const trust = join(up.folder, `clock-${seconds}.pem`);
      writeFileSync(trust, toPem(authority.tsaCertificate) + toPem(authority.tsaRootCertificate));
      return { url: `http://localhost:${(server.address() as AddressInfo).port}/timestamps`, trust };
    }

    test.each(TIMESTAMP_KEYS)(
      'an authority of another kind, with a key of %s and at its own address, does where it is pinned, and only there',
      async (key) => {
        const other = await startOpensslAuthority(key);
        others.push(other);
        const files = await writeClientFiles(up, { fulcio, log, timestamps: other }, key);
        const bundle = `other-${key}.json`;
        await must(sign(['sign-blob', '--bundle', bundle, 'app'], files));
        for (const verifier of PROGRAMS) {
          await must(verify(verifier, ['verify-blob', '--bundle', bundle, 'app'], { files }));
          const unpinned = await verify(verifier, ['verify-blob', '--bundle', bundle, 'app']);
          expect(unpinned.code, verifier).toBe(REFUSED[verifier]);
        }
        // Who signs would have to throw such a signature away: it is not handed out.
        const mixed = { ...files, trustedRoot: own.trustedRoot };
        const line: Line = ['sign-blob', '--output', 'json', '--bundle', `mixed-${key}.json`, 'app'];
        const signed = await sign(line, mixed);
        expect(refusalOf(signed)).toEqual([13, 'signing.verification_failed']);
        expect(existsSync(join(up.folder, `mixed-${key}.json`))).toBe(false);
      },
    );
  },
);

describe.skipIf(isMissing('curl'))('the embedded authority, which takes a token once', () => {
  let up: Installation;
  let proxy: FaultyProxy;
  beforeAll(async () => {
    up = await startColophon({ args: ['--single-use-tokens'] });
    proxy = await startFaultyProxy(up.issuer);
    writeFileSync(join(up.folder, 'app'), 'what an agent made');
    writeFileSync(join(up.folder, 'context.json'), JSON.stringify(FULL_REQUEST));
  });
  afterAll(async () => {
    await proxy?.stop();
    await up?.stop();
  });
  const sign = (...args: string[]) =>
    up.colophon(
      ['sign-blob', '--output', 'json', '--fulcio-url', proxy.url, '--rekor-url', up.issuer, ...args, 'app'],
      { cwd: up.folder },
    );
  const tokensSent = () =>
    new Set(
      proxy.requests.map((body) =>
        createHash('sha256').update(JSON.parse(body).credentials.oidcIdentityToken).digest('hex'),
      ),
    );

  test('gets another one where its answer was lost on the way', async () => {
    await proxy.fail('lost', 1);
    const signed = await sign('--context', 'context.json', '--issuer', up.issuer, '--bundle', 'again.json');
    expect(signed.code, signed.stdout + signed.stderr).toBe(0);
    expect(tokensSent().size).toBe(2);
  });

  test('refuses a given one then, and the next one does', async () => {
    await proxy.fail('lost', 1);
    const refused = await sign('--identity-token', await mint(up.issuer), '--bundle', 'given.json');
    expect([refused.code, JSON.parse(refused.stdout).error.code]).toEqual([4, 'signing.ca_refused']);
    expect(existsSync(join(up.folder, 'given.json'))).toBe(false);
    expect((await sign('--identity-token', await mint(up.issuer), '--bundle', 'given.json')).code).toBe(0);
  });
});
