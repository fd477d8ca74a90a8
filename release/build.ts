// Builds what is published on npm into dist/npm: `npm run build`.
import { buildProgram } from './program/build-program.ts';

await buildProgram();
