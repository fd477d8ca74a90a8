import type { LockedPackage, LockedProject } from './locked-project.ts';
import { packagePurl } from './purl.ts';
import { isTable, optionalTable, tablesOf, textOf } from './table.ts';

const CRATES_IO =
  /^(?:registry\+https:\/\/github\.com\/rust-lang\/crates\.io-index|sparse\+https:\/\/index\.crates\.io\/)/;

/**
 * The project of a `Cargo.lock`. Crates of the workspace have no source there: one alone is the project, several are
 * its parts, but for the one that the manifest describes. What is needed for development alone is not told apart.
 * @param manifest of `Cargo.toml`, if it is there
 */
export function readCargoLockfile(document: unknown, manifest?: unknown): LockedProject {
  const entries = tablesOf(isTable(document) ? document['package'] : undefined).flatMap((entry) => {
    const [name, version] = [textOf(entry['name']), textOf(entry['version'])];
    return name === undefined || version === undefined
      ? []
      : [{ entry, name, version, source: textOf(entry['source']) }];
  });
  const keys = new Map<string, string>();
  for (const { name, version, source } of entries) {
    const key = [name, version, ...(source === undefined ? [] : [`(${source})`])].join(' ');
    // A dependency is written as short as it is clear: name, name and version, or all three.
    for (const short of [name, `${name} ${version}`, key]) if (!keys.has(short)) keys.set(short, key);
  }
  const packages = entries.map(({ entry, name, version, source }): LockedPackage => {
    const checksum = textOf(entry['checksum']);
    const needed = Array.isArray(entry['dependencies']) ? entry['dependencies'] : [];
    const git = source?.startsWith('git+') ? source : undefined;
    const isOther = source !== undefined && git === undefined && !CRATES_IO.test(source);
    const qualifiers = git ? { vcs_url: git } : isOther ? { repository_url: source.replace(/^\w+\+/, '') } : undefined;
    const purl = packagePurl('cargo', undefined, name, version, qualifiers);
    return {
      key: [name, version, ...(source === undefined ? [] : [`(${source})`])].join(' '),
      name,
      version,
      ...(purl && { purl }),
      hashes: checksum !== undefined && /^[0-9a-f]{64}$/.test(checksum) ? [{ alg: 'SHA-256', content: checksum }] : [],
      ...(git && { source: { kind: 'vcs', url: git } }),
      dependsOn: needed.flatMap((one) => (typeof one === 'string' ? (keys.get(one) ?? []) : [])),
    };
  });
  const members = packages.filter((_, index) => entries[index]!.source === undefined);
  const own = isTable(manifest) ? textOf(optionalTable(manifest, 'package')['name']) : undefined;
  const only = members.length === 1 ? members[0] : members.find((member) => member.name === own);
  if (only === undefined) return { root: {}, dependsOn: members.map(({ key }) => key), packages };
  const { name, version, purl } = only;
  return {
    root: { name, ...(version && { version }), ...(purl && { purl }) },
    // Members that it does not need itself are still parts of the project.
    dependsOn: [...new Set([...only.dependsOn, ...members.map(({ key }) => key)])].filter((key) => key !== only.key),
    packages: packages.filter((locked) => locked !== only),
  };
}
