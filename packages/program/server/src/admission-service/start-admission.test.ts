import { execFileSync, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import { expect, onTestFinished, test } from 'vitest';
import { startAdmission } from './start-admission.ts';

/** A folder with all that a webhook needs, and some lines more in its configuration. */
function written(lines: string): { readonly folder: string; readonly file: string } {
  const folder = temporaryFolder(onTestFinished);
  writeFileSync(join(folder, 'root.json'), JSON.stringify(new LocalSigstore().trustedRootJson()));
  writeFileSync(
    join(folder, 'shop.yaml'),
    'version: 1\nname: shop\nimages: ["ghcr.io/acme/**"]\nagent: { issuer: https://i.example, subject: agent:a }\n',
  );
  const file = join(folder, 'admission.yaml');
  writeFileSync(
    file,
    `listen: { address: 127.0.0.1, port: 0, drainSeconds: 0 }
trust: { roots: [root.json] }
policies: [shop.yaml]
mode: enforce
namespaces: { exclude: [colophon-system] }
${lines}
`,
  );
  return { folder, file };
}

async function start(file: string): Promise<void> {
  const running = await startAdmission({ file, env: {} });
  await running.close();
}

test.each([
  ['registryCredentials: env:UNSET', 'server.credentials_unusable', 'registryCredentials'],
  ['registryCredentials: file:none.json', 'server.credentials_unusable', 'registryCredentials'],
  ['data: shop.yaml', 'server.data_folder_unusable', '/shop.yaml cannot be made or written'],
  ['data: shop.yaml/below', 'server.data_folder_unusable', '/shop.yaml/below cannot be made or written'],
  ['decisionLog: none/decisions.jsonl', 'server.decision_log_unusable', '/none/decisions.jsonl cannot be written'],
  ['decisionLog: .', 'server.decision_log_unusable', 'cannot be written'],
])('a webhook with %s does not start', async (line, code, words) => {
  await expect(start(written(line).file)).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
});

test('a body that no endpoint of the webhook reads ends in time', async () => {
  const { file } = written('operations: { address: 127.0.0.1, port: 0 }');
  const running = await startAdmission({ file, env: {} });
  onTestFinished(() => running.close());
  const ended = [
    [running.addresses[0]!, 'POST /nothing'],
    [running.addresses[0]!, 'GET /validate'],
    [running.operations!, 'GET /livez'],
  ].map(([address, line]) => {
    const { hostname, port } = new URL(`http://${address}`);
    const socket = connect(Number(port), hostname, () =>
      socket.write(`${line} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{`),
    );
    onTestFinished(() => void socket.destroy());
    const sending = setInterval(() => socket.write('x'), 100);
    socket.on('data', () => {}).on('error', () => {});
    // Whether a byte was under way when it ended is the machine's affair.
    return new Promise<void>((resolve) => socket.on('close', () => resolve())).finally(() => clearInterval(sending));
  });
  expect(await Promise.all(ended)).toHaveLength(3);
});

test('a webhook starts before the reader of its log does', async () => {
  const { folder, file } = written('decisionLog: decisions');
  execFileSync('mkfifo', [join(folder, 'decisions')]);
  const running = await startAdmission({ file, env: {} });
  const reader = spawn('cat', [join(folder, 'decisions')], { stdio: 'ignore' });
  onTestFinished(() => void reader.kill());
  await running.close();
});

test('a webhook makes the folder and the log that its file names', async () => {
  const { folder, file } = written('data: state/admission\ndecisionLog: decisions.jsonl');
  await start(file);
  expect([existsSync(join(folder, 'state/admission')), existsSync(join(folder, 'decisions.jsonl'))]).toEqual([
    true,
    true,
  ]);
});
