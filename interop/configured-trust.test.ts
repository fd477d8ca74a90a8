import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FULL_REQUEST, type Installation, RUN_PREDICATE, startServe } from './colophon-up.ts';
import { pushImage } from './images.ts';
import { isMissing, run, shell } from './programs.ts';
import {
  makeCa,
  type SigstoreServer,
  startFulcio,
  startOpensslAuthority,
  startRegistry,
  startRekorTiles,
} from './sigstore-servers.ts';
import { type Sso, startSso } from './sso-server.ts';

const DANA = 'dana@example.com';
const TYPE = 'https://colophon.example/predicates/agent-run/v1';

describe.skipIf(isMissing('fulcio', 'rekor-tiles', 'cosign', 'crane', 'openssl', 'curl'))(
  'one configuration, for a Fulcio without CT log, Rekor v2 and a timestamp authority',
  () => {
    let serve: Installation;
    let sso: Sso;
    let folder: string;
    let issuer: string;
    let commit: string;
    let registry: { readonly name: string; stop(): Promise<void> };
    const servers: SigstoreServer[] = [];

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'colophon-interop-'));
      const port = await freePort();
      issuer = `http://localhost:${port}`;
      await makeCa(folder);
      sso = await startSso({ dana: DANA });
      const fulcio = await startFulcio({ issuer, trust: folder, folder }, { ctLog: false, login: sso });
      const log = await startRekorTiles(folder);
      const timestamps = await startOpensslAuthority('P-256');
      servers.push(fulcio, log, timestamps);
      registry = await startRegistry(folder);
      await writeTrust(folder, { issuer, fulcio, log, timestamps });
      serve = await startServe({
        folder,
        port,
        configuration: () => `issuer: ${issuer}
listen: { address: localhost, port: ${port} }
data: data
roles: [issuer, evidence]
trust:
  roots: [{ name: company, file: trusted_root.json, insecureIgnoreSct: true }]
  signingConfig: signing_config.json
reviews: { login: { issuer: "${sso.url}", clientId: "${sso.clientId}" } }
`,
      });
      commit = await commitOf(folder);
      writeFileSync(join(folder, 'change.patch'), 'what an agent made');
      writeFileSync(
        join(folder, 'run.json'),
        JSON.stringify({ ...RUN_PREDICATE, git: { commit_sha: commit, files_changed: ['app.ts'] } }),
      );
      writeFileSync(join(folder, 'context.json'), JSON.stringify({ ...FULL_REQUEST, commit_sha: commit }));
    });
    afterAll(async () => {
      await sso?.stop();
      await registry?.stop();
      for (const server of servers.reverse()) await server.stop();
      await serve?.stop();
    });

    // $COLOPHON_CONFIG is all that says where to sign and whom to trust.
    const colophon = (...line: string[]) =>
      serve.colophon([...line, '--output', 'json'], { cwd: folder, env: { COLOPHON_CONTEXT: 'context.json' } });
    // biome-ignore lint/suspicious/noExplicitAny: tests say what must be in it
    const must = async (...line: string[]): Promise<any> => {
      const { code, stdout, stderr } = await colophon(...line);
      expect(code, `${line.join(' ')}: ${stdout}${stderr}`).toBe(0);
      return JSON.parse(stdout);
    };
    const agent = () => ['--certificate-identity', 'agent:code-writer', '--certificate-oidc-issuer', issuer];

    test('what is signed is verified, kept, found, and marks an SBOM', async () => {
      await must(
        'attest-blob',
        '--predicate',
        'run.json',
        '--type',
        TYPE,
        '--bundle',
        'run.sigstore.json',
        'change.patch',
      );
      const line = ['verify-blob-attestation', '--type', TYPE, '--bundle', 'run.sigstore.json', ...agent()];
      const verified = await must(...line, 'change.patch');
      expect(verified.checks).toContainEqual({
        check: 'certificate.chain',
        detail: 'to an authority of company, without a certificate timestamp',
      });
      const { rows } = await must('query', `runs where git.commit_sha = '${commit}'`);
      expect(rows).toHaveLength(1);
      const component = { type: 'file', 'bom-ref': 'app', name: 'app.ts', version: '0' };
      const sbom = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components: [component] };
      writeFileSync(join(folder, 'shop.cdx.json'), JSON.stringify(sbom));
      const from = ['--commit', commit, '--repository', 'shop', '--out', 'marked.cdx.json'];
      await must('sbom', 'attribute', 'shop.cdx.json', ...from, ...agent());
      const [marked] = JSON.parse(readFileSync(join(folder, 'marked.cdx.json'), 'utf8')).components;
      expect(marked.properties).toContainEqual({ name: 'colophon:ai:agent', value: 'code-writer' });
    });

    test('without the word that no CT log is there, nothing counts, and the error says what to say', async () => {
      await must('sign-blob', '--bundle', 'blob.json', 'change.patch');
      const bare = ['verify-blob', '--trusted-root', 'trusted_root.json', '--bundle', 'blob.json', ...agent()];
      const { code, stdout } = await colophon(...bare, 'change.patch');
      expect([code, JSON.parse(stdout).error]).toMatchObject([
        13,
        { code: 'sct.missing', expected: expect.stringContaining('--insecure-ignore-sct') },
      ]);
      await must(...bare, '--insecure-ignore-sct', 'change.patch');
      const cosign = await run(
        'cosign',
        [...bare, '--insecure-ignore-sct', '--use-signed-timestamps', 'change.patch'],
        { cwd: folder, env: serve.env },
      );
      expect(cosign.code, cosign.stderr).toBe(0);
    });

    test('an image that is signed, attested and reviewed by the login is admitted, until a rejection stands in the signed list', async () => {
      const { reference } = await pushImage({ ...serve, registry: registry.name }, 'webshop-sso');
      await must('sign', reference);
      await must('attest', '--predicate', 'run.json', '--type', TYPE, reference);
      const review = ['--repo', 'acme/webshop', '--commit-sha', commit, reference];
      const say = async (word: string) => must('review', word, '--identity-token', await sso.token('dana'), ...review);
      await say('approve');
      const policy = `version: 1
images: ["${registry.name}/webshop-sso*"]
agent: { issuer: "${issuer}", subject: "agent:code-writer" }
review: { issuer: "${sso.url}", subjectRegExp: ".+@example[.]com" }
`;
      writeFileSync(join(folder, 'sso-policy.yaml'), policy);
      await must('admit', '--policy', 'sso-policy.yaml', reference);
      await say('reject');
      const { rejections } = await must('review', 'list');
      expect(JSON.stringify(rejections)).toContain(DANA);
      const refused = await colophon('admit', '--policy', 'sso-policy.yaml', reference);
      expect(refused.code).toBe(20);
    });
  },
);

/** A repository with one file, which the agent wrote. */
async function commitOf(folder: string): Promise<string> {
  const made = await shell(
    `git init -q shop && cd shop && echo 'export const shop = 1;' >app.ts && git add app.ts &&
     git -c user.name=a -c user.email=a@example.com commit -q -m shop && git rev-parse HEAD`,
    { cwd: folder, env: { HOME: folder } },
  );
  if (made.code !== 0) throw new Error(made.stderr);
  return made.stdout.trim();
}

/** Where clients sign and whom they trust, as cosign writes it; no CT log is named. */
async function writeTrust(
  folder: string,
  { issuer, fulcio, log, timestamps }: Record<'fulcio' | 'log' | 'timestamps', SigstoreServer> & { issuer: string },
): Promise<void> {
  const since = 'start-time=2020-01-01T00:00:00Z';
  const service = (url: string, version = 1) => `url=${url},api-version=${version},${since},operator=example.com`;
  const lines = [
    [
      ...['signing-config', 'create', '--out', 'signing_config.json', '--oidc-provider', service(issuer)],
      ...['--fulcio', service(fulcio.url), '--rekor', service(log.url, 2), '--rekor-config', 'ANY'],
      ...['--tsa', service(timestamps.url), '--tsa-config', 'EXACT:1'],
    ],
    [
      ...['trusted-root', 'create', '--out', 'trusted_root.json'],
      ...['--fulcio', `url=${fulcio.url},certificate-chain=${fulcio.trust}`],
      ...['--rekor', `url=${log.url},public-key=${log.trust},${since},origin=localhost`],
      ...['--tsa', `url=${timestamps.url},certificate-chain=${timestamps.trust}`],
    ],
  ];
  for (const line of lines) {
    const { code, stderr } = await run('cosign', line, { cwd: folder, env: { HOME: folder } });
    if (code !== 0) throw new Error(stderr);
  }
  if (!existsSync(join(folder, 'trusted_root.json'))) throw new Error('cosign wrote no trusted root');
}
