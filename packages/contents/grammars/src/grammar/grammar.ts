import { type Grammar, type GrammarName, type NodeType, READ, type Syntax } from '@colophon/similarity';
import type { Tree } from 'web-tree-sitter';
import { onceEach } from '../once-each/once-each.ts';
import { loadTreeLanguage, withTree } from '../tree/tree.ts';

/**
 * Loads the grammar of a language once per process, in a few milliseconds; it stays in memory.
 * @throws GrammarError `grammar.unavailable`
 */
export const loadGrammar: (name: GrammarName) => Promise<Grammar> = onceEach(load);

async function load(name: GrammarName): Promise<Grammar> {
  const language = await loadTreeLanguage(name);
  const nodeTypes: NodeType[] = Array.from({ length: language.nodeTypeCount }, (_, id) => ({
    name: language.nodeTypeForId(id) ?? '',
    named: language.nodeTypeIsNamed(id),
  }));
  const parse = (text: string, plan: Uint8Array) =>
    withTree(language, text, (tree) => readTree(tree, plan, text.length));
  return { name, nodeTypes, parse };
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
