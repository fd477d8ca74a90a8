import type { DebianPackage } from './debian-package.ts';
import type { TarEntry } from './tar.ts';

/** The user that the program runs as, which other images without a shell call so too. */
export const NONROOT = 65_532;

/** Folders that in Debian are links into /usr. */
const MERGED = ['bin', 'sbin', 'lib', 'lib64'];

/** What a process needs, and the terms under which it is shipped. */
const KEPT = [
  /^usr\/lib(64)?\/(?!.*\/gconv\/)(?!os-release$)/,
  /^usr\/lib\/os-release$/,
  /^usr\/share\/doc\/[^/]+(\/copyright)?$/,
  /^usr\/share\/common-licenses\//,
  /^etc\/debian_version$/,
];

const CERTIFICATE = /^usr\/share\/ca-certificates\/mozilla\/.*\.crt$/;

const folder = (path: string, mode = 0o755): TarEntry => ({ type: 'directory', path, mode });
const link = (path: string, target: string): TarEntry => ({ type: 'symlink', path, mode: 0o777, target });
const file = (path: string, text: string): TarEntry => ({
  type: 'file',
  path,
  mode: 0o644,
  content: Buffer.from(text),
});

/** Where a path of a package lies once /bin, /sbin and /lib are links into /usr. */
export function mergedPath(path: string): string {
  return MERGED.includes(path.split('/')[0] ?? '') ? `usr/${path}` : path;
}

/** The layer of Debian's packages: their libraries and licences, the certificates, and what describes the system. */
export function debianLayer(packages: readonly DebianPackage[]): TarEntry[] {
  const shipped = packages.flatMap(({ entries }) => entries);
  const kept = shipped
    .map((entry) => ({ ...entry, path: mergedPath(entry.path) }))
    .filter(({ type, path }) => type !== 'directory' && KEPT.some((pattern) => pattern.test(path)));
  return withFolders([
    ...kept,
    ...MERGED.map((name) => link(name, `usr/${name}`)),
    ...['usr/bin', 'usr/sbin', 'usr/lib64', 'proc', 'sys', 'dev', 'run', 'var/lib'].map((path) => folder(path)),
    folder('tmp', 0o1777),
    link('etc/os-release', '../usr/lib/os-release'),
    file(
      'etc/passwd',
      accounts((name, id) => `${name}:x:${id}:${id}:${name}:/nonexistent:/sbin/nologin`),
    ),
    file(
      'etc/group',
      accounts((name, id) => `${name}:x:${id}:`),
    ),
    file('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n'),
    file('etc/ssl/certs/ca-certificates.crt', certificates(shipped)),
    ...packages.map(({ locked, control }) => file(`var/lib/dpkg/status.d/${locked.name}`, installed(control))),
  ]);
}

function accounts(line: (name: string, id: number) => string): string {
  return `${line('root', 0)}\n${line('nonroot', NONROOT)}\n`;
}

/** As update-ca-certificates does: every certificate, in the order of its file's name. */
function certificates(entries: readonly TarEntry[]): string {
  const found = entries
    .filter(({ path }) => CERTIFICATE.test(path))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map((entry) => (entry.type === 'file' && entry.content instanceof Uint8Array ? entry.content : new Uint8Array()));
  return found.map((content) => `${Buffer.from(content).toString('utf8').trimEnd()}\n`).join('');
}

/** A package's paragraph in dpkg's list: scanners take only what is installed. */
function installed(control: string): string {
  return control.replace(/^Package: .*\n/, '$&Status: install ok installed\n');
}

/** With every folder that a path lies in. A path that two packages have is refused. */
export function withFolders(entries: readonly TarEntry[]): TarEntry[] {
  const byPath = new Map<string, TarEntry>();
  for (const entry of entries) {
    if (byPath.has(entry.path)) throw new Error(`${entry.path} stands twice in one layer`);
    byPath.set(entry.path, entry);
  }
  for (const { path } of entries) {
    const parts = path.split('/');
    for (let depth = 1; depth < parts.length; depth++) {
      const above = parts.slice(0, depth).join('/');
      if (!byPath.has(above)) byPath.set(above, folder(above));
    }
  }
  return [...byPath.values()];
}
