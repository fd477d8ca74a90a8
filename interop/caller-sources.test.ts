import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ForeignIssuer, PLATFORM_COMMIT, startForeignIssuer } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Installation, SIX_FIELDS, startServe } from './colophon-up.ts';
import { type PushedImage, pushImage } from './images.ts';
import { type Platform, type PlatformIssuers, startPlatformIssuers } from './platform-issuers.ts';
import { isMissing, run } from './programs.ts';
import { reviewersEntry, signedInReview } from './signed-in-reviewer.ts';

const REVIEW_TYPE = 'https://colophon.example/predicates/agent-review/v1';

describe.skipIf(isMissing('crane', 'cosign'))('admission by who vouches', () => {
  let serve: Installation;
  let platforms: PlatformIssuers;
  let sso: ForeignIssuer;
  const images = new Map<Platform, PushedImage>();

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'colophon-interop-'));
    platforms = await startPlatformIssuers(folder);
    sso = await startForeignIssuer({ alg: 'RS256' });
    serve = await startServe({
      folder,
      configuration: (issuer, port) => `
issuer: ${issuer}
listen: { address: localhost, port: ${port} }
data: data
roles: [issuer, authority, evidence, registry]
callers:${platforms.callers(issuer)}${reviewersEntry(sso, issuer)}
agents: [{ name: code-writer }]
`,
    });
    writeFileSync(join(folder, 'context.json'), JSON.stringify(SIX_FIELDS));
    writeFileSync(
      join(folder, 'policy.yaml'),
      `version: 1
images: ["${serve.registry}/**"]
agent: { issuer: "${serve.issuer}", subject: agent:code-writer }
sources: { repo: [caller-token], commit_sha: [caller-token] }
`,
    );
    writeFileSync(
      join(folder, 'lenient.yaml'),
      readFileSync(join(folder, 'policy.yaml'), 'utf8').replace(/^sources.*\n/m, ''),
    );
  });
  afterAll(async () => {
    await serve?.stop();
    await sso?.stop();
    await platforms?.stop();
  });

  const must = async (args: readonly string[], env: Record<string, string> = {}) => {
    const outcome = await serve.colophon(args, { cwd: serve.folder, env });
    expect(outcome.code, `${args.join(' ')}\n${outcome.stdout}\n${outcome.stderr}`).toBe(0);
    return outcome.stdout;
  };
  const credential = (token: string) => {
    const file = join(serve.folder, 'credential');
    writeFileSync(file, token);
    return { COLOPHON_CALLER_CREDENTIAL_FILE: file };
  };
  const declared = ['--repo', 'acme/webshop', '--commit-sha', PLATFORM_COMMIT];

  /** A review by somebody who signed in at the company's own issuer. */
  async function review(image: PushedImage): Promise<void> {
    const { token, predicate } = await signedInReview(sso, serve.issuer, PLATFORM_COMMIT);
    writeFileSync(join(serve.folder, 'review.json'), JSON.stringify(predicate));
    const line = ['attest', '--type', REVIEW_TYPE, '--predicate', 'review.json', image.reference];
    await must(line, { SIGSTORE_ID_TOKEN: token });
  }

  test.each<[Platform, readonly string[], string]>([
    ['GitHub Actions', [], 'caller-token'],
    ['Kubernetes', declared, 'declared'],
  ])('a token for %s says who vouches for each claim', async (platform, more, source) => {
    const env = credential(platforms.token(platform, serve.issuer));
    const context = ['--issuer', serve.issuer, '--context', 'context.json', ...more];
    const token = (await must(['token', ...context], env)).trim();
    const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
    expect(claims).toMatchObject({ repo: 'acme/webshop', commit_sha: PLATFORM_COMMIT });
    expect(claims.trigger).toBe(source === 'declared' ? undefined : 'push');
    const sources = claims.claim_sources.split(';');
    for (const claim of ['repo', 'commit_sha']) expect(sources).toContain(`${claim}=${source}`);
    for (const claim of ['model_id', 'prompt_hash']) expect(sources).toContain(`${claim}=declared`);

    const image = await pushImage(serve, platform.toLowerCase().replace(' ', '-'));
    await must(['sign', ...context, image.reference], credential(platforms.token(platform, serve.issuer)));
    await review(image);
    images.set(platform, image);
  });

  test('a policy that wants both from callers admits the one image and refuses the other', async () => {
    const admit = async (platform: Platform, policy: string) => {
      const image = images.get(platform)!.reference;
      const line = ['admit', image, '--policy', policy, '--output', 'json'];
      const { code, stdout } = await serve.colophon(line, { cwd: serve.folder });
      return { code, reasons: JSON.parse(stdout).reasons?.map(({ code }: { code: string }) => code) };
    };
    expect(await admit('GitHub Actions', 'policy.yaml')).toEqual({ code: 0, reasons: [] });
    expect(await admit('Kubernetes', 'lenient.yaml')).toEqual({ code: 0, reasons: [] });
    const refused = await admit('Kubernetes', 'policy.yaml');
    expect(refused.code).toBe(20);
    expect(new Set(refused.reasons)).toEqual(new Set(['admission.source_not_allowed']));
  });

  test('cosign takes the event of the job as a constraint, and no other', async () => {
    const { reference } = images.get('GitHub Actions')!;
    const line = ['verify', '--trusted-root', join(serve.trust, 'trusted_root.json'), '--certificate-identity'];
    const subject = ['agent:code-writer', '--certificate-oidc-issuer', serve.issuer];
    const verify = (event: string) =>
      run('cosign', [...line, ...subject, '--certificate-github-workflow-trigger', event, reference], {
        env: serve.env,
      });
    const good = await verify('push');
    expect(good.code, good.stderr).toBe(0);
    expect((await verify('pull_request')).code).not.toBe(0);
  });
});
