// Writes the manual pages of the program and of every command to a folder, dist/man unless another is named:
//   node tools/man.ts [FOLDER]
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manPages } from './man/man-pages.ts';

const ROOT = join(import.meta.dirname, '..');
const folder = process.argv[2] ?? join(ROOT, 'dist/man');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const pages = await manPages(ROOT);
for (const [name, text] of pages) writeFileSync(join(folder, name), text);
console.log(`${pages.size} pages in ${folder}`);
