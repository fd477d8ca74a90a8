import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fences } from '../tools/doc-fences.ts';
import {
  BUILD_PROVENANCE,
  FULL_REQUEST,
  type Installation,
  mint,
  RUN_PREDICATE,
  startColophon,
} from './colophon-up.ts';
import { pushImage } from './images.ts';
import { isMissing, shell } from './programs.ts';

const LINES = fences(join(import.meta.dirname, '..', 'docs', 'cosign.md'), 'run').map((fence) => fence.text.trim());

describe.skipIf(isMissing('cosign', 'crane', 'curl'))('the command lines of docs/cosign.md', () => {
  test('there are fifteen and more of them', () => {
    expect(LINES.length).toBeGreaterThanOrEqual(15);
  });

  describe.each(['colophon', 'cosign'])('as %s', (program) => {
    let installation: Installation;
    let env: Record<string, string>;
    let cwd: string;

    beforeAll(async () => {
      installation = await startColophon();
      cwd = installation.folder;
      const image = await pushImage(installation, 'webshop');
      env = {
        ...installation.env,
        TRUST: installation.trust,
        ISSUER: installation.issuer,
        TYPE: 'https://colophon.example/predicates/agent-run/v1',
        IMAGE: image.reference,
        COSIGN_PASSWORD: 'correct-horse',
      };
      writeFileSync(join(cwd, 'app.tgz'), 'what an agent made');
      writeFileSync(join(cwd, 'agent-run.json'), JSON.stringify(RUN_PREDICATE));
      writeFileSync(join(cwd, 'provenance.json'), JSON.stringify(BUILD_PROVENANCE));
      const { createHash } = await import('node:crypto');
      const sha256 = createHash('sha256')
        .update(readFileSync(join(cwd, 'app.tgz')))
        .digest('hex');
      writeFileSync(
        join(cwd, 'statement.json'),
        JSON.stringify({
          _type: 'https://in-toto.io/Statement/v1',
          subject: [{ name: 'app.tgz', digest: { sha256 } }],
          predicateType: env['TYPE'],
          predicate: RUN_PREDICATE,
        }),
      );
    });
    afterAll(() => installation?.stop());

    // Later lines read what earlier ones wrote, as on the page.
    test.each(LINES.map((line, i) => [i + 1, line] as const))('%i. %s', async (_number, line) => {
      const token = await mint(installation.issuer, FULL_REQUEST);
      writeFileSync(join(cwd, 'token.jwt'), token);
      const outcome = await shell(line.replace(/\bcolophon (?=[a-z])/, `${program} `), {
        cwd,
        env: { ...env, TOKEN: token },
      });
      expect(outcome.code, `${outcome.stdout}\n${outcome.stderr}`).toBe(0);
    });
  });
});
