import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agentOfCommit } from './commit-agent.ts';

const DANA = { name: 'Dana', email: 'dana@example.com' };
const PROMPT = `sha256:${'5a'.repeat(32)}`;

function agentOf(trailers: string[], author = DANA, isOwn?: (text: string) => boolean) {
  const parsed = trailers.map((line) => {
    const [key = '', ...value] = line.split(': ');
    return { key, value: value.join(': ') };
  });
  return agentOfCommit({ author, committer: DANA, trailers: parsed }, isOwn);
}

describe('a trailer', () => {
  test.each([
    ['Co-Authored-By: Claude <noreply@anthropic.com>', { agent: 'claude' }],
    ['Co-authored-by: Claude Opus 4.5 <noreply@anthropic.com>', { agent: 'claude' }],
    ['Co-authored-by: Copilot <175728472+Copilot@users.noreply.github.com>', { agent: 'copilot' }],
    ['co-authored-by: Cursor <cursoragent@cursor.com>', { agent: 'cursor' }],
    ['Co-authored-by: aider (gpt-4o) <noreply@aider.chat>', { agent: 'aider', model: 'gpt-4o' }],
    ['Co-authored-by: Gemini CLI <gemini-cli-agent@google.com>', { agent: 'gemini' }],
    ['Assisted-by: GLM 4.6 via Crush <crush@charm.land>', { agent: 'crush' }],
    [
      'Co-authored-by: google-labs-jules[bot] <161369871+google-labs-jules[bot]@users.noreply.github.com>',
      { agent: 'jules' },
    ],
    ['Co-authored-by: Codex <codex@openai.com>', { agent: 'codex' }],
    ['Colophon-Agent: code-writer@2.4.1', { agent: 'code-writer', version: '2.4.1' }],
    ['AI-Agent: Code Writer', { agent: 'code-writer' }],
    ['Generated-by: Claude Code', { agent: 'claude-code' }],
    ['Assisted-by: Claude:claude-3-opus [coccinelle] [sparse]', { agent: 'Claude', model: 'claude-3-opus' }],
    ['Assisted-by: code-writer (large-model)', { agent: 'code-writer', model: 'large-model' }],
  ])('%s names an agent', (line, expected) => {
    expect(agentOf([line])).toMatchObject({ ...expected, source: 'trailer' });
  });

  test.each([
    'Co-authored-by: Claude Monet <claude@example.com>',
    'Co-authored-by: Jules <jules@example.com>',
    'Co-authored-by: Devin <devin@example.com>',
    'Co-authored-by: Ann <ann@example.com>',
    'Co-authored-by: Gemini Ganesan <gemini@example.com>',
    'Co-authored-by: Ann (copilot fan) <ann@example.com>',
    'Assisted-by: Ann <ann@example.com>',
    'Assisted-by: none',
    'Generated-by: ',
    'Reviewed-by: Claude <noreply@anthropic.com>',
    'Co-authored-by: x <evil-noreply@anthropic.com.example>',
  ])('%s names none', (line) => {
    expect(agentOf([line])).toBeUndefined();
  });

  test('adds what others know: model and prompt, and nobody who is said to have reviewed', () => {
    const lines = [
      'Colophon-Agent: a',
      'Colophon-Model: m-1',
      `Colophon-Prompt: ${PROMPT}`,
      'Reviewed-by: Ann <ann@example.com>',
    ];
    expect(agentOf(lines)).toEqual({
      agent: 'a',
      model: 'm-1',
      prompt: PROMPT,
      source: 'trailer',
    });
  });

  test('cannot put code into a comment', () => {
    const lines = [
      'AI-Agent: x */ evil() /*',
      'Colophon-Model: m*/evil',
      'Colophon-Prompt: sha256:x',
      'Reviewed-by: a*/b@example.com',
    ];
    expect(agentOf(lines)).toEqual({ agent: 'x-evil', source: 'trailer' });
    expect(agentOf(['AI-Agent: */-->'])).toEqual({ agent: 'unnamed-agent', source: 'trailer' });
  });

  test('says more than the author, who may be an agent too', () => {
    const author = { name: 'copilot-swe-agent[bot]', email: '198982749+Copilot@users.noreply.github.com' };
    expect(agentOf([], author)).toEqual({ agent: 'copilot', source: 'author' });
    expect(agentOf([], { ...DANA, name: 'Dana (aider)' })).toEqual({ agent: 'aider', source: 'author' });
    expect(agentOf(['Colophon-Agent: other'], author)).toMatchObject({ agent: 'other', source: 'trailer' });
  });
});

test('agents of one’s own are matched as a whole', () => {
  const isOwn = (text: string) => text === 'acme-bot@example.com';
  expect(agentOf(['Co-authored-by: Acme Bot <acme-bot@example.com>'], DANA, isOwn)).toMatchObject({
    agent: 'acme-bot',
  });
  expect(agentOf(['Co-authored-by: Acme Bot <acme-bot2@example.com>'], DANA, isOwn)).toBeUndefined();
});

test('no commit makes it throw or take long', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.string(), (lines, name) => void agentOf(lines, { name, email: name })),
  );
  expect(agentOf([`Co-authored-by: ${' '.repeat(2_000_000)}<`, `AI-Agent: ${'a('.repeat(1_000_000)}`])).toBeUndefined();
});
