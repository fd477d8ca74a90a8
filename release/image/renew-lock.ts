// Takes the newest Debian packages into lock.json: `node release/image/renew-lock.ts`. apt verifies the archives'
// signatures; its state lies in a folder of its own, so that nothing of this machine is changed and each architecture can
// be asked for.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ARCHITECTURES, ARCHIVES, type Architecture, LOCK_FILE, type LockedPackage, readLock } from './lock.ts';

/** What the program needs to run, and of what tells about it: base-files has the licences, gcc-12-base the compiler's. */
const WANTED = ['base-files', 'ca-certificates', 'gcc-12-base', 'libatomic1', 'libc6', 'libgcc-s1', 'libstdc++6'];

const byNameThenArchitecture = (a: LockedPackage, b: LockedPackage) =>
  a.name === b.name ? (a.architecture < b.architecture ? -1 : 1) : a.name < b.name ? -1 : 1;

/** What `apt-get download --print-uris` says of one package: `'URL' FILE SIZE SHA256:HEX`. */
export function parsePrintedUri(line: string): LockedPackage | undefined {
  const [, url, file, size, sha256] = /^'([^']+)' (\S+) (\d+) SHA256:([0-9a-f]{64})$/.exec(line) ?? [];
  if (url === undefined || file === undefined || sha256 === undefined) return undefined;
  const [name = '', version = '', architecture = ''] = decodeURIComponent(file)
    .replace(/\.deb$/, '')
    .split('_');
  const path = /\/(pool\/.*)$/.exec(url)?.[1];
  if (path === undefined) throw new Error(`${url} is in no archive of Debian's layout`);
  return {
    name,
    version,
    architecture: architecture as LockedPackage['architecture'],
    archive: path.startsWith('pool/updates/') ? ARCHIVES[1] : ARCHIVES[0],
    path: decodeURIComponent(path),
    sha256,
    size: Number(size),
  };
}

function newestFor(architecture: Architecture, release: string): LockedPackage[] {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-apt-'));
  try {
    for (const name of ['state/lists/partial', 'cache/archives/partial']) {
      mkdirSync(join(folder, name), { recursive: true });
    }
    writeFileSync(join(folder, 'status'), '');
    const options = [
      `Dir::State=${folder}/state`,
      `Dir::State::Status=${folder}/status`,
      `Dir::Cache=${folder}/cache`,
      `APT::Architecture=${architecture}`,
      `APT::Architectures::=${architecture}`,
      `APT::Default-Release=/^${release}(-security|-updates)?$/`,
      // The folder is this user's alone.
      'APT::Sandbox::User=root',
    ].flatMap((option) => ['-o', option]);
    const apt = (...args: string[]) =>
      execFileSync('apt-get', [...options, ...args], {
        cwd: folder,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
      });
    apt('update', '--error-on=any', '-qq');
    const lines = apt('download', '--print-uris', '-qq', ...WANTED).split('\n');
    const packages = lines.flatMap((line) => parsePrintedUri(line) ?? []);
    const missing = WANTED.filter((name) => !packages.some((one) => one.name === name));
    if (missing.length > 0) throw new Error(`apt knows no ${missing.join(', ')} for ${architecture}`);
    return packages;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const { release } = readLock();
  const found = ARCHITECTURES.flatMap((architecture) => newestFor(architecture, release));
  const packages = [...new Map(found.map((one) => [one.sha256, one])).values()].sort(byNameThenArchitecture);
  const snapshot = new Date().toISOString().replace(/\.\d+|[-:]/g, '');
  writeFileSync(LOCK_FILE, `${JSON.stringify({ release, snapshot, packages }, null, 2)}\n`);
}
