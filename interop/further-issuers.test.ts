import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ForeignIssuer, startForeignIssuer } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Installation, startServe } from './colophon-up.ts';
import { isMissing, run } from './programs.ts';

const JOB = 'https://ci.example/acme/webshop/build@refs/heads/main';

describe.skipIf(isMissing('cosign'))('cosign with tokens of further issuers of the embedded authority', () => {
  let serve: Installation;
  let builds: ForeignIssuer;
  let people: ForeignIssuer;

  beforeAll(async () => {
    // cosign takes no other algorithm from its command line.
    [builds, people] = await Promise.all([startForeignIssuer({ alg: 'RS256' }), startForeignIssuer({ alg: 'RS256' })]);
    serve = await startServe({
      configuration: (issuer, port) => `
issuer: ${issuer}
listen: { address: localhost, port: ${port} }
data: data
roles: [issuer, authority]
authority:
  issuers:
    - { issuer: "${builds.url}", subject: uri }
    - { issuer: "${people.url}", subject: email }
`,
    });
    writeFileSync(join(serve.folder, 'app'), 'what was built');
  });
  afterAll(async () => {
    await serve?.stop();
    await Promise.all([builds?.stop(), people?.stop()]);
  });

  const token = (of: ForeignIssuer, claims: object) => {
    const iat = Math.floor(Date.now() / 1000);
    return of.sign({ aud: 'sigstore', iat, exp: iat + 600, ...claims });
  };

  test.each<[string, () => ForeignIssuer, object, string]>([
    ['a build runner', () => builds, { sub: JOB }, JOB],
    ['a person', () => people, { sub: '42', email: 'alice@example.com', email_verified: true }, 'alice@example.com'],
  ])(
    '%s signs, and both programs verify the name with its issuer, and with no other',
    async (_who, of, claims, name) => {
      const bundle = `${name.replaceAll(/\W/g, '-')}.json`;
      const trusted = join(serve.trust, 'trusted_root.json');
      const at = { cwd: serve.folder, env: serve.env };
      const sign = ['sign-blob', '--yes', '--signing-config', join(serve.trust, 'signing_config.json')];
      const signed = await run(
        'cosign',
        [...sign, '--trusted-root', trusted, '--identity-token', token(of(), claims), '--bundle', bundle, 'app'],
        at,
      );
      expect(signed.code, signed.stderr).toBe(0);
      expect(JSON.parse(readFileSync(join(serve.folder, bundle), 'utf8'))).toHaveProperty(
        'verificationMaterial.certificate',
      );

      const verify = (identity: string, issuer: string) => [
        ...['verify-blob', '--trusted-root', trusted, '--bundle', bundle, '--certificate-identity', identity],
        ...['--certificate-oidc-issuer', issuer, 'app'],
      ];
      const verified = await run('cosign', verify(name, of().url), at);
      expect(verified.code, verified.stderr).toBe(0);
      const ours = await serve.colophon(verify(name, of().url), { cwd: serve.folder });
      expect(ours.code, ours.stderr).toBe(0);
      for (const [identity, issuer] of [
        [name, serve.issuer],
        ['agent:code-writer', of().url],
      ] as const) {
        expect((await run('cosign', verify(identity, issuer), at)).code).not.toBe(0);
        expect((await serve.colophon(verify(identity, issuer), { cwd: serve.folder })).code).toBe(12);
      }
      // Certificates of other issuers are none of the ledger's.
      const reconciled = await serve.colophon(['ledger', 'reconcile', '--output', 'json'], { cwd: serve.folder });
      expect(reconciled.code, reconciled.stdout).toBe(0);
      expect(JSON.parse(reconciled.stdout)).toMatchObject({ agreeing_count: 0, findings: [] });
    },
  );
});
