import { posix } from 'node:path';
import { type DeclarationModule, parseDeclarations } from './declarations.ts';
import type { EmittedLibrary } from './emit.ts';

/**
 * Everything that a program can name or receive of a library, as one text: for each entry the names that it exports,
 * then the declarations that these lead to, by module. What is not reached from an entry is not in it, so that a
 * change inside the library does not show, and a change of a public name does.
 * @param entries - what is imported, and its module, as `index.d.ts`
 */
export function apiReport(
  library: EmittedLibrary,
  entries: ReadonlyArray<readonly [specifier: string, module: string]>,
): string {
  const reached = new ReachedDeclarations(library);
  const lists = entries.map(([specifier, module]) => {
    const names = reached.exportsOf(module).sort();
    for (const name of names) reached.addExport(module, name);
    return `## ${specifier}\n\n${names.map((name) => `- \`${name}\`\n`).join('')}`;
  });
  return `${lists.join('\n')}\n${reached.report()}`;
}

class ReachedDeclarations {
  readonly #library: EmittedLibrary;
  readonly #modules = new Map<string, DeclarationModule>();
  readonly #reached = new Map<string, Set<string>>();
  readonly #foreign = new Map<string, Set<string>>();

  constructor(library: EmittedLibrary) {
    this.#library = library;
  }

  exportsOf(path: string): string[] {
    const { exported, handedOn } = this.#module(path);
    return [...exported.keys(), ...handedOn.flatMap((from) => this.exportsOf(resolved(path, from)))];
  }

  /** @returns whether the module has it */
  addExport(path: string, name: string): boolean {
    if (name === '*') return this.exportsOf(path).map((one) => this.addExport(path, one)).length > 0;
    const { exported, handedOn } = this.#module(path);
    const found = exported.get(name);
    if (found === undefined) return handedOn.some((from) => this.addExport(resolved(path, from), name));
    this.#follow(path, found);
    return true;
  }

  report(): string {
    const imports = inOrder(this.#foreign).map(
      ([from, names]) => `import type { ${[...names].sort().join(', ')} } from '${from}';\n`,
    );
    const modules = inOrder(this.#reached).map(([path, names]) => {
      const { declared } = this.#module(path);
      const texts = [...names].map((name) => declared.get(name)!).sort((a, b) => a.order - b.order);
      return `### ${path.replace(/\.d\.ts$/, '')}\n\n\`\`\`ts\n${texts.map(({ text }) => text).join('\n')}\n\`\`\`\n`;
    });
    const foreign = imports.length === 0 ? [] : [`## From elsewhere\n\n\`\`\`ts\n${imports.join('')}\`\`\`\n`];
    return [...foreign, '## Declarations\n', ...modules].join('\n');
  }

  #module(path: string): DeclarationModule {
    const known = this.#modules.get(path);
    if (known !== undefined) return known;
    const text = this.#library.files.get(path);
    if (text === undefined) throw new Error(`there is no ${path}`);
    const parsed = parseDeclarations(text);
    this.#modules.set(path, parsed);
    return parsed;
  }

  /** A name as it is used in the module at `path`: declared there, imported there, or of the language. */
  #follow(path: string, name: string | { readonly from: string; readonly name: string }): void {
    if (typeof name === 'string') {
      const { declared, imported } = this.#module(path);
      const declaration = declared.get(name);
      if (declaration === undefined) {
        const origin = imported.get(name);
        if (origin !== undefined) this.#follow(path, origin);
        return;
      }
      const names = this.#reached.get(path) ?? new Set();
      this.#reached.set(path, names);
      if (names.has(name)) return;
      names.add(name);
      for (const reference of declaration.references) this.#follow(path, reference);
    } else if (name.from.startsWith('.')) {
      if (!this.addExport(resolved(path, name.from), name.name))
        throw new Error(`${path}: ${name.from} does not export ${name.name}`);
    } else {
      this.#foreign.set(name.from, (this.#foreign.get(name.from) ?? new Set()).add(name.name));
    }
  }
}

function resolved(path: string, from: string): string {
  return posix.join(posix.dirname(path), from).replace(/\.js$/, '.d.ts');
}

function inOrder<Value>(map: ReadonlyMap<string, Value>): Array<[string, Value]> {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
