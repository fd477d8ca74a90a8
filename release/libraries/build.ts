import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { emitLibraries, inScope } from './emit.ts';
import { publishedLibraries, withDependencies } from './libraries.ts';
import { publishedManifest } from './manifest.ts';
import { PUBLISHED } from './names.ts';
import { publishedReadme } from './readme.ts';

/**
 * Builds every library that others may install into a folder of its own below `target`, as `npm pack` packs it.
 * @param root - of the repository
 */
export function buildLibraries(root: string, target: string): void {
  const libraries = publishedLibraries(root);
  const emitted = emitLibraries(root, join(target, '.emitted'), libraries);
  const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const library of libraries) {
    const { name } = library;
    const source = join(root, library.folder);
    const folder = join(target, name);
    rmSync(folder, { recursive: true, force: true });
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), inScope(text, PUBLISHED.scope));
    };
    const { files, sources } = emitted.get(name)!;
    for (const [path, text] of files) write(`lib/${path}`, text);
    for (const path of sources) write(`src/${path}`, readFileSync(join(source, 'src', path), 'utf8'));
    const manifest = publishedManifest(library, PUBLISHED, repository);
    write('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
    const installed = withDependencies(libraries, name).map((one) => one.name);
    const readme = readFileSync(join(source, 'README.md'), 'utf8');
    write('README.md', publishedReadme(readme, { names: installed, node: manifest.engines.node }, PUBLISHED));
    copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  }
}
