import { CliError } from '../cli-error/cli-error.ts';
import { EXIT } from '../exit-code/exit-code.ts';
import type { Session } from '../program/program.ts';
import { coloursFor } from '../terminal/terminal.ts';

/** What a command line of the demo did. */
export type Performed = { readonly exitCode: number; readonly stdout: string; readonly stderr: string };

/** Where the demo plays: tells what happens, runs command lines as a person would type them, holds them to what is due. */
export class Stage {
  readonly #session: Session;
  readonly #env: NodeJS.ProcessEnv;
  readonly #colours: ReturnType<typeof coloursFor>;
  #steps = 0;

  /** Commands run with `env` in place of the session's own. */
  constructor(session: Session, env: NodeJS.ProcessEnv) {
    this.#session = session;
    this.#env = env;
    this.#colours = coloursFor(session.terminal, session.terminal.stdout);
  }

  get steps(): number {
    return this.#steps;
  }

  chapter(title: string): void {
    this.#print(`\n${this.#colours.bold(title)}\n`);
  }

  step(title: string): void {
    this.#session.signal.throwIfAborted();
    this.#steps += 1;
    this.#print(`\n${this.#colours.cyan(String(this.#steps).padStart(2))}  ${this.#colours.bold(title)}\n`);
  }

  /** Lines that belong to the step. */
  say(text: string): void {
    for (const line of text.trimEnd().split('\n')) this.#print(`    ${line}\n`);
  }

  /** Shows a command line and runs it; it must succeed. */
  async run(args: readonly string[]): Promise<string> {
    this.#showCommand(args);
    const { exitCode, stdout, stderr } = await this.#perform(args);
    if (exitCode !== EXIT.ok) throw failed(`colophon ${args[0]} ended with ${exitCode}: ${stderr.trim()}`);
    return stdout;
  }

  /** The same, and shows what it printed. */
  async show(args: readonly string[]): Promise<void> {
    this.say(await this.run(args));
  }

  /** Runs a command line that must be refused for this very reason. */
  async refuse(args: readonly string[], { code, exitCode }: { code: string; exitCode: number }): Promise<void> {
    this.#showCommand(args);
    const performed = await this.#perform([...args, '--output', 'json']);
    const found = reasonsOf(performed.stdout);
    const reason = found.find((one) => one.code === code);
    if (performed.exitCode !== exitCode || reason === undefined) {
      const codes = found.map((one) => one.code).join(', ') || 'no reason';
      throw failed(`expected exit ${exitCode} with ${code}, found exit ${performed.exitCode} with ${codes}`);
    }
    this.#print(
      `    ${this.#colours.red('refused')} ${this.#colours.bold(code)} (exit ${exitCode}): ${reason.message}\n`,
    );
  }

  /** Runs a command line whose result is a refusal, and shows the report, which must name this reason. */
  async showRefusal(args: readonly string[], { code, exitCode }: { code: string; exitCode: number }): Promise<void> {
    this.#showCommand(args);
    const performed = await this.#perform(args);
    if (performed.exitCode !== exitCode || !performed.stdout.includes(code)) {
      throw failed(`expected exit ${exitCode} with ${code}, found exit ${performed.exitCode}: ${performed.stdout}`);
    }
    this.say(performed.stdout);
    this.#print(`    ${this.#colours.red('refused')} (exit ${exitCode})\n`);
  }

  async #perform(args: readonly string[]): Promise<Performed> {
    this.#session.signal.throwIfAborted();
    const output = { stdout: '', stderr: '' };
    let exitCode: number = EXIT.ok;
    const keep = (name: keyof typeof output) => ({
      write: (text: string) => {
        output[name] += text;
      },
    });
    await this.#session.run(args, {
      terminal: { stdout: keep('stdout'), stderr: keep('stderr'), env: this.#env },
      env: this.#env,
      signal: this.#session.signal,
      run: this.#session.run,
      holdInterrupts: () => {},
      setExitCode: (code) => {
        exitCode = code;
      },
    });
    return { exitCode, ...output };
  }

  #showCommand(args: readonly string[]): void {
    const line = ['colophon', ...args.map((arg) => (/^[\w./:@=,+-]+$/.test(arg) ? arg : `'${arg}'`))].join(' ');
    const cut = line.length > 400 ? `${line.slice(0, 400)}…` : line;
    this.#print(`    ${this.#colours.dim(`$ ${cut}`)}\n`);
  }

  #print(text: string): void {
    this.#session.terminal.stdout.write(text);
  }
}

type Reason = { readonly code: string; readonly message: string };

function reasonsOf(json: string): Reason[] {
  const { error, reasons = [] } = JSON.parse(json || '{}') as {
    error?: Reason & { issues?: Reason[] };
    reasons?: Reason[];
  };
  return [...(error === undefined ? [] : [error, ...(error.issues ?? [])]), ...reasons];
}

function failed(message: string): CliError {
  return new CliError('cli.demo_step_failed', message);
}
