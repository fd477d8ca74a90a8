import { existsSync } from 'node:fs';
import { dataPaths, EMBEDDED_ROOT, isTrustedRootOf, readInstallation, rootName } from '@colophon/server/data-folder';
import { loadTrustedRoots, type TrustedRootSource, type TrustMaterial } from '@colophon/sigstore';
import type { Command } from 'commander';
import { CliError, withFacts } from '../cli-error/cli-error.ts';
import { withConfiguration } from '../configuration/client-configuration.ts';
import { SeenHistory } from '../history/seen-history.ts';
import { dataFolder } from '../home/home.ts';
import { ownNamespace } from '../home/namespace.ts';
import { readInput } from '../input/input.ts';
import { dataFlag, type Session, type TrustedRootFile } from '../program/program.ts';
import { parseSwitch } from '../program/switch.ts';

/** The flags that say which roots are trusted. */
export type TrustFlags = {
  readonly trustedRoot?: string;
  readonly insecureIgnoreSct?: boolean;
};

/** Trusted roots, and how to name their files: every result and refusal shows them. */
export type Trust = {
  readonly trust: TrustMaterial;
  readonly file: string;
  readonly files: readonly string[];
  /** What the roots were made of, in the same order. */
  readonly sources: readonly TrustedRootSource[];
};

/** Adds the flags that say which roots are trusted. */
export function withTrust(
  command: Command,
  what = 'trusted root (default: $COLOPHON_TRUSTED_ROOT, else of the configuration, else of the data folder)',
): Command {
  return withConfiguration(
    command
      .option('--trusted-root <file>', what)
      .option(
        '--insecure-ignore-sct [bool]',
        'accept certificates without a timestamp of a CT log, under a trusted root that names no CT log',
        parseSwitch,
      ),
  );
}

/**
 * The trusted roots: `--trusted-root`, else $COLOPHON_TRUSTED_ROOT, else those of the configuration, else that of the
 * data folder. None is ever made up or fetched. `history` holds what is verified with them.
 * @throws CliError `cli.no_trusted_root`, `cli.file_unreadable`; TrustedRootError
 */
export async function trustMaterial(
  flags: TrustFlags,
  command: Command,
  session: Session,
): Promise<Trust & { readonly history: SeenHistory }> {
  const known = await trustIfKnown(flags, command, session);
  if (known !== undefined) {
    const history = new SeenHistory(known.trust, session);
    return { ...known, trust: history.trust, history };
  }
  throw new CliError('cli.no_trusted_root', 'no trusted root is known, and none is ever fetched', {
    checked: `--trusted-root, $COLOPHON_TRUSTED_ROOT, $COLOPHON_CONFIG, ${ofDataFolder(command, session)}`,
    next: 'colophon up    (its roots are local), or --trusted-root FILE',
  });
}

/**
 * The same, or undefined where none is known.
 * @param withDataFolder whether the root of the data folder says anything about what is trusted here
 */
export async function trustIfKnown(
  flags: TrustFlags,
  command: Command,
  session: Session,
  withDataFolder = true,
): Promise<Trust | undefined> {
  const { env } = session;
  const roots = rootFiles(flags, command, session, withDataFolder);
  if (roots === undefined) return undefined;
  const namespace = ownNamespace(env, dataFlag(command));
  const sources: TrustedRootSource[] = [];
  for (const root of roots) {
    const { file } = root;
    const source = {
      ...named(root, dataFolder(env, dataFlag(command)), roots.length > 1),
      json: await readInput(file),
      insecureIgnoreSct: root.insecureIgnoreSct || flags.insecureIgnoreSct,
    };
    // Which of several files is wrong is said here.
    await withFacts({ checked: file, trust: file }, async () => loadTrustedRoots([source]));
    sources.push(source);
  }
  const files = roots.map(({ file }) => file);
  const file = files.join(', ');
  const trust = await withFacts({ checked: file, trust: file }, async () => loadTrustedRoots(sources, namespace));
  return { trust, file, files, sources };
}

/**
 * A root with its name, and with whom it is for. Beside others that of the data folder is for the issuer of the folder,
 * which nobody has to write.
 */
function named(
  { name, file, issuers }: TrustedRootFile,
  dataDir: string,
  isOneOfSeveral: boolean,
): Pick<TrustedRootSource, 'name' | 'issuers'> {
  const isOwn = isTrustedRootOf(dataDir, file);
  const own = isOwn && isOneOfSeveral ? readInstallation(dataDir)?.issuer_url : undefined;
  return {
    name: name ?? (isOwn ? EMBEDDED_ROOT : rootName(file)),
    issuers: own === undefined ? issuers : [own, ...(issuers ?? [])],
  };
}

function rootFiles(
  flags: TrustFlags,
  command: Command,
  session: Session,
  withDataFolder: boolean,
): readonly TrustedRootFile[] | undefined {
  const named = (flags.trustedRoot ?? session.env['COLOPHON_TRUSTED_ROOT']) || undefined;
  if (named !== undefined) return [{ file: named }];
  if (session.trustedRoots !== undefined) return session.trustedRoots;
  const own = ofDataFolder(command, session);
  return withDataFolder && existsSync(own) ? [{ file: own }] : undefined;
}

function ofDataFolder(command: Command, { env }: Session): string {
  return dataPaths(dataFolder(env, dataFlag(command))).trustedRoot;
}
