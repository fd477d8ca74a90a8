import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FULCIO_ARC } from '@colophon/records';
import { readCertificateIdentity } from '@colophon/sigstore';
import { PLATFORM_COMMIT } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { extensionText } from './certificate-extension.ts';
import { type Installation, SIX_FIELDS, startColophon, startServe } from './colophon-up.ts';
import { type OidcProvider, startOidcProvider } from './oidc-provider-server.ts';
import { type Platform, type PlatformIssuers, startPlatformIssuers } from './platform-issuers.ts';
import { isMissing, run } from './programs.ts';
import { makeCa, type SigstoreServer, startFulcio, writeTrustedRoot } from './sigstore-servers.ts';

const REVISION = '0123456789abcdef0123456789abcdef01234567';
const SOURCED = ['repo', 'repo_uri', 'commit_sha'] as const;

/** Requests through the rotation of a key; `.ci/run full` asks for all of them. */
const REQUESTS = process.env['FULL_RUN'] === 'true' ? 10_000 : 500;

/** How long an unknown `kid` asks its issuer no second time. */
const KEY_SET_COOLDOWN_MS = 10_000;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const claimsIn = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
const kidOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()).kid;

describe.skipIf(isMissing('fulcio', 'cosign', 'openssl', 'curl'))('callers, serve and the real Fulcio', () => {
  let up: Installation;
  let serve: Installation;
  let fulcio: SigstoreServer;
  let platforms: PlatformIssuers;
  /** One that changes its keys, and one whose key set is away when it is asked first. */
  let provider: OidcProvider;
  let late: OidcProvider;
  let apiKey: string;

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'colophon-interop-'));
    await makeCa(folder);
    up = await startColophon({ folder, args: ['--ct-root', join(folder, 'root.pem')] });
    const own = mkdtempSync(join(tmpdir(), 'colophon-interop-'));
    platforms = await startPlatformIssuers(own);
    const said = { repository: 'acme/webshop', revision: REVISION, event: 'nightly' };
    provider = await startOidcProvider(said);
    late = await startOidcProvider(said);
    const program = (name: string, { url }: OidcProvider, issuer: string) => `
  - name: ${name}
    kind: oidc
    oidc:
      issuer: ${url}
      audience: ${issuer}
      where: { client_id: agent-runner }
      claims: { repo: repository, commit_sha: revision, trigger: event }
    may: { agents: [code-writer] }`;
    serve = await startServe({
      folder: own,
      configuration: (issuer, port) => `
issuer: ${issuer}
listen: { address: localhost, port: ${port} }
data: data
tokens: { keyCacheSeconds: 1 }
limits: { requestsPerSecond: 5000 }
callers:${platforms.callers(issuer)}${program('provider', provider, issuer)}${program('late', late, issuer)}
  - name: committer
    kind: github
    oidc:
      issuer: https://token.actions.githubusercontent.com
      audience: ${issuer}
      where: { repository_id: "7", job_workflow_ref: acme/ci/.github/workflows/agent.yml@refs/heads/main }
      confirms: [repo, repo_uri, trigger]
      keys: { file: github-keys.json }
    may: { agents: [code-writer] }
  - name: builder
    apiKey: true
    may: { agents: [code-writer] }
`,
    });
    apiKey = (await serve.colophon(['callers', 'key', 'create', 'builder'])).stdout.trim();
    fulcio = await startFulcio(up, { trustedIssuer: serve.issuer });
    await writeTrustedRoot(up, fulcio);
    writeFileSync(join(folder, 'app'), 'what an agent made');
    writeFileSync(join(folder, 'context.json'), JSON.stringify(SIX_FIELDS));
  });
  afterAll(async () => {
    await fulcio?.stop();
    await serve?.stop();
    await up?.stop();
    await provider?.stop();
    await late?.stop();
    await platforms?.stop();
  });

  /** A token request with a credential; the answer is the token, or the code of the refusal. */
  async function ask(credential: string, more: object = {}): Promise<{ status: number; token: string; code: string }> {
    const response = await fetch(`${serve.issuer}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${credential}` },
      body: JSON.stringify({ ...SIX_FIELDS, ...more }),
    });
    const text = await response.text();
    const { status } = response;
    return status === 200 ? { status, token: text, code: '' } : { status, token: '', code: JSON.parse(text).code };
  }
  const mintedRows = async () => {
    const { code, stdout, stderr } = await serve.colophon(['ledger', 'verify', '--output', 'json']);
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout).token_count as number;
  };

  let askedFirstAt: number;
  test('a token of oidc-provider confirms what its entry names, and nothing is minted where its keys are away', async () => {
    const { token, code } = await ask(await provider.token(serve.issuer));
    expect(code).toBe('');
    expect(claimsIn(token)).toMatchObject({ repo: 'acme/webshop', commit_sha: REVISION, trigger: 'nightly' });
    expect(claimsIn(token).claim_sources).toContain('commit_sha=caller-token');
    expect(claimsIn(token).claim_sources).toContain('model_id=declared');
    const rows = await mintedRows();
    expect(await ask(await provider.token('https://other.example'))).toMatchObject({
      status: 401,
      code: 'caller.token_audience_wrong',
    });
    expect(await ask(await provider.token(serve.issuer), { commit_sha: PLATFORM_COMMIT })).toMatchObject({
      code: 'issuance.claim_contradicted',
    });
    late.servesKeys = false;
    askedFirstAt = Date.now();
    expect(await ask(await late.token(serve.issuer))).toMatchObject({ status: 503, code: 'caller.issuer_unreachable' });
    late.servesKeys = true;
    expect(await mintedRows()).toBe(rows);
  });

  describe.each<[Platform, Readonly<Record<string, string>>]>([
    ['GitHub Actions', { repo_uri: 'https://github.com/acme/webshop' }],
    ['GitLab CI', { repo_uri: 'https://gitlab.example.com/acme/webshop' }],
    ['Kubernetes', {}],
    ['SPIFFE', {}],
  ])('a job with a token of %s', (platform, { repo_uri }) => {
    const isForge = repo_uri !== undefined;
    const bundle = `${platform.replace(' ', '-')}.json`;
    let der: Buffer;

    beforeAll(async () => {
      writeFileSync(join(up.folder, 'credential'), platforms.token(platform, serve.issuer));
      const services = ['--issuer', serve.issuer, '--fulcio-url', fulcio.url, '--rekor-url', up.issuer];
      const declared = isForge ? [] : ['--repo', 'acme/webshop', '--commit-sha', REVISION];
      const line = ['sign-blob', ...services, '--trusted-root', 'trusted_root.json', '--context', 'context.json'];
      const signed = await up.colophon([...line, ...declared, '--bundle', bundle, 'app'], {
        cwd: up.folder,
        env: { COLOPHON_CALLER_CREDENTIAL_FILE: join(up.folder, 'credential') },
      });
      expect(signed.code, signed.stderr).toBe(0);
      const { verificationMaterial } = JSON.parse(readFileSync(join(up.folder, bundle), 'utf8'));
      der = Buffer.from(verificationMaterial.certificate.rawBytes, 'base64');
    });

    test('has who vouches for what in its certificate', () => {
      const commit = isForge ? PLATFORM_COMMIT : REVISION;
      const trigger = isForge ? 'push' : 'unknown';
      const expected = {
        ...{ 2: trigger, 3: commit, 5: 'acme/webshop', 12: repo_uri ?? 'unknown', 13: commit, 20: trigger },
      };
      for (const [n, value] of Object.entries(expected)) {
        expect(extensionText(der, `${FULCIO_ARC}.${n}`), `extension .${n}`).toBe(value);
      }
      const sources = extensionText(der, `${FULCIO_ARC}.11`);
      const identity = readCertificateIdentity(der);
      expect(identity.issuer).toBe(serve.issuer);
      for (const claim of SOURCED) {
        const source = isForge ? 'caller-token' : claim === 'repo_uri' ? undefined : 'declared';
        expect(identity.sources[claim], claim).toBe(source);
        if (source !== undefined) expect(sources).toContain(`;${claim}=${source}`);
      }
      for (const claim of ['model_id', 'prompt_hash', 'human_reviewer'] as const) {
        expect(identity.sources[claim], claim).toBe('declared');
      }
      expect(identity.claims.repo).toBe('acme/webshop');
    });

    test('is verified by colophon and cosign, by event, repository and commit', async () => {
      const subject = ['--certificate-identity', 'agent:code-writer', '--certificate-oidc-issuer', serve.issuer];
      const commit = isForge ? PLATFORM_COMMIT : REVISION;
      const of = (repository: string, sha: string, event: string) => [
        ...['--certificate-github-workflow-repository', repository, '--certificate-github-workflow-sha', sha],
        // Nobody said what started a pod.
        ...(isForge ? ['--certificate-github-workflow-trigger', event] : []),
      ];
      const verify = async (program: string, constraints: readonly string[]) => {
        const line = ['verify-blob', '--trusted-root', 'trusted_root.json', '--bundle', bundle, ...subject];
        const options = { cwd: up.folder, env: up.env };
        return program === 'colophon'
          ? up.colophon([...line, ...constraints, 'app'], options)
          : run(program, [...line, ...constraints, 'app'], options);
      };
      for (const program of ['colophon', 'cosign']) {
        const good = await verify(program, of('acme/webshop', commit, 'push'));
        expect(good.code, good.stderr).toBe(0);
        expect((await verify(program, of('acme/other', commit, 'push'))).code, program).not.toBe(0);
        expect((await verify(program, of('acme/webshop', commit.replace(/^./, 'e'), 'push'))).code, program).not.toBe(
          0,
        );
        const event = ['--certificate-github-workflow-trigger', 'pull_request'];
        expect((await verify(program, event)).code, program).not.toBe(0);
      }
    });
  });

  test('a token of a platform that does not meet its conditions buys nothing', async () => {
    const rows = await mintedRows();
    for (const [platform, changes] of [
      ['GitHub Actions', { event_name: 'pull_request_target' }],
      ['GitHub Actions', { repository_id: '1234567890' }],
      ['GitHub Actions', { job_workflow_ref: 'acme/ci/.github/workflows/agent.yml@refs/heads/other' }],
      ['GitLab CI', { ref_protected: 'false' }],
      ['Kubernetes', { sub: 'system:serviceaccount:agents:default' }],
      ['SPIFFE', { sub: 'spiffe://prod.example/ns/agents/sa/code-fixer/x' }],
    ] as const) {
      const { code } = await ask(platforms.token(platform, serve.issuer, changes));
      expect([platform, changes, code]).toEqual([platform, changes, 'caller.unknown']);
    }
    const used = platforms.token('GitHub Actions', serve.issuer);
    expect((await ask(used)).status).toBe(200);
    expect((await ask(used)).code).toBe('caller.token_used');
    expect(await mintedRows()).toBe(rows + 1);
  });

  test('a job names a commit of its own only where its entry leaves the commit to it, and then it is declared', async () => {
    const own = { commit_sha: REVISION };
    const asked = (changes: object) => ask(platforms.token('GitHub Actions', serve.issuer, { ...changes }), own);
    expect(await asked({})).toMatchObject({ code: 'issuance.claim_contradicted' });
    const { token, code } = await asked({ repository_id: '7' });
    expect(code).toBe('');
    expect(claimsIn(token)).toMatchObject({ ...own, trigger: 'push' });
    expect(claimsIn(token).claim_sources).toContain(';repo=caller-token');
    expect(claimsIn(token).claim_sources).toContain(';commit_sha=declared');
  });

  test('new keys of oidc-provider are found, and those that were away', async () => {
    await sleep(Math.max(0, askedFirstAt + KEY_SET_COOLDOWN_MS + 100 - Date.now()));
    const old = await provider.token(serve.issuer);
    await provider.rotate();
    expect(await ask(await provider.token(serve.issuer))).toMatchObject({ status: 200 });
    expect(await ask(old)).toMatchObject({ code: 'caller.token_key_unknown' });
    expect(await ask(await late.token(serve.issuer))).toMatchObject({ status: 200 });
  });

  describe('through a rotation of the token key', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const possession = sign('sha256', Buffer.from('agent:code-writer'), privateKey).toString('base64');
    const content = publicKey.export({ type: 'spki', format: 'pem' });

    const certify = async (oidcIdentityToken: string) => {
      const response = await fetch(`${fulcio.url}/api/v2/signingCert`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          credentials: { oidcIdentityToken },
          publicKeyRequest: { publicKey: { algorithm: 'ECDSA', content }, proofOfPossession: possession },
        }),
      });
      await response.text();
      return response.status;
    };
    const mintOne = async () => (await ask(apiKey)).token;

    test(`${REQUESTS} requests get their tokens, and Fulcio certifies each`, async () => {
      // Minted before the rotation, and certified when the next key has signed long since: they are valid still.
      const early = await Promise.all(Array.from({ length: 10 }, mintOne));
      const first = kidOf(early[0]!);
      const rotated = await serve.colophon(['keys', 'rotate', '--output', 'json']);
      expect(rotated.code, rotated.stderr).toBe(0);
      const byKey = new Map<string, number>();
      const failures: string[] = [];
      const deadline = Date.now() + 500_000;
      let asked = 0;
      const worker = async () => {
        // Until all are asked, and a tenth of them with the next key.
        while (asked < REQUESTS || [...byKey].every(([kid, count]) => kid === first || count < REQUESTS / 10)) {
          asked += 1;
          const { status, token } = await ask(apiKey);
          const certified = status === 200 ? await certify(token) : 0;
          if (certified !== 200 && certified !== 201) failures.push(`${status} ${certified}`);
          else byKey.set(kidOf(token), (byKey.get(kidOf(token)) ?? 0) + 1);
          if (Date.now() > deadline) break;
        }
      };
      await Promise.all(Array.from({ length: 8 }, worker));
      for (const token of early) if ((await certify(token)) >= 300) failures.push('early');
      expect(asked).toBeGreaterThanOrEqual(REQUESTS);
      expect(failures).toEqual([]);
      expect(byKey.size).toBe(2);
    }, 600_000);

    test('a revoked key is refused by Fulcio from its first token of a new key on', async () => {
      const stolen = await mintOne();
      expect(await certify(stolen)).toBeLessThan(300);
      expect((await serve.colophon(['keys', 'revoke', kidOf(stolen)])).code).toBe(0);
      let next = await mintOne();
      for (let attempt = 0; kidOf(next) === kidOf(stolen) && attempt < 100; attempt++) {
        await sleep(100);
        next = await mintOne();
      }
      expect(kidOf(next)).not.toBe(kidOf(stolen));
      // It keeps keys for as long as it runs.
      const before = await certify(stolen);
      expect(await certify(next)).toBeLessThan(300);
      expect(before).toBeLessThan(300);
      expect(await certify(stolen)).toBe(400);
    });
  });
});
