import { type Issue, isJsonObject, type ParseResult, parsePointer } from '@colophon/json';
import type { PatchIssueCode } from './patch-issue.ts';

/** One operation of a JSON Patch. @see RFC 6902 §4 */
export type PatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly path: string; readonly from: string };

/** What one patch may hold. */
export const MAX_OPERATIONS = 100_000;

const OPS = ['add', 'replace', 'test', 'remove', 'move', 'copy'];

/**
 * A JSON Patch as it was read from a file.
 * @returns the operations, or every issue with code `patch.operation_invalid`
 * @see RFC 6902
 */
export function parsePatch(document: unknown): ParseResult<readonly PatchOperation[]> {
  if (!Array.isArray(document) || document.length > MAX_OPERATIONS) {
    return { ok: false, issues: [invalid('', `a JSON Patch is a list of at most ${MAX_OPERATIONS} operations`)] };
  }
  const issues = document.flatMap((operation: unknown, index): Issue[] => {
    const at = (problem: string) => [invalid(`/${index}`, problem)];
    if (!isJsonObject(operation as never)) return at('an operation is an object');
    const { op, path, from, value } = operation as Record<string, unknown>;
    if (!OPS.includes(op as string)) return at(`"op" is one of ${OPS.join(', ')}`);
    if (!isPointer(path)) return at('"path" is a JSON Pointer, such as /metadata/component/name');
    const needsFrom = op === 'move' || op === 'copy';
    if (needsFrom && !isPointer(from)) return at('"from" is a JSON Pointer');
    const needsValue = op === 'add' || op === 'replace' || op === 'test';
    return needsValue && value === undefined ? at(`${op} needs a "value"`) : [];
  });
  return issues.length === 0 ? { ok: true, value: document as PatchOperation[] } : { ok: false, issues };
}

function isPointer(text: unknown): boolean {
  return typeof text === 'string' && parsePointer(text) !== undefined;
}

function invalid(path: string, message: string): Issue {
  return { path, code: 'patch.operation_invalid' satisfies PatchIssueCode, message };
}
