import { notedRun, readGitAiAgents, readTracedAgents } from '@colophon/attribution-comments';
import { changeOf, openRepository, resolveCommit } from '@colophon/forge';
import type { Command } from 'commander';
import { assertWritableFile, writeOutput } from '../../input/input.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { printResult } from '../../report/report.ts';
import { isOnStdout } from '../../sbom-file/sbom-output.ts';
import { oneLine } from '../../terminal/terminal.ts';
import type { ImportResult } from './import-result.ts';
import { chooseAgent, type Format, type ImportFlags, parseName, underOwnName } from './noted-choice.ts';
import { describeImport, shownAgent } from './noted-words.ts';

/** `colophon import git-ai`: Git AI Standard 3. */
export function defineImportGitAi(command: Command, session: Session): void {
  const lines = [
    'colophon import git-ai --predicate-out run.json',
    'colophon import git-ai HEAD --agent claude --agent-name code-writer',
  ];
  const next = 'git fetch origin refs/notes/ai:refs/notes/ai';
  defineNotedImport(command, lines, { name: 'git-ai', read: readGitAiAgents, note: 'authorship log', next }, session);
}

/** `colophon import agent-trace`: Agent Trace 0.1. */
export function defineImportAgentTrace(command: Command, session: Session): void {
  const lines = ['colophon import agent-trace --predicate-out run.json'];
  const format: Format = { name: 'agent-trace', read: readTracedAgents, note: 'Agent Trace record' };
  defineNotedImport(command, lines, format, session);
}

/** @param lines examples of help */
function defineNotedImport(command: Command, lines: readonly string[], format: Format, session: Session): void {
  command
    .addHelpText('after', `\n${RULE}\n${example(...lines)}`)
    .option('--agent <name>', 'write the predicate of this agent, as the notes name it')
    .option('--model-id <id>', 'write the predicate of this model, as the notes name it')
    .option(
      '--agent-name <name>',
      'name of the agent in the predicate, without the noted version (default: as noted)',
      parseName,
    )
    .option('--predicate-out <file>', 'file to write the predicate to (default: standard output)')
    .option('--repository <folder>', 'the git repository', '.')
    .addOption(outputOption())
    .action((commit: string | undefined, flags: ImportFlags) => importNoted(commit ?? 'HEAD', flags, format, session));
}

// Each line fits into 80 columns.
const RULE = `The predicate is a part of one: what the notes do not say is left out, and
"colophon attest-blob --type agent-run --predicate FILE --context CONTEXT" adds
it. Of several agents, or models of one, it is about the one with most lines;
--agent and --model-id choose. All of it is its writer's word: the sources of a
token that is made from it are declared.`;

async function importNoted(name: string, flags: ImportFlags, format: Format, session: Session): Promise<void> {
  const { signal, terminal } = session;
  const out = isOnStdout(flags.predicateOut) ? undefined : flags.predicateOut;
  if (out !== undefined) assertWritableFile(out);
  const repository = await openRepository(flags.repository, { signal });
  const commit = await resolveCommit(repository, name, { signal });
  const note = await format.read(repository, commit, { signal });
  const typed = { name, flags, format };
  const chosen = chooseAgent(note, commit, typed);
  const run = notedRun(underOwnName(chosen, typed), await changeOf(repository, commit, { signal }));
  const record: ImportResult = {
    ok: true,
    commit_sha: commit,
    noted_by: format.name,
    place: note.place,
    noted_commit: note.revision ?? commit,
    claim_source: 'declared',
    agents: note.agents.map((one) => shownAgent(one, one === chosen)),
    predicate: run.predicate,
    left_out: [...run.leftOut],
    problems: [...note.problems],
    ...(out !== undefined && { predicate_out: out }),
  };
  const predicate = `${JSON.stringify(run.predicate, null, 2)}\n`;
  if (out !== undefined) writeOutput(out, predicate);
  if (flags.output === 'table' && out === undefined) {
    terminal.stdout.write(predicate);
    terminal.stderr.write(describeImport(record));
  } else {
    printResult(terminal, flags.output, record, describeImport);
  }
  if (flags.output === 'json') return;
  for (const { path, found, expected } of record.left_out) {
    terminal.stderr.write(`${oneLine(`note: ${path} is left out: ${found}, expected ${expected}`)}\n`);
  }
  for (const { code, path, message } of record.problems) {
    terminal.stderr.write(`${oneLine(`note: ${path}: ${message} [${code}]`)}\n`);
  }
}
