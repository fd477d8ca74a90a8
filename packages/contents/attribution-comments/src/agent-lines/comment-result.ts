import {
  alsoHaving,
  count,
  fieldBasis,
  flag,
  having,
  issue,
  listOf,
  oneOf,
  resultOf,
  string,
} from '@colophon/records/result';
import { ATTRIBUTION_COMMENT_CODES } from '../comment/review-comments.ts';

const edit = alsoHaving(having('the line that would put it right', { text: string('without its end of line') }), {
  above: { ...count, description: 'the line that it goes above, from 1' },
  replaces: { ...count, description: 'the line that it takes the place of, from 1' },
});

const finding = alsoHaving(
  having('a block whose comment is missing, or is not what it should be', {
    code: oneOf('of the finding', ATTRIBUTION_COMMENT_CODES),
    severity: oneOf('whether it has to be put right', ['error', 'warning']),
    file: string('path in the repository'),
    line: { ...count, description: 'the first of the block, from 1' },
    end_line: { ...count, description: 'the last of the block' },
    agent: string('who wrote it'),
    sources: listOf('what says that an agent wrote it, the strongest first', string('a kind of evidence')),
    commits: listOf('the commits behind its lines', string('a commit')),
    message: string('for people'),
    comment: string('what the comment should say'),
    basis: fieldBasis,
    fixed: flag('whether --fix wrote the comment'),
  }),
  {
    edit,
    not_fixable: string('why the comment is not written'),
    not_fixable_code: string('of that reason'),
  },
);

/** `colophon sbom comments`. Not `ok` where an error is left unfixed. */
export const commentsResult = resultOf('the comments above what agents wrote in a range of commits', {
  range: string('of commits'),
  commit_count: count,
  agent_commit_count: count,
  file_count: { ...count, description: 'files that were looked at' },
  block_count: { ...count, description: 'blocks by agents, of any length' },
  longer_than: { ...count, description: 'lines: longer blocks need a comment' },
  findings: listOf('each block that needs a look', finding),
  skipped: listOf(
    'files that were not looked at',
    having('one of them', { file: string('path in the repository'), reason: string('why') }),
  ),
  problems: listOf(
    'evidence that could not be read',
    having('one of them', {
      code: issue.properties.code,
      message: issue.properties.message,
      path: string('where: a commit, or a file and line of one'),
    }),
  ),
});
