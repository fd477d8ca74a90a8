import { unsharedLineBreak } from '@colophon/notation';
import {
  type Document,
  isMap,
  isScalar,
  LineCounter,
  type Node,
  type ParsedNode,
  parseAllDocuments,
  type Range,
  visit,
  type YAMLError,
} from 'yaml';
import { parseApiJson } from '../api-json/api-json.ts';
import { type ManifestFileIssue, type ManifestFileIssueCode, manifestFileIssue } from './manifest-file-issue.ts';

/** Bytes of one file. */
export const MAX_MANIFEST_BYTES = 8 * 1024 * 1024;

const MAX_DEPTH = 128;
const MOST_ALIASES = 1_000;
/** Values of one document, each as often as aliases repeat it. */
const MOST_VALUES = 1_000_000;
const MOST_ISSUES = 20;
const MERGE = '<<';
/**
 * A line that kubectl, Helm or an older kubectl takes for the beginning of a document, and YAML for content: kubectl wants
 * nothing behind `---` but a comment, and space of any alphabet or none before it.
 * @see YAMLReader of k8s.io/apimachinery/pkg/util/yaml
 */
const OTHER_SEPARATOR = /^---(?![ \t]*$|[ \t]+#)/m;

/** What is looked for in the text itself, in this order, since no parser tells of it. */
const OTHERWISE_READ: ReadonlyArray<readonly [find: (text: string) => number | undefined, found: string]> = [
  [unsharedLineBreak, 'a line break that not every reader takes for one'],
  [(text) => OTHER_SEPARATOR.exec(text)?.index, 'a line that begins with --- and goes on with more than a comment'],
];

/** The documents of a file as plain data, for `manifestImages`; or why they cannot be read. */
export type ReadManifest =
  | { readonly ok: true; readonly documents: readonly unknown[] }
  | { readonly ok: false; readonly issues: readonly ManifestFileIssue[] };

/**
 * Reads a file of Kubernetes objects: JSON, or YAML 1.2 (core schema) with any number of documents, aliases and merges.
 * What kubectl could read otherwise is refused: a key twice, a key with a tag, a merge behind other keys, line breaks of YAML
 * 1.1, content in the line of a document marker. Never throws.
 */
export function readManifest(bytes: Uint8Array): ReadManifest {
  if (bytes.length > MAX_MANIFEST_BYTES) {
    return {
      ok: false,
      issues: [manifestFileIssue('manifest.too_large', { expected: `${MAX_MANIFEST_BYTES} bytes` })],
    };
  }
  const json = parseApiJson(bytes, { maxBytes: MAX_MANIFEST_BYTES, maxDepth: MAX_DEPTH });
  if (json.ok) return { ok: true, documents: [json.value] };
  try {
    return readYaml(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // No UTF-8; or nesting without end, which runs the parser out of stack; or an alias of nothing.
    return { ok: false, issues: [manifestFileIssue('manifest.syntax')] };
  }
}

type Place = (offset: number) => { readonly line: number; readonly column: number };

function readYaml(text: string): ReadManifest {
  const lines = new LineCounter();
  const place: Place = (offset) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const written: readonly Document.Parsed[] = parseAllDocuments(text, {
    lineCounter: lines,
    uniqueKeys: true,
    prettyErrors: false,
    merge: true,
    logLevel: 'silent',
  });
  for (const [find, found] of OTHERWISE_READ) {
    const offset = find(text);
    if (offset !== undefined) {
      return { ok: false, issues: [manifestFileIssue('manifest.syntax', { ...place(offset), found })] };
    }
  }
  const issues = written.flatMap((document) => issuesOf(document, place));
  if (issues.length > 0) return { ok: false, issues: issues.slice(0, MOST_ISSUES) };
  const documents: unknown[] = [];
  for (const document of written) {
    const value: unknown = document.toJS({ maxAliasCount: -1 });
    const at = place(document.range[0]);
    const size = sizeOf(value);
    if (size === undefined) return { ok: false, issues: [manifestFileIssue('manifest.syntax', at)] };
    if (size > MOST_VALUES) return { ok: false, issues: [manifestFileIssue('manifest.too_complex', at)] };
    documents.push(value);
  }
  return { ok: true, documents };
}

function issuesOf(document: Document.Parsed<ParsedNode>, place: Place): ManifestFileIssue[] {
  const issues = [...document.errors, ...document.warnings].map((problem) => problemIssue(problem, place));
  const note = (code: ManifestFileIssueCode, [offset]: Range, found?: string) =>
    issues.push(manifestFileIssue(code, { ...place(offset), ...(found === undefined ? {} : { found }) }));
  const { explicit, version } = document.directives.yaml;
  if (explicit && version !== '1.2') note('manifest.syntax', document.range, `%YAML ${version}`);
  let aliases = 0;
  visit(document, {
    // What a visitor returns would say where to go on.
    Alias: (_key, { range }) => {
      aliases += 1;
      if (aliases === MOST_ALIASES + 1) note('manifest.too_complex', range!, 'aliases');
    },
    Pair: (index, { key }, path) => {
      if (!isScalar(key)) note('manifest.syntax', (key as Node).range!, 'a key that is no scalar');
      else if (key.tag !== undefined) note('manifest.syntax', key.range!, 'a key with a tag');
      else if (index !== 0 && isMap(path.at(-1)) && key.source === MERGE) note('manifest.merge_not_first', key.range!);
    },
  });
  return issues;
}

/** The parser's messages repeat what stands there; its codes do not. */
function problemIssue({ code, pos: [offset] }: YAMLError, place: Place): ManifestFileIssue {
  if (code === 'DUPLICATE_KEY') return manifestFileIssue('manifest.duplicate_key', place(offset));
  const found = code.toLowerCase().replaceAll('_', ' ');
  return manifestFileIssue('manifest.syntax', { ...place(offset), found });
}

/**
 * How many values a document has, what aliases repeat counted as often; more than the most where it is too deep. Undefined
 * where something in it is no JSON, or stands in itself.
 */
function sizeOf(document: unknown): number | undefined {
  const known = new Map<object, number | undefined>();
  const count = (value: unknown, depth: number): number | undefined => {
    if (typeof value !== 'object' || value === null) return 1;
    if (depth > MAX_DEPTH) return Number.POSITIVE_INFINITY;
    // Undefined while it is being counted: then it stands in itself.
    if (known.has(value)) return known.get(value);
    if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) return undefined;
    known.set(value, undefined);
    let size = 1;
    for (const below of Object.values(value)) {
      const counted = count(below, depth + 1);
      if (counted === undefined) return undefined;
      size += counted;
    }
    known.set(value, size);
    return size;
  };
  return count(document, 1);
}
