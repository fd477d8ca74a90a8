import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runServer } from '../../test/running-server.ts';
import { startServer } from './start-server.ts';

test('a log whose key is lost is not served under another, and the trust files stay as they are', async () => {
  const { close, dataDir, paths, reviewerSecretFile } = await runServer(onTestFinished);
  await close();
  const before = readFileSync(paths.trustedRoot, 'utf8');
  const key = join(paths.keys, 'transparency-log.pem');
  rmSync(key);
  await expect(startServer({ dataDir, reviewerSecretFile })).rejects.toMatchObject({
    code: 'authority.log_key_mismatch',
    message: expect.stringContaining(key),
  });
  expect(readFileSync(paths.trustedRoot, 'utf8')).toBe(before);
  expect(existsSync(key)).toBe(false);
});
