import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packagesFor, readLock } from '../release/image/lock.ts';
import { MANIFEST, NAMES, ROOT } from '../release/names.ts';
import { FULL_REQUEST, type Installation, startColophon } from './colophon-up.ts';
import { Container, type UnpackedImage, unpackImage } from './container.ts';
import { tellStory } from './doc-story.ts';
import { followPage } from './install-page.ts';
import { isMissing, isNotRoot, type Outcome, run } from './programs.ts';
import { allowedSystemCalls } from './systemd-unit.ts';

const PLATFORM = 'linux-x64';
const HEALTH = ['/usr/bin/colophon', 'health', '--output', 'json'];

/** Builds executable and image in a tree; answers with the image's digest. */
function build(tree: string): string {
  const options = { cwd: tree, encoding: 'utf8' } as const;
  return execFileSync(process.execPath, ['release/image/build-image.ts', PLATFORM], options).trim();
}

describe.skipIf(
  process.platform !== 'linux' ||
    isNotRoot() ||
    isMissing('runc', 'dpkg-deb', 'systemd-analyze', 'crane', 'cosign', 'syft'),
)('the container image', () => {
  let folder: string;
  let digest: string;
  let image: UnpackedImage;
  let started = 0;
  const container = (args: readonly string[], differences = {}) =>
    new Container(image, folder, `${process.pid}-${started++}`, args, differences);

  /** Starts `up`, calls with its container, and ends it; answers with what it wrote. */
  async function whileUp(body: (up: Container) => Promise<void>): Promise<string> {
    const up = container(['up']);
    const child = up.start();
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    try {
      for (let attempt = 0; !output.includes('colophon is up'); attempt++) {
        if (child.exitCode !== null || attempt > 200) throw new Error(`colophon up did not start: ${output}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      await body(up);
    } finally {
      child.kill('SIGTERM');
    }
    expect(await ended, output).toBe(0);
    return output;
  }
  const healthOf = async (up: Container) => {
    const { code, stdout, stderr } = await up.exec(HEALTH);
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout);
  };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'colophon-image-'));
    digest = build(ROOT);
    image = unpackImage(join(ROOT, 'dist/image'), folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('has no shell, nothing setuid, and nothing but /tmp that everybody may write to', () => {
    const found = readdirSync(image.root, { recursive: true, withFileTypes: true }).map((entry) => {
      const file = join(entry.parentPath, entry.name);
      return { path: relative(image.root, file), ...lstatSync(file), isLink: entry.isSymbolicLink() };
    });
    const paths = (keep: (entry: (typeof found)[number]) => boolean) => found.filter(keep).map(({ path }) => path);
    expect(paths(({ path }) => path.startsWith('usr/bin/') || path.startsWith('usr/sbin/'))).toEqual([
      'usr/bin/colophon',
    ]);
    expect(paths(({ mode }) => (mode & 0o6000) !== 0)).toEqual([]);
    expect(paths(({ mode, isLink }) => !isLink && (mode & 0o002) !== 0)).toEqual(['tmp']);
    expect(paths(({ uid }) => uid !== 0)).toEqual(['var/lib/colophon']);
  });

  test('says its version, user, volume and health command', async () => {
    const { code, stdout } = await container(['--version']).run();
    expect([code, stdout]).toEqual([0, `${MANIFEST.version}\n`]);
    const { User, Volumes, Labels, Healthcheck } = image.config;
    expect({ User, Volumes }).toEqual({ User: '65532:65532', Volumes: { '/var/lib/colophon': {} } });
    expect(Healthcheck.Test).toEqual(['CMD', ...HEALTH.slice(0, 2)]);
    expect(Labels).toMatchObject({ 'org.opencontainers.image.version': MANIFEST.version });
  });

  test('trusts the authorities of Debian’s package', () => {
    const bundle = readFileSync(join(image.root, 'etc/ssl/certs/ca-certificates.crt'), 'utf8');
    expect(bundle.match(/-----BEGIN CERTIFICATE-----/g)?.length).toBeGreaterThan(100);
    expect(image.config.Env).toContain('SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt');
  });

  test('plays the demo', async () => {
    const { code, stdout, stderr } = await container(['demo']).run();
    expect(code, `${stdout}\n${stderr}`).toBe(0);
  });

  test('serves, is healthy, and goes on with its volume after a restart', async () => {
    let before: unknown;
    await whileUp(async (up) => {
      before = await healthOf(up);
      const hash = ['/usr/bin/colophon', 'hash', 'policy', '/etc/os-release'];
      expect((await up.exec(hash)).code).toBe(0);
    });
    await whileUp(async (up) => expect(await healthOf(up)).toEqual(before));
    expect(before).toMatchObject({ ok: true, issuer: 'http://localhost:7080' });
  });

  test('is not healthy before it serves', async () => {
    const { code, stdout } = await container(['health', '--output', 'json']).run();
    expect([code, JSON.parse(stdout).error.code]).toEqual([3, 'cli.server_unhealthy']);
  });

  test('works where there is no shared memory', async () => {
    const { code, stderr } = await container(['demo'], { sharedMemory: false }).run();
    expect(code, stderr).toBe(0);
  });

  test('names a volume that is read-only', async () => {
    const { code, stderr }: Outcome = await container(['up'], { readOnlyData: true }).run();
    expect(code).toBe(2);
    expect(stderr).toContain('server.data_folder_unusable');
  });

  test('plays the demo with the system calls and the /proc that the systemd unit gives', async () => {
    const systemCalls = allowedSystemCalls();
    expect(systemCalls).toContain('openat');
    expect(systemCalls).not.toContain('setpriority');
    const { code, stderr } = await container(['demo'], { systemCalls }).run();
    expect(code, stderr).toBe(0);
  });

  test('shows its Debian packages to a scanner', async () => {
    const { stdout } = await run('syft', [`oci-dir:${join(ROOT, 'dist/image')}`, '--quiet', '--output', 'json']);
    const { artifacts, distro } = JSON.parse(stdout);
    const found = artifacts.map(({ name, version }: Record<string, string>) => `${name} ${version}`);
    const locked = packagesFor('amd64', readLock()).map(({ name, version }) => `${name} ${version}`);
    expect(found).toEqual(expect.arrayContaining(locked));
    expect(distro).toMatchObject({ id: 'debian', versionID: expect.stringMatching(/^12\b/) });
  });

  describe('signed and attested as docs/container.md says', () => {
    let up: Installation;
    let work: string;

    beforeAll(async () => {
      up = await startColophon();
      work = join(up.folder, 'work');
      mkdirSync(work);
      execFileSync(process.execPath, ['release/sbom/write-sboms.ts'], { cwd: ROOT });
      for (const name of ['colophon-0.1.0-image.tar', 'colophon-0.1.0-image-amd64.cdx.json']) {
        cpSync(join(ROOT, 'dist', name), join(work, name));
      }
      writeFileSync(join(work, 'context.json'), JSON.stringify(FULL_REQUEST));
    });
    afterAll(() => up?.stop());

    tellStory('container.md', () => ({
      ...up.env,
      WORK: work,
      REGISTRY: up.registry,
      ISSUER: up.issuer,
      TRUST: up.trust,
      COLOPHON_TRUSTED_ROOT: join(up.trust, 'trusted_root.json'),
    }));

    test('what cosign verified is the SBOM with Debian and npm packages', () => {
      const { payload } = JSON.parse(readFileSync(join(work, 'verified.json'), 'utf8'));
      const { predicate } = JSON.parse(Buffer.from(payload, 'base64').toString('utf8'));
      const names = predicate.components.map(({ name }: { name: string }) => name);
      expect(names).toEqual(expect.arrayContaining(['libc6', 'node', 'fastify']));
    });
  });

  test.skipIf(isMissing('podman', '/usr/sbin/ip', '/usr/bin/unshare'))(
    'docs/install/image.md leads to a verified signature',
    async () => {
      const release = join(folder, 'release');
      mkdirSync(release);
      const tar = `${NAMES.program}-${MANIFEST.version}-image.tar`;
      cpSync(join(ROOT, 'dist', tar), join(release, tar));
      // Images, volumes and containers of the machine stay out of it.
      const storage = join(folder, 'storage.conf');
      const places = ['graphroot', 'runroot'].map((name) => `${name} = "${join(folder, name)}"\n`);
      writeFileSync(storage, `[storage]\ndriver = "vfs"\n${places.join('')}`);
      const ran = await followPage('install/image.md', release, { CONTAINERS_STORAGE_CONF: storage });
      expect(ran.code, `${ran.stdout}\n${ran.stderr}`).toBe(0);
      expect(ran.stdout).toMatch(/^verified app\.txt: signed by agent:code-writer /m);
      expect(ran.stdout).toContain('artifact.mismatch');
      expect(existsSync(join(release, 'app.txt.sigstore.json'))).toBe(true);
    },
  );

  test('built in another folder, from the same lock, has the same digest', () => {
    const tree = join(folder, 'another tree');
    // What is made there, and what this and other runs keep there while it is copied.
    const kept = ['.cache', '.vite', '.vite-temp', '.vitest-cache'].map((name) => `node_modules/${name}`);
    const left = ['dist', '.tools', '.stryker-tmp', 'reports', 'coverage', ...kept].map((name) => join(ROOT, name));
    cpSync(ROOT, tree, { recursive: true, verbatimSymlinks: true, filter: (file) => !left.includes(file) });
    symlinkSync(join(ROOT, '.tools'), join(tree, '.tools'));
    expect(build(tree)).toBe(digest);
  });
});
