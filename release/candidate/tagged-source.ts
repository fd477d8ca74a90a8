import { execFileSync } from 'node:child_process';
import { ROOT } from '../names.ts';

/**
 * Looks whether the checkout is what a tag names: the commit that is signed is then the one that was built.
 * @throws Error for another commit, and for files that are of none
 */
export function assertSourceOf(tag: string, folder: string = ROOT): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trimEnd();
  const others = git('status', '--porcelain', '--untracked-files=normal');
  if (others !== '') throw new Error(`a release is made of committed files alone, and these differ:\n${others}`);
  const [tagged, built] = [git('rev-parse', '--verify', `refs/tags/${tag}^{commit}`), git('rev-parse', 'HEAD')];
  if (tagged !== built) throw new Error(`${tag} is ${tagged}, and ${built} is checked out`);
}
