// Compares what each published library declares with its committed api.md; with `write`, writes these files.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiReport } from './api-report.ts';
import { emitLibraries } from './emit.ts';
import { publishedLibraries } from './libraries.ts';

/** The page of each library, by its path in the repository at `root`. */
export function apiPages(root: string): ReadonlyMap<string, string> {
  const scratch = mkdtempSync(join(tmpdir(), 'colophon-libraries-'));
  try {
    const libraries = publishedLibraries(root);
    const emitted = emitLibraries(root, scratch, libraries);
    return new Map(
      libraries.map(({ name, folder, manifest, entries }) => {
        const modules = Object.entries(entries).map(
          ([entry, source]) =>
            [manifest.name + entry.slice(1), source.replace('./src/', '').replace(/\.ts$/, '.d.ts')] as const,
        );
        const report = apiReport(emitted.get(name)!, modules);
        return [`${folder}/api.md`, `# What ${manifest.name} declares\n\n${MADE_BY}\n\n${report}`];
      }),
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

const MADE_BY = 'Written by `npx node release/libraries/api.ts write`; `npm run check` compares.';

if (import.meta.main) {
  const root = join(import.meta.dirname, '../..');
  for (const [path, page] of apiPages(root)) {
    const file = join(root, path);
    if (existsSync(file) && readFileSync(file, 'utf8') === page) continue;
    if (process.argv[2] === 'write') writeFileSync(file, page);
    else {
      console.error(
        `${path}: the library declares something else; see \`git diff\` after \`npx node release/libraries/api.ts write\``,
      );
      process.exitCode = 1;
    }
  }
}
