import { afterAll, beforeAll } from 'vitest';
import { compareAsked, hearAsked } from './asked.ts';

// Vitest runs this for each file of tests; a module that a test imports is run once in a process.
beforeAll(hearAsked);
// biome-ignore lint/correctness/noEmptyPattern: Vitest reads the fixtures that are asked for from the pattern
afterAll(({}, suite) => compareAsked(suite));
