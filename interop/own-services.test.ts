import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fulcioConfig } from '../packages/identity/setup/src/fulcio-configuration/fulcio-configuration.ts';
import { FULL_REQUEST, type Installation, startColophon } from './colophon-up.ts';
import { tellStory } from './doc-story.ts';
import { isMissing } from './programs.ts';
import {
  makeCa,
  type SigstoreServer,
  startFulcio,
  startOpensslAuthority,
  startRekorTiles,
} from './sigstore-servers.ts';

describe.skipIf(isMissing('fulcio', 'rekor-tiles', 'cosign', 'openssl', 'curl'))('docs/own-services.md', () => {
  let up: Installation;
  const servers: SigstoreServer[] = [];
  let environment: Record<string, string> = {};

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'colophon-interop-'));
    await makeCa(folder);
    up = await startColophon({ folder, args: ['--ct-root', join(folder, 'root.pem')] });
    const fulcio = await startFulcio(up);
    const log = await startRekorTiles(folder);
    const timestamps = await startOpensslAuthority('P-256');
    servers.push(fulcio, log, timestamps);
    const work = join(folder, 'work');
    mkdirSync(work);
    writeFileSync(join(work, 'change.patch'), 'what an agent made');
    writeFileSync(join(work, 'context.json'), JSON.stringify(FULL_REQUEST));
    environment = {
      // Somebody who has nothing but the issuer's address.
      HOME: work,
      WORK: work,
      ISSUER: up.issuer,
      FULCIO: fulcio.url,
      REKOR: log.url,
      REKOR_KEY: log.trust,
      TIMESTAMPS: timestamps.url,
      TIMESTAMP_CHAIN: timestamps.trust,
      CT_LOG: up.issuer,
      CT_LOG_KEY: join(up.trust, 'ctfe.pub'),
    };
  });
  afterAll(async () => {
    for (const server of servers.reverse()) await server.stop();
    await up?.stop();
  });

  tellStory('own-services.md', () => environment);

  test('Fulcio ran with the file that init writes', () => {
    expect(readFileSync(join(environment['WORK']!, 'company', 'fulcio.yaml'), 'utf8')).toBe(fulcioConfig(up.issuer));
  });
});
