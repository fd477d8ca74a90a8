import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { type Installation, startColophon } from './colophon-up.ts';
import { tellStory } from './doc-story.ts';
import { isMissing, run } from './programs.ts';

describe.skipIf(isMissing('gpg'))('VEX as docs/vex-signing.md tells it', () => {
  let installation: Installation;
  let gnupg: string;
  beforeAll(async () => {
    installation = await startColophon();
    mkdirSync(join(installation.folder, 'work'));
    // The socket of gpg's agent needs a short path.
    gnupg = mkdtempSync(join(tmpdir(), 'gpg-'));
  });
  afterAll(async () => {
    await installation?.stop();
    if (gnupg === undefined) return;
    await run('gpgconf', ['--kill', 'all'], { env: { GNUPGHOME: join(gnupg, 'home') } });
    rmSync(gnupg, { recursive: true, force: true });
  });

  tellStory('vex-signing.md', () => ({
    ...installation.env,
    WORK: join(installation.folder, 'work'),
    ISSUER: installation.issuer,
    GNUPGHOME: join(gnupg, 'home'),
  }));
});
