import { statSync } from 'node:fs';
import { isatty } from 'node:tty';
import {
  agentEnvironment,
  type EndedCommand,
  type ReceiptEnvelope,
  runAgentCommand,
  withheldNames,
} from '@colophon/witness';
import type { Command } from 'commander';
import { type AgentRunFlags, refuseIgnored, withAgentRun } from '../agent-run/agent-run-flags.ts';
import { KeptPrompts } from '../agent-run/kept-prompts.ts';
import { prepareRun } from '../agent-run/run-opening.ts';
import { openReceipt, runPredicate } from '../agent-run/run-records.ts';
import { describeRun, describeWithheld } from '../agent-run/run-summary.ts';
import { askedWitness, observe } from '../agent-run/run-witness.ts';
import { withConfiguration } from '../configuration/client-configuration.ts';
import { knownIssuerUrl } from '../home/issuer-url.ts';
import { signingPredicateBase } from '../home/namespace.ts';
import { assertWritableFile, writeOutput } from '../input/input.ts';
import { example } from '../program/example.ts';
import { dataFlag, type Session } from '../program/program.ts';
import { type ErrorReport, printError, reportOf } from '../report/report.ts';
import { signingServices } from '../signing-flags/signing-flags.ts';

/** `colophon run`: an agent's command, observed. */
export function defineRun(command: Command, session: Session): void {
  command.addHelpText(
    'after',
    example(
      'colophon run --agent code-writer --policy-pack policy.yaml -- claude',
      'colophon run --agent code-writer --policy-pack policy.yaml --prompt - \\',
      '  --predicate-out run.json --receipt-out receipt.json -- claude -p',
    ),
  );
  withConfiguration(withAgentRun(command)).action(async (words: string[], flags: AgentRunFlags, command: Command) => {
    const { env, terminal } = session;
    const witness = askedWitness(flags, env);
    const [artifact] = flags.sign ?? [];
    const receiptFile = flags.receiptOut ?? (artifact && `${artifact}.receipt.json`);
    refuseIgnored(flags, receiptFile, witness);
    for (const file of [flags.predicateOut, receiptFile, flags.promptsOut])
      if (file !== undefined) assertWritableFile(file);
    const isDescribed = flags.predicateOut !== undefined || artifact !== undefined;
    const folder = process.cwd();
    // What reads a repository, and what signs, is loaded where it is needed: most of what would be loaded.
    const git = isDescribed ? await import('../agent-run/run-git.ts') : undefined;
    const before = await git?.commitBefore(folder);
    // Where it would be signed is found out before the command has done its work.
    if (artifact !== undefined) await signingServices(flags, command, session);
    const { asked, input } = await prepareRun(flags);
    const predicateBase = signingPredicateBase(env, dataFlag(command));
    const issuer = knownIssuerUrl(env, dataFlag(command), flags.issuer ?? flags.oidcIssuer);
    const prompts = flags.promptsOut === undefined ? undefined : new KeptPrompts(flags.promptsOut);
    const observation = await observe({ ...asked, ...(issuer && { issuer }) }, flags, env, predicateBase, prompts?.add);
    try {
      // What stands there if this process is killed: a run that began, and has no end. A pipe would get both.
      if (receiptFile !== undefined && isReplaceable(receiptFile))
        writeOutput(receiptFile, receiptText(await observation.receipt()));
      const ended = await runAgentCommand(
        { ...commandOf(words), env: agentEnvironment(env, observation), input, timeoutMs: timeoutOf(flags) },
        { signals: process, terminal: terminalOf() },
      );
      session.exitAs?.(ended.exitCode);
      await afterwards(ended, session, async () => {
        const signed = openReceipt(await observation.end(ended.outcome));
        if (receiptFile !== undefined) writeOutput(receiptFile, receiptText(signed.envelope));
        if (ended.cause !== undefined) {
          printError(terminal, 'table', notStarted(words[0] ?? '', ended.cause));
          return;
        }
        const said = [describeWithheld(withheldNames(env, observation)), describeRun(signed.receipt, terminal)];
        try {
          if (git === undefined) return;
          const change = await git.changeOfRun(folder, before, witness !== undefined);
          const predicate = await runPredicate(signed, change, flags.predicate);
          if (flags.predicateOut !== undefined)
            writeOutput(flags.predicateOut, `${JSON.stringify(predicate, null, 2)}\n`);
          // What a command left that failed is nobody's to vouch for.
          if (receiptFile === undefined || artifact === undefined || ended.exitCode !== 0) return;
          const { signRun } = await import('../agent-run/run-signing.ts');
          said.push(await signRun(signed, predicate, { receiptFile, predicateBase }, flags, command, session));
        } finally {
          // Last: a terminal that is gone ends this process.
          if (!flags.quiet) terminal.stderr.write(said.join(''));
        }
      });
      await afterwards(ended, session, async () => prompts?.close());
    } finally {
      observation.close();
    }
  });
}

/** What is done once the command has ended. A command that failed keeps its exit code, whatever fails after it. */
async function afterwards({ exitCode }: EndedCommand, session: Session, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (exitCode === 0) throw error;
    printError(session.terminal, 'table', reportOf(error));
  }
}

function isReplaceable(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ?? true;
}

function receiptText(envelope: ReceiptEnvelope): string {
  return `${JSON.stringify(envelope)}\n`;
}

function commandOf([command = '', ...args]: readonly string[]) {
  return { command, args };
}

function timeoutOf({ timeout }: AgentRunFlags): number | undefined {
  return timeout === undefined ? undefined : timeout * 1000;
}

/** One that was closed is none any more for the system; what a stream says of itself is of its beginning. */
function terminalOf() {
  const stream = [process.stdin, process.stdout, process.stderr].find(({ isTTY }) => isTTY);
  return stream && { isThere: () => isatty(stream.fd) };
}

/** The exit code says it as a shell does. */
function notStarted(command: string, cause: Error): ErrorReport {
  const { code } = cause as NodeJS.ErrnoException;
  return { code: 'cli.command_not_started', message: `the command cannot be started: ${code}`, checked: command };
}
