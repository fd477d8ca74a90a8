import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@colophon/testkit';
import { afterAll, beforeAll, describe } from 'vitest';
import { FULL_REQUEST, type Installation, startColophon } from './colophon-up.ts';
import { tellStory } from './doc-story.ts';
import { isKubernetesMissing } from './kubernetes-server.ts';
import { isMissing, run } from './programs.ts';

describe.skipIf(isKubernetesMissing() || isMissing('crane', 'openssl', 'curl'))('docs/admission-webhook.md', () => {
  let up: Installation;
  const environment: Record<string, string> = {};

  beforeAll(async () => {
    up = await startColophon();
    const work = join(up.folder, 'work');
    mkdirSync(work);
    const ports = ['ETCD_PORT', 'PEER_PORT', 'API_PORT', 'WEBHOOK_PORT', 'OPERATIONS_PORT'];
    for (const name of ports) environment[name] = `${await freePort()}`;
    Object.assign(environment, up.env, {
      WORK: work,
      ISSUER: up.issuer,
      REGISTRY: up.registry,
      TRUSTED_ROOT: join(up.trust, 'trusted_root.json'),
      CONTEXT: JSON.stringify(FULL_REQUEST),
      COMMIT: FULL_REQUEST.commit_sha,
    });
  });
  afterAll(async () => {
    // Where the story did not come to its end; only what it started is in the file.
    await run('bash', ['-c', 'xargs -r kill <"$WORK/pids" 2>/dev/null'], { env: environment });
    await up?.stop();
  });

  tellStory('admission-webhook.md', () => environment);
});
