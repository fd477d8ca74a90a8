import { parseArgs } from 'node:util';

/** What a release is asked for. */
export type CommandLine = {
  readonly dryRun: boolean;
  readonly tag: string;
  /** Files that other machines built. */
  readonly executables: readonly string[];
  /** Flags of `colophon sign-blob`: who signs, and where; none for a dry run. */
  readonly signer: readonly string[];
};

/**
 * Reads the arguments of `npm run release --`.
 * @param otherwise - the tag where none is named
 * @throws Error where a part of them would go unused, and for a release without a signer
 */
export function parseCommandLine(args: readonly string[], otherwise: string, env: NodeJS.ProcessEnv): CommandLine {
  // npm takes the flag for its own if it comes before --, and then packs nothing.
  if (env['npm_config_dry_run'] === 'true') throw new Error('for a dry run write: npm run release -- --dry-run');
  const end = args.indexOf('--');
  const [own, signer] = end < 0 ? [args, []] : [args.slice(0, end), args.slice(end + 1)];
  const { values } = parseArgs({
    args: [...own],
    options: {
      'dry-run': { type: 'boolean', default: false },
      tag: { type: 'string', default: otherwise },
      executable: { type: 'string', multiple: true, default: [] },
    },
  });
  const dryRun = values['dry-run'];
  if (dryRun && signer.length > 0)
    throw new Error('a dry run signs with its own authority: nothing follows the second --');
  if (!dryRun && signer.length === 0) {
    throw new Error('a second -- and the flags of colophon sign-blob say who signs; --dry-run signs as nobody');
  }
  return { dryRun, tag: values.tag, executables: values.executable, signer };
}
