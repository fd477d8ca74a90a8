import { type ChangeFacts, changeSince, openRepository } from '@colophon/forge';
import { CliError } from '../cli-error/cli-error.ts';

/**
 * The commit that is checked out before the run; undefined before the first one.
 * @throws CliError `cli.usage` where there is no repository; ForgeError where it cannot be read
 */
export async function commitBefore(folder: string): Promise<string | undefined> {
  try {
    return (await openRepository(folder)).head;
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'forge.no_repository') throw error;
    throw new CliError('cli.usage', 'the agent-run predicate names a commit, and this is no git repository', {
      checked: folder,
      next: 'git init',
    });
  }
}

/**
 * What the run changed; undefined where there is no commit, or no repository any more.
 * @param isShared whether the agent is another user, who may write there meanwhile
 * @throws ForgeError
 */
export async function changeOfRun(
  folder: string,
  before: string | undefined,
  isShared: boolean,
): Promise<ChangeFacts | undefined> {
  try {
    return await changeSince({ root: folder }, before, { isShared });
  } catch (error) {
    if ((error as { code?: unknown }).code === 'forge.no_repository') return undefined;
    throw error;
  }
}
