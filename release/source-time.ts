import { execFileSync } from 'node:child_process';
import { ROOT } from './names.ts';

/**
 * When the source was last changed: the time of everything that is built from it.
 * @see reproducible-builds.org, SOURCE_DATE_EPOCH
 */
export function sourceTime(): Date {
  return new Date(Number(process.env['SOURCE_DATE_EPOCH'] ?? git('log', '-1', '--format=%ct')) * 1000);
}

/** The commit that everything is built from; with `-dirty` where files differ from it. */
export function sourceRevision(): string {
  return git('describe', '--always', '--abbrev=40', '--dirty', '--exclude=*');
}

/** The same commit's id alone, as a signed statement names it. */
export function sourceCommit(): string {
  return git('rev-parse', 'HEAD');
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
}
