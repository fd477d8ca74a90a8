// Where the npm program starts: what it carries lies in folders beside the bundle.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { forkFile, useCarrier } from '@colophon/assets';
import { main } from '../../../packages/program/cli/src/main.ts';

useCarrier({
  readAsset: (name) => readFileSync(join(import.meta.dirname, '../assets', name)),
  forkScript: (name, options) => forkFile(join(import.meta.dirname, `${name}.js`), options),
});

await main(process.argv.slice(2));
