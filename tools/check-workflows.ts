// The forge's workflows and the action that we publish hold to our rules, and actionlint accepts the workflows where it
// is installed (.ci/tools.sh brings it).
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '..');

/**
 * The one action that a workflow may use, at the commit of its v5.0.1: plain commands do not reach the cache of a forge.
 */
const CACHE_ACTION = 'actions/cache@9255dc7a253b0ccc959486e2bca901246202afeb';

/** Our own rules that a workflow's text breaks, one sentence each: no action but that one, no permission by default. */
export function workflowProblems(text: string): string[] {
  const problems: string[] = [];
  if (!/^permissions: \{\}$/m.test(text)) problems.push('does not start from `permissions: {}`');
  const actions = [...text.replaceAll(/#.*/g, '').matchAll(/\buses['"]?:[ \t]*(\S*)/g)].map(([, action]) => action);
  if (actions.some((action) => action !== CACHE_ACTION)) {
    problems.push('uses an action: plain commands can be read and pinned');
  }
  if (/^[^#\n]*\bpull_request_target\b/m.test(text)) problems.push('runs the code of strangers with our secrets');
  if (/\$\{\{\s*(?:github\.event\.|github\.head_ref)/.test(text)) problems.push('puts text of strangers into a script');
  return problems;
}

/** Our own rules that the text of a composite action breaks: no action of others, no value inside a script. */
export function actionProblems(text: string): string[] {
  const { runs } = parse(text) as { runs: { using: string; steps?: { uses?: string; run?: string }[] } };
  const steps = runs.steps ?? [];
  return [
    ...(runs.using === 'composite' ? [] : ['is not composite: what it runs has to be read in it']),
    ...(steps.some(({ uses }) => uses !== undefined) ? ['uses an action: plain commands can be read and pinned'] : []),
    ...(steps.some(({ run = '' }) => run.includes('$' + '{{')) ? ['puts a value into a script: use its env'] : []),
  ];
}

function actionlint(): string[] {
  const own = join(ROOT, '.tools/bin/actionlint');
  const { error, status, stdout, stderr } = spawnSync(existsSync(own) ? own : 'actionlint', ['-color=false'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (error !== undefined) {
    console.log('actionlint is not installed (.ci/tools.sh brings it); only our own rules were checked');
    return [];
  }
  return status === 0 ? [] : [`${stdout}${stderr}`.trim()];
}

if (import.meta.main) {
  const folder = join(ROOT, '.github/workflows');
  const problems = readdirSync(folder).flatMap((name) =>
    workflowProblems(readFileSync(join(folder, name), 'utf8')).map(
      (problem) => `.github/workflows/${name}: ${problem}`,
    ),
  );
  const action = 'recipes/github/action.yml';
  problems.push(
    ...actionProblems(readFileSync(join(ROOT, action), 'utf8')).map((problem) => `${action}: ${problem}`),
    ...actionlint(),
  );
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
