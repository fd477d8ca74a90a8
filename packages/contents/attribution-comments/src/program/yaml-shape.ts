import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  type ParsedNode,
  parseAllDocuments,
} from 'yaml';
import type { ProgramReading } from '../comment/program-reading.ts';

/**
 * Reads the documents of a YAML stream: values, keys, tags and anchors, without comments. Aliases are not followed.
 * @returns undefined where one of them has an error, or is no map or sequence: what is one text alone may be another format
 */
export function readYaml(text: string): ProgramReading | undefined {
  try {
    const documents = parseAllDocuments(text, { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' });
    if (!Array.isArray(documents) || documents.length === 0) return undefined;
    const shape: unknown[] = [];
    for (const one of documents as Document.Parsed[]) {
      if (one.errors.length > 0 || one.warnings.length > 0 || isScalar(one.contents)) return undefined;
      shape.push(one.directives?.yaml, one.directives?.tags, shapeOf(one.contents));
    }
    return { shape: JSON.stringify(shape) };
  } catch (error) {
    // Nested deeper than the stack is.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function shapeOf(node: unknown): unknown {
  if (isPair(node)) return ['pair', shapeOf(node.key), shapeOf(node.value)];
  if (isAlias(node)) return ['alias', node.source];
  if (isScalar(node)) return ['scalar', node.tag, node.anchor, node.type, node.source, String(node.value)];
  if (!isCollection(node)) return String(node);
  const { tag, anchor, flow, items } = node as ParsedNode & { items: unknown[]; flow?: boolean };
  return [isMap(node) ? 'map' : 'sequence', tag, anchor, flow === true, items.map(shapeOf)];
}
