import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { publishedLibraries } from '../release/libraries/libraries.ts';
import { PUBLISHED, tarballName } from '../release/libraries/names.ts';
import { DIST, MANIFEST, NAMES, ROOT } from '../release/names.ts';
import { tellStory } from './doc-story.ts';
import { isMissing, type Outcome, run } from './programs.ts';

const RELEASE = join(DIST, 'release');
const STEM = `${NAMES.program}-${MANIFEST.version}`;
const BUILT_PLATFORMS = ['linux-arm64', 'linux-x64', 'win32-x64'];
const ARTIFACTS = [
  `${STEM}.tgz`,
  ...publishedLibraries(ROOT).map(({ name }) => tarballName(name, PUBLISHED)),
  ...BUILT_PLATFORMS.map((platform) => (platform === 'win32-x64' ? `${STEM}-${platform}.exe` : `${STEM}-${platform}`)),
  `${STEM}-image.tar`,
  `${STEM}-man.tar.gz`,
  `${STEM}-changes.md`,
  ...['', ...BUILT_PLATFORMS.map((one) => `-${one}`), '-image-amd64', '-image-arm64'].map(
    (form) => `${STEM}${form}.cdx.json`,
  ),
].sort();
const AGENT = 'release-dry-run';

/** As `npm run release` runs it, where other services are set up; building all takes more than a test may. */
function release(...args: string[]): Promise<Outcome> {
  const env = { COLOPHON_ISSUER: 'http://localhost:1', SIGSTORE_ID_TOKEN: 'of others' };
  return run(process.execPath, ['release/release.ts', ...args], { cwd: ROOT, env, timeoutMs: 400_000 });
}

describe.skipIf(process.platform !== 'linux' || isMissing('cosign', 'dpkg-deb', 'git'))(
  'a dry run of the release',
  () => {
    let folder: string;
    let issuer: string;
    const trustedRoot = join(RELEASE, 'trusted_root.json');
    const inFolder = (name: string) => join(folder, name);
    const signer = () => [
      ...['--trusted-root', trustedRoot],
      ...['--certificate-identity', `agent:${AGENT}`, '--certificate-oidc-issuer', issuer],
    ];

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'colophon-release-'));
      mkdirSync(inFolder('empty'));
      const { code, stdout, stderr } = await release('--dry-run', '--tag', `v${MANIFEST.version}`);
      expect(code, `${stdout}\n${stderr}`).toBe(0);
      issuer = /^issuer +(\S+)$/m.exec(stdout)?.[1] ?? '';
    }, 400_000);
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    test('has every artifact of the version, a signature of each, and nothing else', () => {
      const listed = readFileSync(join(RELEASE, 'SHA256SUMS'), 'utf8').trim().split('\n');
      expect(listed.map((line) => line.slice(66))).toEqual(ARTIFACTS);
      const signed = [...ARTIFACTS, 'SHA256SUMS'];
      const statements = ['agent-run', 'agent-review'].map((type) => `SHA256SUMS.${type}.sigstore.json`);
      expect(readdirSync(RELEASE).sort()).toEqual(
        [...signed, ...signed.map((name) => `${name}.sigstore.json`), ...statements, 'trusted_root.json'].sort(),
      );
    });

    test.each([...ARTIFACTS, 'SHA256SUMS'])('cosign verifies the signature of %s', async (name) => {
      const bundle = ['--bundle', join(RELEASE, `${name}.sigstore.json`)];
      const { code, stderr } = await run('cosign', ['verify-blob', ...bundle, ...signer(), join(RELEASE, name)]);
      expect(code, stderr).toBe(0);
    });

    describe('as docs/release.md says', () => {
      tellStory('release.md', () => ({
        RELEASE,
        AGENT,
        ISSUER: issuer,
        REVIEWER: 'reviewer@dry-run.example',
        TRUSTED_ROOT: trustedRoot,
        EMPTY_FOLDER: inFolder('empty'),
      }));

      test('the installed program says its version, and verifies the executable beside it', async () => {
        const installed = join(inFolder('empty'), 'node_modules/.bin', NAMES.program);
        expect((await run(installed, ['--version'])).stdout).toBe(`${MANIFEST.version}\n`);
        const executable = join(RELEASE, `${STEM}-linux-x64`);
        const env = { COLOPHON_HOME: inFolder('no data'), XDG_CONFIG_HOME: inFolder('no configuration') };
        const verified = await run(installed, ['verify-blob', ...signer(), executable], { env });
        expect(verified.code, verified.stderr).toBe(0);
        expect((await run(executable, ['verify-blob', ...signer(), executable], { env })).code).toBe(0);
      });
    });

    test('the agent run names the commit that was built', async () => {
      const { payload } = JSON.parse(
        readFileSync(join(RELEASE, 'SHA256SUMS.agent-run.sigstore.json'), 'utf8'),
      ).dsseEnvelope;
      const { subject, predicate } = JSON.parse(Buffer.from(payload, 'base64').toString('utf8'));
      const { stdout } = await run('git', ['rev-parse', 'HEAD'], { cwd: ROOT });
      expect(subject).toMatchObject([{ name: 'SHA256SUMS' }]);
      expect(predicate).toMatchObject({ agent: { name: AGENT }, git: { commit_sha: stdout.trim() } });
    });

    test('an artifact of which one byte is changed is refused by its digest, by cosign and by colophon', async () => {
      const name = `${STEM}.tgz`;
      for (const one of [name, `${name}.sigstore.json`, 'SHA256SUMS']) copyFileSync(join(RELEASE, one), inFolder(one));
      const bytes = readFileSync(inFolder(name));
      bytes[bytes.length >> 1]! ^= 1;
      writeFileSync(inFolder(name), bytes);
      const sums = await run('sha256sum', ['--check', '--ignore-missing', 'SHA256SUMS'], { cwd: folder });
      expect([sums.code, sums.stdout]).toEqual([1, `${name}: FAILED\n`]);
      const verify = ['verify-blob', '--bundle', `${name}.sigstore.json`, ...signer(), name];
      expect((await run('cosign', verify, { cwd: folder })).code).not.toBe(0);
      expect((await run(join(RELEASE, `${STEM}-linux-x64`), verify, { cwd: folder })).code).toBe(12);
    });

    test('the manual pages are those of every command', async () => {
      const { stdout } = await run('tar', ['-tzf', join(RELEASE, `${STEM}-man.tar.gz`)]);
      expect(stdout.split('\n')).toEqual(
        expect.arrayContaining([`man/man1/${NAMES.program}.1`, `man/man1/${NAMES.program}-sign-blob.1`]),
      );
    });

    test.each([
      ['a tag of another version', ['--dry-run', '--tag', 'v0.0.1'], 'the tag v0.0.1 is not'],
      [
        'an executable of another version',
        ['--dry-run', '--executable', 'colophon-0.0.1-darwin-arm64'],
        'is not named as',
      ],
      ['a release that nobody signs', [], '--dry-run'],
    ])('%s is refused before anything is built', async (_what, args, message) => {
      const { code, stderr } = await release(...args);
      expect(code).toBe(1);
      expect(stderr).toContain(message);
      expect(readdirSync(RELEASE)).toContain('SHA256SUMS');
    });

    test('a release of files that are of no commit is refused', async () => {
      const clone = inFolder('clone');
      await run('git', ['clone', '--quiet', '--shared', ROOT, clone]);
      symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
      const { code, stderr } = await run(process.execPath, ['release/release.ts', '--', '--context', 'run.json'], {
        cwd: clone,
      });
      expect(code).toBe(1);
      expect(stderr).toContain('?? node_modules');
    });
  },
);
