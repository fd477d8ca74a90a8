// A small coding agent: asks the model for a change with the official client, writes the file that the model's tool call names, and
// commits it. Arguments: the model to ask for, the prompt.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import Anthropic from '@anthropic-ai/sdk';

const [model, prompt] = process.argv.slice(2);
const client = new Anthropic({ maxRetries: 0 });
const message = await client.messages
  .stream({ model, max_tokens: 512, messages: [{ role: 'user', content: prompt }] })
  .finalMessage();
for (const block of message.content) {
  if (block.type === 'tool_use') writeFileSync(block.input.path, block.input.content);
}
const git = (...words) =>
  execFileSync('git', ['-c', 'user.name=agent', '-c', 'user.email=agent@example.com', ...words]);
git('add', '--all');
git('commit', '--quiet', '-m', 'Change by the agent');
process.stdout.write(`${message.model}\n`);
