import { spawnSync } from 'node:child_process';
import { type KeyObject, verify } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { checkRetention, openTarget } from '@colophon/publishing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { FULL_REQUEST, type Installation, startColophon } from './colophon-up.ts';
import { isMissing, run } from './programs.ts';
import { endPublisher, newFolder, newKey, startPublisher, writeSbom } from './publishers.ts';

/** More of them by hand: COLOPHON_READS=100000. */
const READS = Number(process.env['COLOPHON_READS'] ?? 10_000);
const KILLS = 25;
const WELL_KNOWN = '.well-known/sbom';

const until = async (isSo: () => boolean) => {
  for (let i = 0; i < 1_000 && !isSo(); i++) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(isSo()).toBe(true);
};
const fits = (document: Uint8Array, signature: string, key: KeyObject) =>
  verify('sha256', document, key, Buffer.from(signature, 'base64'));
const versionIn = (document: Uint8Array): string =>
  JSON.parse(Buffer.from(document).toString()).metadata.component.version;

test(`of ${READS} reads of the latest while versions are published, each finds the signature of what it read`, async () => {
  const folder = newFolder();
  const key = newKey(folder);
  const place = join(folder, 'place');
  const files = join(place, WELL_KNOWN);
  const publishers = [
    startPublisher(place, key.file, { first: 0 }),
    startPublisher(place, key.file, { first: 500_000 }),
  ];
  onTestFinished(() => void Promise.all(publishers.map((one) => endPublisher(one, 'SIGKILL'))));
  await until(() => existsSync(join(files, 'web-latest.cdx.json')));

  const seen = new Set<string>();
  for (let read = 0; read < READS; read++) {
    const document = readFileSync(join(files, 'web-latest.cdx.json'));
    const version = versionIn(document);
    const signature = readFileSync(join(files, `web-${version}.cdx.json.sig`), 'utf8');
    if (!fits(document, signature, key.publicKey)) throw new Error(`mixed at read ${read}: ${version}`);
    seen.add(version);
    if (read % 50 !== 0) continue;
    // Whoever goes by the index finds everything that it lists.
    const { artifacts } = JSON.parse(readFileSync(join(files, 'index.json'), 'utf8'));
    const newest = artifacts[0].versions.at(-1);
    for (const part of ['document', 'signature', 'bundle']) readFileSync(join(files, newest[part].file));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(seen.size).toBeGreaterThan(1);
  for (const one of publishers) {
    await endPublisher(one, 'SIGTERM');
    expect(one.errors()).toBe('');
  }
  // Whichever was ended between the index and the latest, the next one completes it.
  const next = startPublisher(place, key.file, { first: 900_000, last: 900_000 });
  expect(await next.ended, next.errors()).toBe(0);
  expect((await checkRetention(await openTarget(place, { env: {} }))).problems).toEqual([]);
});

test(`after ${KILLS} kills at random moments what can be read fits together, and the next publisher completes the rest`, async () => {
  const folder = newFolder();
  const key = newKey(folder);
  const place = join(folder, 'place');
  const files = join(place, WELL_KNOWN);
  const kept: string[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    const publisher = startPublisher(place, key.file, { first: kept.length });
    await until(() => publisher.published.length > 0 || publisher.child.exitCode !== null);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 40));
    await endPublisher(publisher, 'SIGKILL');
    expect(publisher.errors()).toBe('');
    kept.push(...publisher.published);
    const names = readdirSync(files);
    for (const name of names.filter((one) => one.endsWith('.cdx.json'))) {
      const document = readFileSync(join(files, name));
      const signature = readFileSync(join(files, `web-${versionIn(document)}.cdx.json.sig`), 'utf8');
      if (!fits(document, signature, key.publicKey)) throw new Error(`${name} is mixed after kill ${kill}`);
    }
  }
  const last = startPublisher(place, key.file, { first: kept.length, last: kept.length + 2 });
  expect(await last.ended, last.errors()).toBe(0);
  const report = await checkRetention(await openTarget(place, { env: {} }));
  expect(report.problems).toEqual([]);
  expect(report.version_count).toBeGreaterThanOrEqual(kept.length);
  const { artifacts } = JSON.parse(readFileSync(join(files, 'index.json'), 'utf8'));
  const listed = new Set(artifacts[0].versions.map(({ version }: { version: string }) => version));
  expect(kept.filter((version) => !listed.has(version))).toEqual([]);
  expect(readdirSync(files).filter((name) => name.endsWith('.new'))).toEqual([]);
});

test('on a full disk nothing half-written can be read; with room it goes on', async ({ skip }) => {
  const folder = newFolder();
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  const mounted = spawnSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=2m,mode=700', 'tmpfs', disk]);
  if (mounted.status !== 0) return skip('a small disk cannot be mounted here');
  onTestFinished(() => void spawnSync('/bin/umount', ['--lazy', disk]));
  const key = newKey(folder);
  const before = startPublisher(disk, key.file, { first: 0, last: 5 });
  expect(await before.ended, before.errors()).toBe(0);
  for (const free of [0, 1, 3, 7, 20, 40]) {
    const filler = join(disk, 'filler');
    fill(filler, free * 4096);
    const refused = startPublisher(disk, key.file, { first: 6, last: 200 });
    expect(await refused.ended).toBe(1);
    expect(refused.errors()).toMatch(/publishing\.target_unusable|ENOSPC/);
    expect(
      (await checkRetention(await openTarget(disk, { env: {} }))).problems.filter(
        ({ problem }) => problem !== 'not_latest',
      ),
    ).toEqual([]);
    rmSync(filler);
  }
  const after = startPublisher(disk, key.file, { first: 6, last: 8 });
  expect(await after.ended, after.errors()).toBe(0);
  expect((await checkRetention(await openTarget(disk, { env: {} }))).problems).toEqual([]);
});

/** Takes what is left of a disk, but for some bytes. */
function fill(file: string, free: number): void {
  const handle = openSync(file, 'a');
  const block = Buffer.alloc(4096);
  let size = 0;
  try {
    for (;;) size += writeSync(handle, block);
  } catch {
    // It is full.
  }
  closeSync(handle);
  truncateSync(file, Math.max(0, size - free));
}

describe('colophon up', () => {
  let up: Installation;

  beforeAll(async () => {
    up = await startColophon();
    writeFileSync(join(up.folder, 'context.json'), JSON.stringify(FULL_REQUEST));
  });
  afterAll(() => up?.stop());

  test('gives out what is published, and a reader over HTTP never sees a mix', async () => {
    const key = newKey(up.folder);
    const publisher = startPublisher(join(up.data, 'sboms'), key.file, { first: 0 });
    onTestFinished(() => endPublisher(publisher, 'SIGKILL'));
    await until(() => publisher.published.length > 0);
    const base = `${up.issuer}/${WELL_KNOWN}`;
    const seen = new Set<string>();
    for (let read = 0; read < Math.min(READS, 2_000); read++) {
      const latest = await fetch(`${base}/web-latest.cdx.json`);
      const document = new Uint8Array(await latest.arrayBuffer());
      const version = versionIn(document);
      const signature = await (await fetch(`${base}/web-${version}.cdx.json.sig`)).text();
      if (!fits(document, signature, key.publicKey)) throw new Error(`mixed at read ${read}: ${version}`);
      const location = latest.headers.get('content-location');
      if (location !== null) expect(location).toBe(`/${WELL_KNOWN}/web-${version}.cdx.json`);
      seen.add(version);
    }
    expect(seen.size).toBeGreaterThan(1);
  });

  test('what curl sends as a path reaches nothing outside', async ({ skip }) => {
    if (isMissing('curl')) return skip('curl');
    const paths = [
      '../../keys/ledger.pem',
      '..%2f..%2f..%2fkeys/ledger.pem',
      '%2e%2e/%2e%2e/%2e%2e/keys/ledger.pem',
      '..\\..\\keys',
      '.lock',
      '%00',
    ];
    for (const path of paths) {
      const { stdout } = await run('curl', [
        '-s',
        '--path-as-is',
        '-w',
        '%{http_code}',
        `${up.issuer}/${WELL_KNOWN}/${path}`,
      ]);
      expect(stdout).toMatch(/(?:400|404)$/);
      expect(stdout).not.toMatch(/PRIVATE KEY|SQLite/);
    }
  });

  test('a signature is checked with openssl, and nothing else of ours', async ({ skip }) => {
    if (isMissing('openssl', 'curl')) return skip('openssl');
    const published = await up.colophon([
      'sbom',
      'publish',
      writeSbom(up, 'shop', '1.0.0'),
      '--context',
      join(up.folder, 'context.json'),
    ]);
    expect(published.code, published.stderr).toBe(0);
    const script = `
      curl -sf -O ${up.issuer}/${WELL_KNOWN}/shop-1.0.0.cdx.json -O ${up.issuer}/${WELL_KNOWN}/shop-1.0.0.cdx.json.sig -O ${up.issuer}/${WELL_KNOWN}/shop-1.0.0.cdx.json.sigstore.json
      base64 -d shop-1.0.0.cdx.json.sig > sig
      grep -o '"rawBytes": *"[^"]*"' shop-1.0.0.cdx.json.sigstore.json | head -1 | cut -d '"' -f 4 | base64 -d | openssl x509 -inform der -pubkey -noout > key.pub
      openssl dgst -sha256 -verify key.pub -signature sig shop-1.0.0.cdx.json`;
    const checked = await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: newFolder() });
    expect(checked, checked.stderr).toMatchObject({ code: 0, stdout: 'Verified OK\n' });
  });

  test('a bundle is checked with cosign', async ({ skip }) => {
    if (isMissing('cosign')) return skip('cosign');
    const context = ['--context', join(up.folder, 'context.json')];
    const published = await up.colophon(['sbom', 'publish', writeSbom(up, 'api', '1.0.0'), ...context]);
    expect(published.code, published.stderr).toBe(0);
    const document = join(up.data, 'sboms', WELL_KNOWN, 'api-1.0.0.cdx.json');
    const pinned = ['--certificate-identity', 'agent:code-writer', '--certificate-oidc-issuer', up.issuer];
    const roots = ['--trusted-root', join(up.trust, 'trusted_root.json')];
    const checked = await run('cosign', [
      'verify-blob',
      '--bundle',
      `${document}.sigstore.json`,
      ...roots,
      ...pinned,
      document,
    ]);
    expect(checked, checked.stderr).toMatchObject({ code: 0 });
  });
});
