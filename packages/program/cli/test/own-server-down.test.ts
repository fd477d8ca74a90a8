import { expect, onTestFinished, test } from 'vitest';
import { CONTEXT, install, policyText } from './installation.ts';

test('where our own server does not answer, the next command starts it', async () => {
  const undo: Array<() => void | Promise<void>> = [];
  const here = await install((step) => undo.push(step));
  const image = await here.push('webshop');
  const policy = here.file('policy.yaml', policyText(here.url, here.registry));
  // The folder goes last; the server is what was started last.
  await undo.pop()?.();
  onTestFinished(async () => {
    for (const step of undo.reverse()) await step();
  });
  for (const line of [
    ['attachments', image],
    ['verify', image, ...here.pinned],
    ['admit', image, '--policy', policy],
    ['sign', image, ...CONTEXT],
    ['log', 'search', '--sha', 'a'.repeat(64)],
  ]) {
    expect([line[0], await here.refusal(...line)]).toMatchObject([
      line[0],
      { exitCode: 3, next: expect.stringMatching(/^colophon up/) },
    ]);
  }
  // Another machine's registry is not started here.
  const elsewhere = await here.refusal('attachments', `localhost:1/webshop@${image.split('@')[1]}`);
  expect(elsewhere).toMatchObject({ exitCode: 3, code: 'registry.unreachable' });
  expect(elsewhere).not.toHaveProperty('next');
});
