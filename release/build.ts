// Builds what is published on npm into dist/npm: `npm run build`.
import { join } from 'node:path';
import { buildLibraries } from './libraries/build.ts';
import { DIST, ROOT } from './names.ts';
import { buildProgram } from './program/build-program.ts';

await buildProgram();
buildLibraries(ROOT, join(DIST, 'npm'));
