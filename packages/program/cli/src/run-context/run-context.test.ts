import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashPolicyPack, SOURCED_CLAIMS } from '@colophon/records';
import { temporaryFolder } from '@colophon/testkit';
import { Command } from 'commander';
import { expect, onTestFinished, test } from 'vitest';
import {
  hasContext,
  hashPolicyPackFiles,
  type RunContextFlags,
  readRunContext,
  readTokenRequest,
  withRunContext,
} from './run-context.ts';

const sha256 = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

function write(files: Record<string, string | Uint8Array>): Record<string, string> {
  const folder = temporaryFolder(onTestFinished);
  return Object.fromEntries(
    Object.entries(files).map(([name, content]) => {
      writeFileSync(join(folder, name), content);
      return [name, join(folder, name)];
    }),
  );
}

const flagsOf = (...args: string[]): RunContextFlags =>
  withRunContext(new Command().exitOverride().configureOutput({ writeErr: () => {} }))
    .parse(args, { from: 'user' })
    .opts();

const request = async (flags: RunContextFlags, env = {}) =>
  JSON.parse(new TextDecoder().decode(await readRunContext(flags, env)));

test('every flag sets the field of its name, and nothing else is sent', async () => {
  const flags = flagsOf(
    ...['--agent-name', 'a', '--agent-version', '1', '--model-id', 'm', '--model-provider', 'p', '--prompt-hash', 'h'],
    ...[
      '--policy-pack-hash',
      'k',
      '--human-reviewer',
      'e',
      '--review-timestamp',
      't',
      '--repo',
      'o/r',
      '--repo-uri',
      'u',
    ],
    ...['--commit-sha', 'c'],
  );
  expect(await request(flags)).toEqual({
    agent_name: 'a',
    agent_version: '1',
    model_id: 'm',
    model_provider: 'p',
    prompt_hash: 'h',
    policy_pack_hash: 'k',
    human_reviewer: 'e',
    review_timestamp: 't',
    repo: 'o/r',
    repo_uri: 'u',
    commit_sha: 'c',
  });
});

test('a commit is asked for by its purpose and its tree, by flags or in a file', async () => {
  const flags = flagsOf('--purpose', 'commit', '--tree-sha', 'd', '--parent-sha', 'e');
  expect(await request(flags)).toEqual({ purpose: 'commit', tree_sha: 'd', parent_sha: 'e' });
  const run = ['--agent-name', 'a', '--agent-version', '1', '--model-id', 'm', '--prompt-hash', 'h'];
  const whole = [...run, '--policy-pack-hash', 'k', '--purpose', 'commit'];
  await expect(readTokenRequest(flagsOf(...whole, '--human-reviewer', 'e'), {})).rejects.toMatchObject({
    code: 'cli.context_invalid',
    message: expect.stringContaining('tree_sha'),
  });
  expect(await readTokenRequest(flagsOf(...whole, '--tree-sha', 'd'), {})).toBeInstanceOf(Uint8Array);
});

test("a reviewer's token is none of a run", () => {
  const invalid = expect.objectContaining({ code: 'commander.invalidArgument' });
  expect(() => flagsOf('--purpose', 'review')).toThrow(invalid);
});

test('no flag at all is no context', async () => {
  expect(hasContext({})).toBe(false);
  expect(await readRunContext({}, {})).toBeUndefined();
});

test.each(['agentName', 'commitSha', 'context', 'prompt', 'policyPack'])('%s alone is a context', (flag) => {
  expect(hasContext({ [flag]: 'x' })).toBe(true);
});

test('prompt and policy pack are hashed here, and their texts are not sent', async () => {
  const { prompt = '', rules = '' } = write({ prompt: 'the very prompt\r\n', rules: 'rules:\n' });
  const sent = await request(flagsOf('--prompt', prompt, '--policy-pack', rules));
  expect(sent).toEqual({ prompt_hash: sha256('the very prompt\r\n'), policy_pack_hash: sha256('rules:\n') });
});

test('a policy pack of several files is hashed whatever their order', async () => {
  const { one = '', two = '' } = write({ one: '1', two: '2' });
  const hash = await hashPolicyPackFiles([one, two]);
  expect(hash).toBe(await hashPolicyPackFiles([two, one]));
  expect(hash).toBe(
    hashPolicyPack([
      { path: one, bytes: Buffer.from('1') },
      { path: two, bytes: Buffer.from('2') },
    ]),
  );
  await expect(hashPolicyPackFiles([one, one])).rejects.toMatchObject({ code: 'cli.usage' });
});

test('flags win over the context file, and that is taken with all that it says', async () => {
  const { context = '' } = write({ context: '{"agent_name":"a","model_id":"m","sub":"agent:root"}' });
  const expected = { agent_name: 'b', model_id: 'm', sub: 'agent:root' };
  expect(await request(flagsOf('--context', context, '--agent-name', 'b'))).toEqual(expected);
  expect(await request(flagsOf('--agent-name', 'b'), { COLOPHON_CONTEXT: context })).toEqual(expected);
  expect(await readRunContext({}, { COLOPHON_CONTEXT: '' })).toBeUndefined();
});

test.each([
  ['{"a":1', 'json.syntax'],
  ['{"a":1,"a":2}', 'json.duplicate_key'],
  ['\u{feff}{}', 'json.bom'],
  [new Uint8Array([0x7b, 0xff, 0x7d]), 'json.not_utf8'],
])('a context file that holds %j is refused with %s', async (content, code) => {
  const { context = '' } = write({ context: content });
  await expect(readRunContext({ context }, {})).rejects.toMatchObject({
    code: 'cli.context_invalid',
    kind: 'usage',
    facts: { checked: context, issues: [expect.objectContaining({ code })] },
  });
});

test.each(['[]', 'null', '"text"', '7'])('a context file that holds %s is no context', async (content) => {
  const { context = '' } = write({ context: content });
  await expect(readRunContext({ context }, {})).rejects.toMatchObject({ code: 'cli.context_invalid' });
});

test.each(['context', 'prompt', 'policyPack'] as const)(
  'a %s file that is not there, or a folder, is said',
  async (flag) => {
    const folder = temporaryFolder(onTestFinished);
    mkdirSync(join(folder, 'folder'));
    const flags = (path: string) => ({ [flag]: flag === 'policyPack' ? [path] : path });
    for (const name of ['missing', 'folder']) {
      const path = join(folder, name);
      const failure = { code: 'cli.file_unreadable', kind: 'usage', facts: { checked: path } };
      await expect(readRunContext(flags(path), {})).rejects.toMatchObject(failure);
    }
  },
);

test.each([
  { prompt: 'f', promptHash: 'h' },
  { policyPack: ['f'], policyPackHash: 'h' },
])('a hash beside its file (%j) is one too many', async (flags) => {
  await expect(readRunContext(flags, {})).rejects.toMatchObject({ code: 'cli.usage' });
});

test.each(SOURCED_CLAIMS)('the claim %s has a flag, and the flag sets it', async (claim) => {
  const option = withRunContext(new Command()).options.find(({ long }) => long === `--${claim.replaceAll('_', '-')}`);
  expect(option).toBeDefined();
  expect(await request({ [option!.attributeName()]: 'a value' })).toEqual({ [claim]: 'a value' });
});
