import { type Issue, jsonPointer } from '@colophon/json';
import { unsharedLineBreak } from '@colophon/notation';
import { isCollection, isMap, isNode, isScalar, LineCounter, parseAllDocuments, visit, type YAMLError } from 'yaml';

/** Longest policy file, in UTF-16 units. */
export const MAX_POLICY_LENGTH = 64 * 1024;

/** A hostile file must not buy an answer larger than itself. */
export const MOST_ISSUES = 50;

/** What keeps a file from being read at all. */
export const POLICY_SYNTAX_CODES = [
  'policy.too_large',
  'policy.syntax',
  'policy.duplicate_key',
  'policy.alias',
  'policy.several_documents',
] as const;
export type PolicySyntaxCode = (typeof POLICY_SYNTAX_CODES)[number];

/** One thing that is wrong with a policy file, and where it stands. */
export type PolicyIssue<Code extends string = string> = Issue & {
  readonly code: Code;
  /** Counted from 1; absent only where the file could not be read at all. */
  readonly line?: number;
  readonly column?: number;
};

type Path = readonly (string | number)[];

/** One YAML document as plain data, and where in the file its parts stand. */
export type PolicyDocument = {
  readonly data: unknown;
  /** The issue with the line and column of the value, or of what surrounds it where there is no value. */
  issueAt<Code extends string>(path: Path, code: Code, message: string, expected?: string): PolicyIssue<Code>;
  /** The issue with the line and column of the key that a path ends with. */
  issueAtKey<Code extends string>(path: Path, code: Code, message: string, expected?: string): PolicyIssue<Code>;
};

/**
 * Reads YAML 1.2 (core schema) as data only: one document, no anchors' aliases, no tags of one's own, no key twice, and no
 * line break that only some readers take for one, wherever it stands.
 * Never throws.
 */
export function readPolicyDocument(
  text: string,
  mostCharacters: number = MAX_POLICY_LENGTH,
): PolicyDocument | { readonly issues: readonly PolicyIssue<PolicySyntaxCode>[] } {
  if (text.length > mostCharacters) {
    const message = 'the file is larger than a policy can be';
    return { issues: [{ path: '', code: 'policy.too_large', message, expected: `${mostCharacters} characters` }] };
  }
  try {
    return read(text);
  } catch {
    // Nesting without end runs the parser out of stack.
    return { issues: [{ path: '', code: 'policy.syntax', message: 'the file cannot be read as YAML' }] };
  }
}

function read(text: string): PolicyDocument | { readonly issues: readonly PolicyIssue<PolicySyntaxCode>[] } {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    uniqueKeys: true,
    prettyErrors: false,
    merge: false,
  });
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const [document, another] = 'empty' in documents ? [] : documents;
  if (document === undefined) {
    return { issues: [{ path: '', code: 'policy.syntax', message: 'the file is empty', line: 1, column: 1 }] };
  }
  const issues: PolicyIssue<PolicySyntaxCode>[] = [];
  const note = (code: PolicySyntaxCode, message: string, offset: number) =>
    issues.push({ path: '', code, message, ...place(offset) });
  const unshared = unsharedLineBreak(text);
  if (unshared !== undefined) {
    note('policy.syntax', 'a line break that not every reader of YAML takes for one: use a line feed', unshared);
  }
  if (another !== undefined) {
    note('policy.several_documents', 'one file holds one policy', another.range[0]);
  }
  for (const problem of [...document.errors, ...document.warnings]) {
    note(codeOf(problem), firstLine(problem.message), problem.pos[0]);
  }
  visit(document, {
    // What a visitor returns would say where to go on.
    Alias: (_key, { range }) => {
      note('policy.alias', 'aliases are not read: write the value again', range?.[0] ?? 0);
    },
    Pair: (_key, { key }) => {
      if (isCollection(key)) note('policy.syntax', 'a key is one word, not a map or a list', key.range?.[0] ?? 0);
    },
  });
  if (issues.length > 0) return { issues: issues.slice(0, MOST_ISSUES) };
  const offsetOfValue = (path: Path): number => {
    for (let length = path.length; length >= 0; length -= 1) {
      const node = document.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range) return node.range[0];
    }
    return 0;
  };
  const offsetOfKey = (path: Path): number => {
    const parent = document.getIn(path.slice(0, -1), true);
    const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1)) : undefined;
    return isScalar(pair?.key) && pair.key.range ? pair.key.range[0] : offsetOfValue(path);
  };
  const issue =
    (offsetOf: (path: Path) => number): PolicyDocument['issueAt'] =>
    (path, code, message, expected) => ({
      path: jsonPointer(path),
      code,
      message,
      ...(expected === undefined ? {} : { expected }),
      ...place(offsetOf(path)),
    });
  return { data: document.toJS(), issueAt: issue(offsetOfValue), issueAtKey: issue(offsetOfKey) };
}

function codeOf(problem: YAMLError): PolicySyntaxCode {
  return problem.code === 'DUPLICATE_KEY' ? 'policy.duplicate_key' : 'policy.syntax';
}

function firstLine(message: string): string {
  return message.split('\n')[0] ?? '';
}
