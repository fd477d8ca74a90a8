import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CONTEXT, type Installation, install } from './installation.ts';
import { withoutVolatile } from './volatile.ts';

function document(here: Installation): string {
  const component = { type: 'application', name: 'web', version: '1.0.0' };
  return here.file('bom.json', { bomFormat: 'CycloneDX', specVersion: '1.7', version: 1, metadata: { component } });
}

async function expectGolden(here: Installation, name: string, line: readonly string[]): Promise<void> {
  const found = await here.document('sbom', ...line);
  // Signatures and certificates differ in length by a byte or two.
  for (const part of ['signature', 'bundle']) if (found.publication) found.publication[part].size = '<size>';
  const golden = withoutVolatile(found, { folder: here.folder, port: new URL(here.url).port });
  await expect(`${JSON.stringify(golden, null, 2)}\n`).toMatchFileSnapshot(`golden/${name}.json`);
}

test('what publishing, checking and fetching say to scripts is what it was', async () => {
  const here = await install(onTestFinished);
  const file = document(here);
  await expectGolden(here, 'sbom-publish', ['publish', file, ...CONTEXT]);
  await expectGolden(here, 'sbom-publish.check', ['publish', file, '--check', ...here.pinned]);
  const out = ['--out', join(here.folder, 'out.json')];
  await expectGolden(here, 'sbom-fetch', ['fetch', 'web', '--from', here.url, ...out, ...here.pinned]);
  await expectGolden(here, 'sbom-retention-check', ['retention', 'check']);
});

test('what restoring and deleting say to scripts is what it was', async () => {
  const here = await install(onTestFinished);
  const [place, backup] = [join(here.folder, 'data', 'sboms'), join(here.folder, 'backup')];
  await here.document('sbom', 'publish', document(here), ...CONTEXT);
  cpSync(place, backup, { recursive: true });
  rmSync(join(place, '.well-known', 'sbom', 'web-1.0.0.cdx.json.sig'));
  await expectGolden(here, 'sbom-retention-restore', ['retention', 'restore', '--from', backup]);
  // It is kept for three years.
  vi.useFakeTimers({ now: Date.now() + 4 * 366 * 24 * 3_600_000, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  await expectGolden(here, 'sbom-unpublish', ['unpublish', 'web@1.0.0']);
});
