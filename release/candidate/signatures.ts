import { join } from 'node:path';
import { sourceCommit } from '../source-time.ts';
import { RELEASE_FOLDER } from './artifacts.ts';
import { runBuiltProgram } from './built-program.ts';
import { CHECKSUMS_FILE } from './checksums.ts';

/**
 * Signs every artifact and the checksums, and attests of the checksums which agent run made the release. Each bundle is
 * written beside its file.
 * @param flags - of `colophon sign-blob`: who signs, and where; the commit is added
 */
export async function signRelease(
  artifacts: readonly string[],
  flags: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const files = [...artifacts, CHECKSUMS_FILE].map((name) => join(RELEASE_FOLDER, name));
  const signer = [...flags, '--commit-sha', sourceCommit()];
  await runBuiltProgram(['sign-blob', ...signer, ...files], env);
  await runBuiltProgram(['attest-blob', '--type', 'agent-run', ...signer, ...files.slice(-1)], env);
}
