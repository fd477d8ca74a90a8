import {
  alsoHaving,
  count,
  documentOf,
  flag,
  having,
  issue,
  listOf,
  oneOf,
  type ResultOf,
  resultOf,
  string,
} from '@colophon/records/result';

const notedAgent = alsoHaving(
  having('an agent with one of its models', {
    line_count: { ...count, description: 'lines of the commit that the notes call theirs' },
    in_predicate: flag('whether the predicate is about this one'),
  }),
  {
    agent: string('as the notes spell it; absent where they name none'),
    version: string('of the agent'),
    model_id: string('as the notes spell it'),
    model_provider: string('of the model; absent where the notes name none'),
  },
);

/** `colophon import git-ai` and `colophon import agent-trace`. */
export const importResult = resultOf(
  'what an agent’s own tool noted about a commit',
  {
    commit_sha: string('the commit'),
    noted_by: oneOf('the format of the notes', ['git-ai', 'agent-trace']),
    place: string('where the notes are'),
    noted_commit: string('the commit that the notes name: itself, or the parent that was checked out meanwhile'),
    claim_source: oneOf('of the claims of a token that is made from it: its writer’s word', ['declared']),
    agents: listOf('all that are named, the one with most lines first', notedAgent),
    predicate: documentOf('the agent-run predicate, as far as notes and git say it'),
    left_out: listOf(
      'values of the notes that are not in the predicate',
      having('one of them', {
        path: string('JSON Pointer into the predicate'),
        found: string('the value'),
        expected: string('what would be taken'),
      }),
    ),
    problems: listOf(
      'notes that could not be read',
      having('one of them', {
        code: issue.properties.code,
        message: issue.properties.message,
        path: string('where: a commit, or a file and line'),
      }),
    ),
  },
  { predicate_out: string('path of the predicate that was written; absent where none was') },
);
export type ImportResult = ResultOf<typeof importResult>;
