// Runs the mutants of stryker.config.json against the unit tests. Stryker itself fails under the threshold; it does not
// mind if a file that we name has no mutants at all, as after a rename, and so this does.
//   node tools/mutation.ts                       all of them
//   node tools/mutation.ts --changed [COMMIT]    of the files that changed since they left COMMIT's history, or main's;
//                                                where this is main itself, within its last six hours of commits
//   node tools/mutation.ts --mutate FILE,...     of these
// With `--minutes N` before them, as many as N minutes allow, in an order by a seed that is printed (`--seed S`, else the
// commit): mutation/sample.ts.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { FILE_VARIABLE, inSeedOrder, type SampleScore, SEED_VARIABLE, scoreOf } from './mutation/sample.ts';

/** Of Stryker's report (mutation-testing-report-schema): which mutants of each file lived and died. */
export type MutationReport = {
  readonly files: Readonly<Record<string, { readonly mutants: ReadonlyArray<{ readonly status: string }> }>>;
};

/** A sentence for each named file whose mutants were not tried. */
export function untriedFiles(named: readonly string[], { files }: MutationReport): string[] {
  return named
    .filter((path) => !(files[path]?.mutants ?? []).some(({ status }) => status === 'Killed' || status === 'Timeout'))
    .map((path) => `${path}: no mutant of it was killed, so nothing was tried`);
}

const CONFIG = 'stryker.config.json';
const SUITE = 'vitest.mutation.config.ts';

/** What this reads of stryker.config.json, and whatever else stands there. */
export type MutationConfig = { readonly mutate: readonly string[]; readonly [setting: string]: unknown };

/**
 * Of the files that the configuration names those that changed, that have a changed test beside them, or that the
 * configuration did not name `before`; all where it changed how mutants are tried. `moved` are the names of files that
 * were moved without a change, by the name before: moving is no change.
 */
export function filesToTry(
  config: MutationConfig,
  changed: readonly string[],
  before?: MutationConfig,
  moved: ReadonlyMap<string, string> = new Map(),
): string[] {
  const { mutate: named, ...settings } = config;
  const { mutate: listedBefore, ...settingsBefore } = before ?? { mutate: [] };
  const namedBefore = listedBefore.map((path) => moved.get(path) ?? path);
  if (changed.includes(SUITE) || JSON.stringify(settings) !== JSON.stringify(settingsBefore)) return [...named];
  const tested = new Set(changed.filter((path) => path.endsWith('.test.ts')).map((path) => dirname(path)));
  return named.filter((path) => changed.includes(path) || tested.has(dirname(path)) || !namedBefore.includes(path));
}

const RECENT_SECONDS = 6 * 60 * 60;

/** What differs between the files as they are and the commit from which they are counted as changed. */
function changedSince(
  root: string,
  commit: string | undefined,
): { files: string[]; moved?: Map<string, string>; before?: MutationConfig } {
  const git = (...args: string[]): string | undefined => {
    const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
    return status === 0 ? stdout.trim() : undefined;
  };
  const lines = (text: string | undefined) => (text ?? '').split('\n').filter(Boolean);
  let base = git('merge-base', 'HEAD', commit ?? 'origin/main');
  if (commit !== undefined && base === undefined) throw new Error(`no common history with ${commit}`);
  if (commit === undefined && (base === undefined || base === git('rev-parse', 'HEAD'))) {
    base = git('rev-list', '-1', `--before=@${Number(git('log', '-1', '--format=%ct')) - RECENT_SECONDS}`, 'HEAD');
  }
  // Of a shallow clone, or a young one, every file is new.
  if (!base) return { files: lines(git('ls-files')) };
  console.log(`mutants of the files that changed since ${git('log', '-1', '--format=%h %cI %s', base)}`);
  const before = git('show', `${base}:${CONFIG}`);
  const { changed, moved } = changesOf(git('diff', '--name-status', '-M', base) ?? '');
  const files = changed.filter(
    (path) => path !== SUITE || !hasOnlyGrown(git('diff', '--numstat', base, '--', SUITE) ?? ''),
  );
  return { files, moved, ...(before && { before: JSON.parse(before) }) };
}

/** By `git diff --name-status -M`: files with another content than before, and where those went that were only moved. */
export function changesOf(nameStatus: string): { changed: string[]; moved: Map<string, string> } {
  const moved = new Map<string, string>();
  const changed: string[] = [];
  for (const line of nameStatus.split('\n').filter(Boolean)) {
    const [status, path = '', to] = line.split('\t');
    if (status === 'R100' && to !== undefined) moved.set(path, to);
    else changed.push(to ?? path);
  }
  return { changed, moved };
}

/** Whether lines were only added, by `git diff --numstat`: more tests let no mutant live that died before. */
export function hasOnlyGrown(numstat: string): boolean {
  return numstat.split('\t')[1] === '0';
}

/**
 * What a sample comes to, in lines. It is bad where it shows that all mutants together are below `least` percent: chance
 * alone makes no sample bad.
 */
export function verdictOn(
  { isPlanned, covered, uncovered, tried, dead, living, percent, margin = 0 }: SampleScore,
  least: number,
): { isGood: boolean; lines: string[] } {
  if (percent === undefined) return { isGood: isPlanned && covered + uncovered === 0, lines: ['no mutant was tried'] };
  const score = `${percent.toFixed(1)} % (± ${margin.toFixed(1)}) of ${covered + uncovered} by a sample of ${tried}`;
  const counts = `${dead} of ${tried} tried are dead, and ${uncovered} more stand in code that no test runs`;
  return { isGood: percent + margin >= least, lines: [...living.map((one) => `lives: ${one}`), `${counts}: ${score}`] };
}

const SAMPLE_CONFIG = 'reports/sample-mutants.json';
const SAMPLE_FILE = 'reports/sample-mutants.txt';

/** Files of a sample: what thousands of tests run of all of them takes more memory than a small machine has. */
const MOST_FILES = 70;

/** The files of a sample, in the order of the seed. */
export function sampledFiles(files: readonly string[], seed: string, most = MOST_FILES): string[] {
  return inSeedOrder(files, seed, (file) => file).slice(0, most);
}

/** Tries mutants in random order until the time is over; true where enough of them died. */
async function trySample(
  root: string,
  config: MutationConfig,
  options: { files: readonly string[]; minutes: number; seed: string; least: number },
): Promise<boolean> {
  const { minutes, seed, least } = options;
  const files = sampledFiles(options.files, seed);
  const which = files.length < options.files.length ? `${files.length} of ${options.files.length}` : `${files.length}`;
  console.log(`mutants of ${which} files for at most ${minutes} minutes, in the order of --seed ${seed}`);
  mkdirSync(join(root, 'reports'), { recursive: true });
  rmSync(join(root, SAMPLE_FILE), { force: true });
  const plugins = [...((config['plugins'] as string[] | undefined) ?? []), './tools/mutation/sample.ts'];
  const ofSample = { mutate: files, plugins, checkers: ['order'], reporters: ['lines'], thresholds: { break: null } };
  writeFileSync(join(root, SAMPLE_CONFIG), JSON.stringify({ ...config, ...ofSample }));
  const env = { ...process.env, [SEED_VARIABLE]: seed, [FILE_VARIABLE]: join(root, SAMPLE_FILE) };
  // With a group of its own: its runners end with it.
  const stryker = spawn('stryker', ['run', SAMPLE_CONFIG], { cwd: root, env, stdio: 'inherit', detached: true });
  let isOver = false;
  const end = setTimeout(() => {
    isOver = true;
    process.kill(-(stryker.pid as number), 'SIGKILL');
  }, minutes * 60_000);
  const status = await new Promise<number | null>((resolve, reject) => {
    stryker.once('error', reject);
    stryker.once('exit', resolve);
  });
  clearTimeout(end);
  rmSync(join(root, config['tempDirName'] as string), { recursive: true, force: true });
  if (status !== 0 && !isOver) return false;
  const { isGood, lines } = verdictOn(scoreOf(readFileSync(join(root, SAMPLE_FILE), 'utf8')), least);
  for (const line of lines) console.log(line);
  return isGood;
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  const config = JSON.parse(readFileSync(join(root, CONFIG), 'utf8'));
  const { values, positionals } = parseArgs({
    options: {
      changed: { type: 'boolean' },
      mutate: { type: 'string' },
      minutes: { type: 'string' },
      seed: { type: 'string' },
    },
    allowPositionals: true,
  });
  const since = values.changed ? changedSince(root, positionals[0] || undefined) : undefined;
  const named = values.mutate?.split(',') ?? config.mutate;
  const files: string[] = since === undefined ? named : filesToTry(config, since.files, since.before, since.moved);
  if (files.length === 0) {
    console.log('no file whose mutants are tried has changed');
  } else if (values.minutes !== undefined) {
    const head = spawnSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: root, encoding: 'utf8' }).stdout.trim();
    const seed = values.seed ?? (head || 'none');
    const options = { files, minutes: Number(values.minutes), seed, least: config.thresholds.break };
    process.exitCode = (await trySample(root, config, options)) ? 0 : 1;
  } else {
    const report = join(root, config.jsonReporter.fileName);
    rmSync(report, { force: true });
    const args = since === undefined && values.mutate === undefined ? [] : ['--mutate', files.join(',')];
    const { status } = spawnSync('stryker', ['run', ...args], { cwd: root, stdio: 'inherit' });
    const problems = status === 0 ? untriedFiles(files, JSON.parse(readFileSync(report, 'utf8'))) : [];
    for (const problem of problems) console.error(problem);
    process.exitCode = status === 0 && problems.length === 0 ? 0 : 1;
  }
}
