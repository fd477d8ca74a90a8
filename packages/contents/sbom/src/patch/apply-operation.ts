import { exactPointer, type Issue, parsePointer } from '@colophon/json';
import { applyPatch, type Operation } from 'rfc6902';
import { sortedJson } from '../diff/sorted-json.ts';
import type { PatchOperation } from './operation.ts';
import type { PatchIssueCode } from './patch-issue.ts';

/** An operation of RFC 6902, or `set`: makes or replaces a value, and the objects on the way to it. */
export type Edit = PatchOperation | { readonly op: 'set'; readonly path: string; readonly value: unknown };

/** What the program itself keeps; everything else may be changed as long as the result is valid. */
const PROTECTED: ReadonlyMap<string, string> = new Map([
  ['', 'the whole document cannot be replaced'],
  ['/bomFormat', 'the format is not for a patch to change'],
  ['/specVersion', 'another version of CycloneDX is for colophon sbom convert'],
  ['/serialNumber', 'a patched document keeps its serial number'],
  ['/version', 'the version is counted by the program'],
  ['/metadata/timestamp', 'the timestamp is when the patch is made'],
]);
/** Members that must stay as they are, and whatever holds them. */
const HOLDERS = ['', '/metadata'];
const FORBIDDEN_TOKENS = new Set(['__proto__', 'constructor', 'prototype']);
const INDEX = /^(?:0|[1-9][0-9]{0,15})$/;

/**
 * Makes one edit in `document`, which is changed in place.
 * @returns why it was not made, or undefined; codes `patch.protected`, `patch.operation_invalid`,
 *   `patch.place_missing`, `patch.test_failed`
 */
export function applyEdit(document: object, edit: Edit): Issue | undefined {
  const targets = 'from' in edit ? [edit.path, edit.from] : [edit.path];
  for (const path of targets) {
    const tokens = parsePointer(path);
    if (tokens === undefined || tokens.some((token) => FORBIDDEN_TOKENS.has(token))) {
      return issue('patch.operation_invalid', path, 'this is no JSON Pointer that leads to a value');
    }
  }
  const changed = edit.op === 'test' ? [] : edit.op === 'move' ? targets : [edit.path];
  for (const path of changed) {
    const why = PROTECTED.get(path) ?? (edit.op === 'test' ? undefined : holderReason(path, edit));
    if (why !== undefined) return issue('patch.protected', path, why);
  }
  if (edit.op === 'set') return applySet(document, edit.path, edit.value);
  const missing = missingPlace(document, edit);
  if (missing !== undefined) return issue('patch.place_missing', missing, 'there is nothing at this place');
  // The library looks for the shortest way from one value to the other, and puts both into a message.
  if (edit.op === 'test') {
    const isEqual = sortedJson(valueAt(document, parsePointer(edit.path) as string[])) === sortedJson(edit.value);
    return isEqual
      ? undefined
      : issue('patch.test_failed', edit.path, 'another value stands there than the patch expects');
  }
  // A value stands in the document once: two places that share it would change together.
  const own = 'value' in edit ? { ...edit, value: structured(edit.value) } : edit;
  const [error] = applyPatch(document, [own as Operation]);
  if (error === null || error === undefined) return undefined;
  return issue('patch.place_missing', edit.path, 'there is nothing at this place');
}

/** `/metadata` as a whole may be neither removed nor replaced: its timestamp would go with it. */
function holderReason(path: string, edit: Edit): string | undefined {
  return HOLDERS.includes(path) && edit.op !== 'test' ? 'change the members inside, not the whole' : undefined;
}

function applySet(document: object, path: string, value: unknown): Issue | undefined {
  const tokens = parsePointer(path) as string[];
  const last = tokens.pop() as string;
  let holder: unknown = document;
  let place = '';
  for (const [depth, token] of tokens.entries()) {
    place += exactPointer([token]);
    const next = childOf(holder, token);
    if (next === undefined && isObject(holder)) holder[token] = (tokens[depth + 1] ?? last) === '-' ? [] : {};
    holder = childOf(holder, token);
    if (typeof holder !== 'object' || holder === null) {
      return issue('patch.place_missing', place, 'there is nothing at this place that could hold a value');
    }
  }
  if (Array.isArray(holder)) {
    const index = last === '-' ? holder.length : INDEX.test(last) ? Number(last) : -1;
    if (index < 0 || index > holder.length) {
      return issue('patch.place_missing', path, `entries in the list: ${holder.length}; - adds one`);
    }
    holder[index] = structured(value);
  } else {
    (holder as Record<string, unknown>)[last] = structured(value);
  }
  return undefined;
}

/** The library is generous with places: it takes any text for an index, and index 9 of a list of two. */
function missingPlace(document: object, edit: PatchOperation): string | undefined {
  const mustExist = edit.op === 'add' ? [] : edit.op === 'move' || edit.op === 'copy' ? [edit.from] : [edit.path];
  for (const path of mustExist) if (valueAt(document, parsePointer(path) as string[]) === undefined) return path;
  if (edit.op !== 'add' && edit.op !== 'move' && edit.op !== 'copy') return undefined;
  const tokens = parsePointer(edit.path) as string[];
  const last = tokens.pop() as string;
  const holder = valueAt(document, tokens);
  if (Array.isArray(holder)) {
    return last === '-' || (INDEX.test(last) && Number(last) <= holder.length) ? undefined : edit.path;
  }
  return isObject(holder) ? undefined : edit.path;
}

function valueAt(document: unknown, tokens: readonly string[]): unknown {
  let value = document;
  for (const token of tokens) value = childOf(value, token);
  return value;
}

function childOf(holder: unknown, token: string): unknown {
  if (Array.isArray(holder)) return INDEX.test(token) ? holder[Number(token)] : undefined;
  return isObject(holder) && Object.hasOwn(holder, token) ? holder[token] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function structured<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function issue(code: PatchIssueCode, path: string, message: string): Issue {
  return { path, code, message };
}
