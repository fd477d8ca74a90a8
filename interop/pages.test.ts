import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe } from 'vitest';
import { type Installation, mint, startColophon } from './colophon-up.ts';
import { tellStory } from './doc-story.ts';
import { isMissing } from './programs.ts';

const PAGES = 'token-requests reviews dual-signing callers ledger history keys evidence explain up'.split(' ');

describe.skipIf(isMissing('curl')).each(PAGES)('the command lines of docs/%s.md', (page) => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await startColophon();
    if (page === 'history') await firstCheckpoint(installation.issuer);
    mkdirSync(join(installation.folder, 'work'));
  });
  afterAll(() => installation?.stop());

  tellStory(`${page}.md`, () => ({
    ...installation.env,
    ISSUER: installation.issuer,
    WORK: join(installation.folder, 'work'),
  }));
});

/** A ledger without rows has none. */
async function firstCheckpoint(issuer: string): Promise<void> {
  await mint(issuer);
  while ((await fetch(`${issuer}/ledger/checkpoint`)).status !== 200) await setTimeout(100);
}
