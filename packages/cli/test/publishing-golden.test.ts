import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CONTEXT, install } from './installation.ts';
import { withoutVolatile } from './volatile.ts';

test('what publishing, checking and fetching say to scripts is what it was', async () => {
  const here = await install(onTestFinished);
  const component = { type: 'application', name: 'web', version: '1.0.0' };
  const document = { bomFormat: 'CycloneDX', specVersion: '1.7', version: 1, metadata: { component } };
  const file = here.file('bom.json', document);
  const lines = {
    'sbom-publish': ['publish', file, ...CONTEXT],
    'sbom-publish-check': ['publish', file, '--check', ...here.pinned],
    'sbom-fetch': ['fetch', 'web', '--from', here.url, '--out', join(here.folder, 'out.json'), ...here.pinned],
    'sbom-retention-check': ['retention', 'check'],
  };
  for (const [name, line] of Object.entries(lines)) {
    const found = await here.document('sbom', ...line);
    // Signatures and certificates differ in length by a byte or two.
    for (const part of ['signature', 'bundle']) if (found.publication) found.publication[part].size = '<size>';
    const golden = withoutVolatile(found, { folder: here.folder, port: new URL(here.url).port });
    await expect(`${JSON.stringify(golden, null, 2)}\n`).toMatchFileSnapshot(`golden/${name}.json`);
  }
});
