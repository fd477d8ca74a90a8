import type { Reference } from '@colophon/grammars';
import type { SourcePurl } from '@colophon/sbom';
import { fetchSourcePackage, readSourceFolder, type SourceTree } from '@colophon/source-packages';
import { CliError } from '../cli-error/cli-error.ts';
import type { Session } from '../program/program.ts';
import { referenceAt } from './judged-tree.ts';

/** The source of a package, and where it was read from. */
export type PackageSource = { readonly tree: SourceTree; readonly origin: string; readonly reference: Reference };

/**
 * The source of a package's version: of the folder that is given, else of its registry. A copy in the repository is read
 * only where it is given: its author could have changed it.
 * @param root of the repository
 * @throws CliError `cli.other_package`, `cli.usage` where it would have to be fetched and nothing may be
 * @throws SourceError
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
    return { tree, origin: source, reference: referenceAt(source, [root]) };
  }
  if (offline) throw nothingOffline(from.purl, '--source FOLDER');
  const tree = await fetchSourcePackage(from.purl, { env, goSumFolders: goSumFolders(root), signal });
  return { tree, origin: tree.origin, reference: 'registry' };
}

/** Where a `go.sum` may refuse a module: here, and at the top of the repository. */
export function goSumFolders(...roots: readonly string[]): string[] {
  return [...new Set([process.cwd(), ...roots])];
}

/** A package URL means the package of the registry, and `--offline` asks none. */
export function nothingOffline(purl: string, expected: string): CliError {
  return new CliError(
    'cli.usage',
    '--offline asks no registry, and a copy in the judged tree is used only if it is named',
    {
      checked: purl,
      expected,
    },
  );
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
