// What an index exports and no other package imports. knip takes every index as used.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LIBRARIES } from '../release/libraries/libraries.ts';
import { packageFolders } from './packages.ts';

/** Types that no source names and declarations do: the compiler writes them out where a package is published. */
const NAMED_IN_DECLARATIONS: readonly string[] = ['fault FaultClass'];

/** What an index hands on. */
const EXPORT_LIST = /^export (?:type )?\{([^}]*)\}/gm;
const IMPORT = /\b(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s*from\s*'@colophon\/([\w/-]+)'/g;
const LOADED = /\bconst \{([^}]*)\} = await import\('@colophon\/([\w/-]+)'\)/g;

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** The names in a list between braces, as the module that they are of calls them. */
function namesIn(list: string, side: 'first' | 'last'): string[] {
  return list
    .split(',')
    .map((one) => one.trim().replace(/^type\s+/, ''))
    .filter((one) => one !== '')
    .map((one) => one.split(/\s+as\s+|\s*:\s*/).at(side === 'first' ? 0 : -1)!);
}

/** Every export of a private package below `root/packages` that nobody else imports, as `package name`. */
export function unusedExports(root: string): string[] {
  const used = new Set<string>();
  for (const folder of ['packages', 'bench', 'interop', 'release', 'tools']) {
    for (const file of sourceFiles(join(root, folder))) {
      const text = readFileSync(file, 'utf8');
      for (const pattern of [IMPORT, LOADED]) {
        for (const [, list = '', from] of text.matchAll(pattern)) {
          for (const name of namesIn(list, 'first')) used.add(`${from} ${name}`);
        }
      }
    }
  }
  return [...packageFolders(root)]
    .filter(([name]) => name !== 'testkit' && !LIBRARIES.includes(name))
    .flatMap(([name, folder]) => {
      const { exports = {} } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
      return Object.entries<string>(exports).flatMap(([entry, path]) => {
        const text = readFileSync(join(root, folder, path), 'utf8');
        const listed = [...text.matchAll(EXPORT_LIST)].flatMap(([, list = '']) => namesIn(list, 'last'));
        return listed.map((one) => `${name}${entry.slice(1)} ${one}`);
      });
    })
    .filter((one) => !used.has(one) && !NAMED_IN_DECLARATIONS.includes(one));
}
