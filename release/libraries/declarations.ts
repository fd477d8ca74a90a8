import { parseAst } from 'rolldown/parseAst';

/** Where a name comes from: another module, and what it is called there; `*` for all of it. */
type Origin = { readonly from: string; readonly name: string };

/** One declaration with the comment above it. */
export type Declaration = {
  readonly text: string;
  readonly order: number;
  readonly references: readonly (string | Origin)[];
};

/** The declarations of one module by their local names. */
export type DeclarationModule = {
  readonly declared: ReadonlyMap<string, Declaration>;
  readonly imported: ReadonlyMap<string, Origin>;
  /** By the name outside: the local name, or where it is handed on from. */
  readonly exported: ReadonlyMap<string, string | Origin>;
  /** Modules of which everything is handed on. */
  readonly handedOn: readonly string[];
};

type Node = { readonly type: string; readonly start: number; readonly end: number; readonly [member: string]: unknown };

/** Reads the text of a declaration file. */
export function parseDeclarations(text: string): DeclarationModule {
  const declared = new Map<string, Declaration>();
  const imported = new Map<string, Origin>();
  const exported = new Map<string, string | Origin>();
  const handedOn: string[] = [];
  let end = 0;
  for (const statement of parseAst(text, { lang: 'dts' }).body as unknown as Node[]) {
    const from = (statement['source'] as { value: string } | null)?.value;
    const specifiers = (statement['specifiers'] ?? []) as Node[];
    if (statement.type === 'ImportDeclaration') {
      for (const one of specifiers) imported.set(nameOf(one['local']), { from: from!, name: importedName(one) });
    } else if (statement.type === 'ExportAllDeclaration') {
      handedOn.push(from!);
    } else {
      for (const one of specifiers) {
        const name = nameOf(one['local']);
        exported.set(nameOf(one['exported']), from === undefined ? name : { from, name });
      }
      const declaration = (statement['declaration'] ?? statement) as Node;
      for (const name of declaredNames(declaration)) {
        const before = declared.get(name);
        const own = text.slice(end, statement.end).trim();
        declared.set(name, {
          text: before === undefined ? own : `${before.text}\n${own}`,
          order: before?.order ?? statement.start,
          references: [...(before?.references ?? []), ...references(declaration)],
        });
        if (declaration !== statement) exported.set(name, name);
      }
    }
    end = statement.end;
  }
  return { declared, imported, exported, handedOn };
}

function nameOf(node: unknown): string {
  const { name, value } = node as { name?: string; value?: string };
  return name ?? value!;
}

function importedName(specifier: Node): string {
  return specifier.type === 'ImportSpecifier' ? nameOf(specifier['imported']) : '*';
}

function declaredNames(declaration: Node): string[] {
  if (declaration.type === 'VariableDeclaration')
    return (declaration['declarations'] as Node[]).map(({ id }) => nameOf(id));
  return declaration['id'] ? [nameOf(declaration['id'])] : [];
}

/** Every identifier in a declaration that may be the name of another one; more than are is no harm. */
function references(node: unknown): (string | Origin)[] {
  if (Array.isArray(node)) return node.flatMap(references);
  if (typeof node !== 'object' || node === null) return [];
  const { type, name, key, computed, ...others } = node as Node;
  if (type === 'Identifier') return [name as string, ...references(others)];
  if (type === 'TSImportType') {
    const { source, qualifier, ...rest } = others as unknown as Record<string, Node>;
    const first = qualifier === undefined || qualifier === null ? '*' : firstName(qualifier);
    return [{ from: source!['value'] as string, name: first }, ...references(rest)];
  }
  return [...(computed === true ? references(key) : []), ...references(Object.values(others))];
}

function firstName(qualifier: Node): string {
  return qualifier.type === 'TSQualifiedName' ? firstName(qualifier['left'] as Node) : nameOf(qualifier);
}
