import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DEFAULT_PREDICATE_BASE } from '@colophon/records';
import { openReceipt } from '../agent-run/run-records.ts';
import { describeRun } from '../agent-run/run-summary.ts';
import { observe } from '../agent-run/run-witness.ts';
import { EXIT } from '../exit-code/exit-code.ts';
import type { Scene } from './scene.ts';

/** What answers in place of the model that was asked for. */
const SERVED = 'claude-haiku-4-5-20251001';

/** A run behind a witness, in which another model answers than was configured: shown, and refused. */
export async function playWitness({ stage, issuer }: Scene, env: NodeJS.ProcessEnv, prompt: string): Promise<void> {
  stage.chapter('Which model really answered');
  stage.step('The agent runs behind a witness; the provider answers with another model');
  const context = JSON.parse(await readFile('context.json', 'utf8')) as Record<string, string>;
  const provider = await startProvider();
  try {
    const observation = await observe(
      {
        issuer,
        agentName: context['agent_name']!,
        agentVersion: context['agent_version']!,
        promptHash: context['prompt_hash']!,
        policyPackHash: context['policy_pack_hash']!,
      },
      {},
      { ...env, ANTHROPIC_BASE_URL: provider.url },
      DEFAULT_PREDICATE_BASE,
    );
    // The agent: one request, as its client sends it.
    const answer = await fetch(`${observation.baseUrls.anthropic}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'the-agent-s-own' },
      body: JSON.stringify({
        model: context['model_id'],
        max_tokens: 1024,
        messages: [{ role: 'user', content: prompt }],
      }),
    });
    await answer.text();
    const { envelope, receipt } = openReceipt(await observation.end({ reason: 'exited', exitCode: 0 }));
    observation.close();
    await writeFile('run.receipt.json', JSON.stringify(envelope));
    stage.say(describeRun(receipt, { stdout: { write() {} }, stderr: { write() {} }, env: {} }).trimEnd());
  } finally {
    provider.close();
  }

  stage.step('The issuer has the receipt, and gives no token for the model that was configured');
  const sign = ['sign-blob', '--context', 'context.json', '--receipt', 'run.receipt.json'];
  await stage.refuse([...sign, '--bundle', 'observed.json', 'change.patch'], {
    code: 'issuer.refused',
    exitCode: EXIT.refused,
  });

  stage.step('For the model that answered it does, and says whose word that is');
  const answered = ['--model-id', SERVED, '--model-provider', 'self-hosted'];
  const token = await stage.run([
    ...['token', '--context', 'context.json', '--receipt', 'run.receipt.json'],
    ...answered,
  ]);
  const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, string>;
  const [source] = /model_id=[a-z-]+/.exec(claims['claim_sources'] ?? '') ?? [];
  stage.say(
    `${claims['model_id']} (${source}): this witness ran as the agent's user, so policies count its word as declared.`,
  );
}

/** A server that answers as a provider does, with its own choice of a model. */
async function startProvider(): Promise<{ readonly url: string; close(): void }> {
  const message = {
    id: 'msg_demo',
    type: 'message',
    role: 'assistant',
    model: SERVED,
    content: [{ type: 'text', text: 'Done.' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 41, output_tokens: 9 },
  };
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message));
  });
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
