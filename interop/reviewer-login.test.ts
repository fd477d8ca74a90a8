import { spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCertificateIdentity } from '@colophon/sigstore';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COLOPHON, FULL_REQUEST, type Installation, mint, startColophon } from './colophon-up.ts';
import { type PushedImage, pushImage } from './images.ts';
import { isMissing, type Outcome, run } from './programs.ts';
import { makeCa, type SigstoreServer, startFulcio, writeTrustedRoot } from './sigstore-servers.ts';
import { type Sso, startSso } from './sso-server.ts';

const DANA = 'dana@example.com';
const MACHINE = 'ci@acme.iam.gserviceaccount.com';
const COMMIT = ['--commit-sha', FULL_REQUEST.commit_sha, '--repo', FULL_REQUEST.repo];

describe.skipIf(isMissing('fulcio', 'cosign', 'crane', 'openssl', 'curl'))(
  'reviewers with their company’s login',
  () => {
    let up: Installation;
    let fulcio: SigstoreServer;
    let sso: Sso;
    let services: readonly string[];

    beforeAll(async () => {
      const folder = mkdtempSync(join(tmpdir(), 'colophon-interop-'));
      await makeCa(folder);
      up = await startColophon({ folder, args: ['--ct-root', join(folder, 'root.pem')] });
      sso = await startSso({ dana: DANA, eve: 'eve@example.com', ci: MACHINE });
      fulcio = await startFulcio(up, { login: sso });
      await writeTrustedRoot(up, fulcio);
      services = [
        ...['--fulcio-url', fulcio.url, '--rekor-url', up.issuer],
        ...['--trusted-root', 'trusted_root.json', '--no-evidence'],
      ];
      writeFileSync(join(folder, 'app'), 'what an agent made');
      const policy = (review: string) => `version: 1
images: ["${up.registry}/**"]
agent: { issuer: "${up.issuer}", subject: agent:code-writer }
negatives: none
review: ${review}
`;
      const addresses = `subjectRegExp: '.+@(example[.]com|.+[.]gserviceaccount[.]com)'`;
      writeFileSync(join(folder, 'named.yaml'), policy(`{ issuer: "${sso.url}", ${addresses} }`));
      writeFileSync(join(folder, 'other.yaml'), policy(`{ issuer: "https://sso.example.com", ${addresses} }`));
      writeFileSync(join(folder, 'ours.yaml'), policy(`{ issuer: "${up.issuer}", ${addresses} }`));
      writeFileSync(join(folder, 'default.yaml'), policy('{}'));
    });
    afterAll(async () => {
      await fulcio?.stop();
      await sso?.stop();
      await up?.stop();
    });

    /** An image that an approved agent signed with a certificate of the same authority. */
    async function signedImage(name: string): Promise<PushedImage> {
      const image = await pushImage(up, name);
      const token = await mint(up.issuer, FULL_REQUEST);
      const signed = await up.colophon(['sign', image.reference, ...services, '--identity-token', token], {
        cwd: up.folder,
      });
      expect(signed.code, signed.stderr).toBe(0);
      return image;
    }

    /** Runs a line whose login a person finishes in a browser; answers with what the browser shows too. */
    function withBrowser(line: readonly string[], person: string): Promise<Outcome & { page: string }> {
      const login = ['--login-issuer', sso.url, '--oidc-client-id', sso.clientId];
      const child = spawn(COLOPHON, [...line, ...login, ...services], {
        cwd: up.folder,
        env: { ...process.env, ...up.env, NO_COLOR: '1' },
      });
      let [stdout, stderr] = ['', ''];
      let page: Promise<string> | undefined;
      child.stdout.on('data', (chunk) => (stdout += chunk));
      child.stderr.on('data', (chunk) => {
        stderr += chunk;
        const address = /http:\/\/\S+(?=\n)/.exec(stderr)?.[0];
        if (address !== undefined) page ??= sso.browse(address, person).then(({ body }) => body);
      });
      return new Promise((resolve, reject) => {
        child.on('error', reject);
        child.on('close', async (code) => resolve({ code: code ?? -1, stdout, stderr, page: (await page) ?? '' }));
      });
    }

    async function admit(image: PushedImage, policy: string): Promise<{ code: number; reasons: string[] }> {
      const line = ['admit', image.reference, '--policy', policy, '--trusted-root', 'trusted_root.json', '-o', 'json'];
      const { code, stdout } = await up.colophon(line, { cwd: up.folder });
      const { decision, reasons = decision?.reasons } = JSON.parse(stdout);
      return { code, reasons: reasons.map(({ code: reason }: { code: string }) => reason) };
    }

    test('a review by a login in the browser is admitted by a policy that names the login, and by no other', async () => {
      const image = await signedImage('by-login');
      const reviewed = await withBrowser(['review', 'approve', image.reference, '--reviewer', DANA, ...COMMIT], 'dana');
      expect(reviewed.code, reviewed.stderr).toBe(0);
      expect(reviewed.page).toContain('You are logged in');
      expect(reviewed.stdout).toContain(DANA);
      expect(await admit(image, 'named.yaml')).toEqual({ code: 0, reasons: [] });
      for (const policy of ['other.yaml', 'ours.yaml', 'default.yaml']) {
        expect(await admit(image, policy), policy).toEqual({ code: 20, reasons: ['admission.reviewer_not_accepted'] });
      }
    });

    test('somebody else who logs in than the line names signs nothing', async () => {
      const line = ['review', 'approve', 'app', '--reviewer', DANA, ...COMMIT, '--bundle', 'eve.json'];
      const { code, stderr } = await withBrowser(line, 'eve');
      expect(code, stderr).toBe(4);
      expect(stderr).toContain('cli.reviewer_refused');
      expect(() => readFileSync(join(up.folder, 'eve.json'))).toThrow();
    });

    test('by --identity-token a person rejects an image, and takes that back later', async () => {
      const image = await signedImage('by-token');
      const say = async (word: string) => {
        const token = await sso.token('dana');
        const line = ['review', word, image.reference, ...COMMIT, ...services, '--identity-token', token];
        const said = await up.colophon(line, { cwd: up.folder });
        expect(said.code, said.stderr).toBe(0);
      };
      await say('approve');
      expect(await admit(image, 'named.yaml')).toEqual({ code: 0, reasons: [] });
      await say('reject');
      expect(await admit(image, 'named.yaml')).toEqual({ code: 20, reasons: ['admission.review_rejected'] });
      // The certificate of the approval has to be later than the rejection, in whole seconds.
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      await say('approve');
      expect(await admit(image, 'named.yaml')).toEqual({ code: 0, reasons: [] });
    });

    test('the certificate names the address by its type, and both programs verify the review', async () => {
      const env = { SIGSTORE_ID_TOKEN: await sso.token('dana') };
      const line = ['review', 'approve', 'app', ...COMMIT, ...services, '--bundle', 'review.json'];
      const reviewed = await up.colophon(line, { cwd: up.folder, env });
      expect(reviewed.code, reviewed.stderr).toBe(0);
      const bundle = JSON.parse(readFileSync(join(up.folder, 'review.json'), 'utf8'));
      const der = Buffer.from(bundle.verificationMaterial.certificate.rawBytes, 'base64');
      expect(new X509Certificate(der).subjectAltName).toBe(`email:${DANA}`);
      expect(readCertificateIdentity(der)).toMatchObject({ issuer: sso.url, subject: DANA, subject_type: 'email' });
      const { predicate } = JSON.parse(Buffer.from(bundle.dsseEnvelope.payload, 'base64').toString());
      expect(predicate.human_reviewer).toBe(DANA);
      const pinned = ['--certificate-identity', DANA, '--certificate-oidc-issuer', sso.url, '--bundle', 'review.json'];
      const type = ['--type', 'https://colophon.example/predicates/agent-review/v1'];
      const verify = ['verify-blob-attestation', ...pinned, ...type, '--trusted-root', 'trusted_root.json', 'app'];
      const ours = await up.colophon([...verify, '-o', 'json'], { cwd: up.folder });
      expect(ours.code, ours.stderr).toBe(0);
      // Where no policy names the issuer, the address is a claim of a person.
      expect(JSON.parse(ours.stdout).basis?.human_reviewer?.source ?? 'declared').toBe('declared');
      const theirs = await run('cosign', verify, { cwd: up.folder, env: up.env });
      expect(theirs.code, theirs.stderr).toBe(0);
    });

    test('a service account reviews nothing: not by this program, and not by another', async () => {
      const image = await signedImage('by-machine');
      const token = await sso.token('ci');
      const line = ['review', 'approve', image.reference, ...COMMIT, ...services, '--identity-token', token];
      const refused = await up.colophon(line, { cwd: up.folder });
      expect(refused.code).toBe(4);
      expect(refused.stderr).toContain('cli.reviewer_refused');
      const review_timestamp = new Date().toISOString().replace(/\.\d+/, '');
      const predicate = { human_reviewer: MACHINE, review_timestamp, commit_sha: FULL_REQUEST.commit_sha };
      writeFileSync(join(up.folder, 'predicate.json'), JSON.stringify(predicate));
      const attest = ['attest', '--predicate', 'predicate.json', image.reference, ...services];
      const type = ['--type', 'https://colophon.example/predicates/agent-review/v1', '--identity-token', token];
      const attested = await up.colophon([...attest, ...type], { cwd: up.folder });
      expect(attested.code, attested.stderr).toBe(0);
      expect(await admit(image, 'named.yaml')).toEqual({ code: 20, reasons: ['admission.reviewer_no_person'] });
    });
  },
);
