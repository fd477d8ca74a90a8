import { fetchSourcePackage, readSourceFolder, type SourceTree } from '@colophon/feeds';
import type { SourcePurl } from '@colophon/sbom';
import { CliError } from '../cli-error/cli-error.ts';
import type { Session } from '../program/program.ts';

/** The source of a package, and where it was read from. */
export type PackageSource = { readonly tree: SourceTree; readonly origin: string };

/**
 * The source of a package's version: of the folder that is given, else of `node_modules`, else of its registry.
 * @param root of the repository
 * @throws CliError `cli.other_package`
 * @throws FeedsError
 */
export async function findSource(
  from: SourcePurl,
  { source, offline = false }: { readonly source?: string; readonly offline?: boolean },
  root: string,
  { env, signal }: Session,
): Promise<PackageSource> {
  if (source !== undefined) {
    const tree = await readSourceFolder(source);
    assertSamePackage(from, tree, source);
    return { tree, origin: source };
  }
  const localFolders = [...new Set([process.cwd(), root])];
  const tree = await fetchSourcePackage(from.purl, { env, localFolders, isOffline: offline, signal });
  return { tree, origin: tree.origin };
}

/** A licence is that of one version of one package, so a folder that says it is another one is not it. */
function assertSamePackage({ type, packageName, version }: SourcePurl, { files }: SourceTree, folder: string): void {
  const manifest = type === 'npm' ? files.find(({ path }) => path === 'package.json') : undefined;
  let stated: { name?: unknown; version?: unknown } | null;
  try {
    stated = JSON.parse(Buffer.from(manifest?.bytes ?? new Uint8Array()).toString() || 'null');
  } catch {
    return;
  }
  if (typeof stated?.name !== 'string' || typeof stated.version !== 'string') return;
  if (stated.name.toLowerCase() === packageName.toLowerCase() && stated.version === version) return;
  throw new CliError('cli.other_package', `${folder} holds another package`, {
    checked: folder,
    expected: `${packageName}@${version}`,
    found: `${stated.name}@${stated.version}`.slice(0, 200),
  });
}
