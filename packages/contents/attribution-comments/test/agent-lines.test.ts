import { type AgentLinesOptions, reviewAgentLines } from '@colophon/attribution-comments';
import { enclosingTextOf } from '@colophon/attribution-comments/enclosing-text';
import { loadProgramReader } from '@colophon/attribution-comments/program-reader';
import { writeFileDurably } from '@colophon/durable-file';
import { openRepository, resolveRange } from '@colophon/forge';
import { readCommitSigner } from '@colophon/sigstore';
import { gitRepository } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';

const BY_AGENT = 'work\n\nColophon-Agent: code-writer@2.4.1\nColophon-Model: large-model\n';
const COMMENT = '# colophon: agent=code-writer@2.4.1 model=large-model';
const code = Array.from({ length: 9 }, (_, i) => `x${i} = ${i}\n`).join('');
const OPTIONS: AgentLinesOptions = {
  isOwnAgent: () => false,
  signatures: { signerOf: readCommitSigner },
  issuer: undefined,
  parsers: { enclosingTextOf, loadProgramReader },
  longest: 8,
  paths: [],
};

async function review(folder: string, options: Partial<AgentLinesOptions> = {}) {
  const repository = await openRepository(folder);
  return reviewAgentLines(repository, await resolveRange(repository, undefined), { ...OPTIONS, ...options });
}

test('a block by an agent without its comment is found, and what it lacks is proposed and not written', async () => {
  const { folder, commit } = gitRepository(onTestFinished);
  commit('by a person', { 'a.py': code });
  const sha = commit(BY_AGENT, { 'b.py': code });
  const written: string[] = [];
  expect(await review(folder)).toMatchObject({
    ok: false,
    commit_count: 2,
    agent_commit_count: 1,
    findings: [
      {
        code: 'comment.missing',
        file: 'b.py',
        line: 1,
        end_line: 9,
        commits: [sha],
        edit: { above: 1, text: COMMENT },
        fixed: false,
      },
    ],
  });
  const found = await review(folder, { write: (path, content) => written.push(path, content) });
  expect([found.ok, written]).toEqual([true, [`${folder}/b.py`, `${COMMENT}\n${code}`]]);
});

test('a comment that was written is found there', async () => {
  const { folder, commit } = gitRepository(onTestFinished);
  commit(BY_AGENT, { 'b.py': code });
  await review(folder, { write: writeFileDurably });
  expect(await review(folder)).toMatchObject({ ok: true, findings: [] });
});

test('a signed commit is the agent’s, and verified only where somebody verifies it', async () => {
  const { folder, commit, git, write } = gitRepository(onTestFinished);
  commit('signed', { 'b.py': code });
  const armoured = '-----BEGIN SIGNED MESSAGE-----\n MII=\n -----END SIGNED MESSAGE-----';
  write('.git/signed', `${git('cat-file', 'commit', 'HEAD')}\n`.replace('\n\n', `\ngpgsig ${armoured}\n\n`));
  const sha = git('hash-object', '-t', 'commit', '-w', '.git/signed');
  git('reset', '--quiet', sha);
  const signerOf = () => ({ issuer: 'https://issuer.example', subject: 'agent:fixer', claims: {}, sources: {} });
  const sourcesBy = async (verify?: () => void) => {
    const signatures = verify === undefined ? { signerOf } : { signerOf, verify };
    const { findings, problems } = await review(folder, { signatures, issuer: 'https://issuer.example' });
    return [findings.flatMap(({ sources }) => sources), problems.map(({ code, path }) => [code, path])];
  };
  expect(await sourcesBy()).toEqual([['signature-unverified'], []]);
  expect(await sourcesBy(() => {})).toEqual([['signature'], []]);
  const refuse = () => {
    throw Object.assign(new Error('another commit'), { code: 'artifact.mismatch' });
  };
  expect(await sourcesBy(refuse)).toEqual([['signature-unverified'], [['artifact.mismatch', sha]]]);
});
