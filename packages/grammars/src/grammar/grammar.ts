import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Grammar, type GrammarName, type NodeType, READ, type Syntax } from '@colophon/similarity';
import { Language, Parser, type Tree } from 'web-tree-sitter';
import { GrammarError } from '../grammar-error/grammar-error.ts';

/** The longest text that is parsed, in UTF-16 units: its tree can take a hundred bytes for each of them. */
export const MOST_TEXT_LENGTH = 4 * 2 ** 20;
/** How long one text may take to parse; that much ordinary source takes about a second. */
const MOST_PARSE_MS = 10_000;

// Written out, so that who looks for unused dependencies finds them.
const LOCATE: Readonly<Record<GrammarName, () => string>> = {
  javascript: () => import.meta.resolve('tree-sitter-javascript/tree-sitter-javascript.wasm'),
  typescript: () => import.meta.resolve('tree-sitter-typescript/tree-sitter-typescript.wasm'),
  tsx: () => import.meta.resolve('tree-sitter-typescript/tree-sitter-tsx.wasm'),
  python: () => import.meta.resolve('tree-sitter-python/tree-sitter-python.wasm'),
  java: () => import.meta.resolve('tree-sitter-java/tree-sitter-java.wasm'),
  go: () => import.meta.resolve('tree-sitter-go/tree-sitter-go.wasm'),
  rust: () => import.meta.resolve('tree-sitter-rust/tree-sitter-rust.wasm'),
  c: () => import.meta.resolve('tree-sitter-c/tree-sitter-c.wasm'),
};

const loaded = new Map<GrammarName, Promise<Grammar>>();
let started: Promise<void> | undefined;

/**
 * Loads the grammar of a language once per process, in a few milliseconds; it stays in memory.
 * @throws GrammarError `grammar.unavailable`
 */
export function loadGrammar(name: GrammarName): Promise<Grammar> {
  let grammar = loaded.get(name);
  if (grammar === undefined) {
    grammar = load(name);
    loaded.set(name, grammar);
  }
  return grammar;
}

async function load(name: GrammarName): Promise<Grammar> {
  try {
    started ??= Parser.init();
    await started;
    const language = await Language.load(await readFile(fileURLToPath(LOCATE[name]())));
    const nodeTypes: NodeType[] = Array.from({ length: language.nodeTypeCount }, (_, id) => ({
      name: language.nodeTypeForId(id) ?? '',
      named: language.nodeTypeIsNamed(id),
    }));
    return { name, nodeTypes, parse: (text, plan) => parse(language, text, plan) };
  } catch (cause) {
    throw new GrammarError('grammar.unavailable', `the grammar of ${name} cannot be loaded`, { cause });
  }
}

/** @throws GrammarError `grammar.too_large`, `grammar.too_slow` */
function parse(language: Language, text: string, plan: Uint8Array): Syntax {
  if (text.length > MOST_TEXT_LENGTH) {
    throw new GrammarError('grammar.too_large', `${text.length} characters, and at most ${MOST_TEXT_LENGTH} are read`);
  }
  const deadline = performance.now() + MOST_PARSE_MS;
  // Its memory is not the garbage collector's; a parser for each text also forgets what a cancelled one was doing.
  const parser = new Parser();
  let tree: Tree | null = null;
  try {
    parser.setLanguage(language);
    tree = parser.parse(text, null, { progressCallback: () => performance.now() > deadline });
    if (tree === null) {
      throw new GrammarError('grammar.too_slow', `not read after ${MOST_PARSE_MS / 1000} seconds`);
    }
    return readTree(tree, plan, text.length);
  } finally {
    tree?.delete();
    parser.delete();
  }
}

// Every question to the cursor crosses into WebAssembly and back, and that is what reading a tree costs. So no node
// object is made, what is in a skipped node is not visited, and the end is asked for where it will be used.
function readTree(tree: Tree, plan: Uint8Array, length: number): Syntax {
  const nodes = new NodeList(length);
  let brokenEnd = 0;
  let unparsed = 0;
  const cursor = tree.walk();
  try {
    for (let isOpen = true; isOpen; ) {
      const type = cursor.nodeTypeId;
      const reading = type < plan.length ? plan[type]! : READ.pass;
      if (reading === READ.node) nodes.add(type, cursor.startIndex, 0);
      else if (reading >= READ.statement) nodes.add(type, cursor.startIndex, cursor.endIndex);
      // Numbers beyond the grammar's own are the parser's mark on what it could not read.
      if (type >= plan.length) {
        const end = cursor.endIndex;
        const start = Math.max(cursor.startIndex, brokenEnd);
        if (end > start) unparsed += end - start;
        brokenEnd = Math.max(brokenEnd, end);
      }
      if (reading !== READ.skip && reading < READ.text && cursor.gotoFirstChild()) continue;
      while (!cursor.gotoNextSibling()) {
        if (!cursor.gotoParent()) {
          isOpen = false;
          break;
        }
      }
    }
  } finally {
    cursor.delete();
  }
  return nodes.toSyntax(length === 0 ? 0 : unparsed / length);
}

/** Three numbers a node, in arrays that grow. */
class NodeList {
  #types: Uint16Array<ArrayBuffer>;
  #starts: Uint32Array<ArrayBuffer>;
  #ends: Uint32Array<ArrayBuffer>;
  #length = 0;

  constructor(textLength: number) {
    const room = Math.max(64, textLength >>> 2);
    this.#types = new Uint16Array(room);
    this.#starts = new Uint32Array(room);
    this.#ends = new Uint32Array(room);
  }

  add(type: number, start: number, end: number): void {
    if (this.#length === this.#types.length) this.#grow();
    this.#types[this.#length] = type;
    this.#starts[this.#length] = start;
    this.#ends[this.#length] = Math.max(start, end);
    this.#length += 1;
  }

  toSyntax(unparsed: number): Syntax {
    return {
      types: this.#types.subarray(0, this.#length),
      starts: this.#starts.subarray(0, this.#length),
      ends: this.#ends.subarray(0, this.#length),
      unparsed,
    };
  }

  #grow(): void {
    const room = this.#types.length * 2;
    const types = new Uint16Array(room);
    const starts = new Uint32Array(room);
    const ends = new Uint32Array(room);
    types.set(this.#types);
    starts.set(this.#starts);
    ends.set(this.#ends);
    this.#types = types;
    this.#starts = starts;
    this.#ends = ends;
  }
}
