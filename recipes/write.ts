// Writes what follows from the inputs and the script: the action, the component, and the tables of docs/ci-recipes.md.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recipeFiles } from './files.ts';

for (const [path, text] of recipeFiles()) writeFileSync(join(import.meta.dirname, '..', path), text);
