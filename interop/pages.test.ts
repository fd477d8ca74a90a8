import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { type Installation, startColophon } from './colophon-up.ts';
import { tellStory } from './doc-story.ts';
import { isMissing } from './programs.ts';

describe.skipIf(isMissing('curl')).each(['token-requests', 'reviews', 'callers', 'ledger', 'keys', 'evidence', 'up'])(
  'the command lines of docs/%s.md',
  (page) => {
    let installation: Installation;
    beforeAll(async () => {
      installation = await startColophon();
      mkdirSync(join(installation.folder, 'work'));
    });
    afterAll(() => installation?.stop());

    tellStory(`${page}.md`, () => ({
      ...installation.env,
      ISSUER: installation.issuer,
      WORK: join(installation.folder, 'work'),
    }));
  },
);
