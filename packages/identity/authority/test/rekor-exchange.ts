import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject, JsonValue } from '@colophon/json';

const FOLDER = join(import.meta.dirname, '../vectors/rekor-v1');
/** What the real Rekor v1 answered. */
export const ANSWERS_FILE = join(FOLDER, 'answers.json');

/** A request of the vectors, ready to be sent. */
export type RekorRequest = {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
  readonly body: string | undefined;
};

/** An answer whose changing parts are named and not shown: tree, times, signatures, keys. */
export type RekorAnswer = {
  readonly status: number;
  readonly location?: string;
  readonly type?: string;
  /** JSON, or text where it is none. */
  readonly body: JsonValue;
};

/** What the embedded log answers otherwise, by the name of the request, and why it may; the rest is as Rekor has it. */
export type Differences = {
  readonly reason: string;
  readonly answers: Readonly<Record<string, Partial<RekorAnswer>>>;
};

type Vector = {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** The name of an entry that is sent. */
  readonly entry?: string;
  /** What is otherwise in it: values by dotted path; `{none}` takes a member away. */
  readonly set?: JsonObject;
  readonly proposals?: readonly string[];
  readonly body?: JsonObject;
  readonly text?: string;
  readonly type?: string;
};

const read = (name: string): unknown => JSON.parse(readFileSync(join(FOLDER, name), 'utf8'));

/** Answers by the name of the request. */
export const recordedAnswers = (): Readonly<Record<string, RekorAnswer>> =>
  read('answers.json') as Record<string, RekorAnswer>;

export const knownDifferences = (): readonly Differences[] => read('differences.json') as Differences[];

/** The log that is asked: its tree, and the leaf hash of each entry that it took. */
export type Asked = { readonly treeId: bigint; readonly leafHashes: Map<string, string> };

/** The requests in order; each is filled in when it is its turn, with what was logged before. */
export function* rekorRequests(asked: Asked): Generator<RekorRequest & { readonly entry: string | undefined }> {
  const { entries, requests } = read('requests.json') as { entries: Record<string, JsonObject>; requests: Vector[] };
  for (const { name, method, path, entry, set, proposals, body, text, type = 'application/json' } of requests) {
    const proposed = entry === undefined ? undefined : changed(entries[entry] as JsonObject, set);
    const list = proposals && { entries: proposals.map((one) => entries[one] as JsonObject) };
    const json = proposed ?? list ?? body;
    const sent = text ?? (json && JSON.stringify(json));
    const fill = (template: string) =>
      template
        .replaceAll('{tree}', hexOf(asked.treeId))
        .replaceAll('{treeID}', `${asked.treeId}`)
        .replaceAll(/\{leaf:([^}]+)\}/g, (_, one: string) => asked.leafHashes.get(one) ?? `no entry ${one}`);
    const isPlain = entry !== undefined && set === undefined;
    const filled = { name, method, path: fill(path), contentType: type };
    yield { ...filled, body: sent && fill(sent), entry: isPlain ? entry : undefined };
  }
}

function changed(entry: JsonObject, set: JsonObject = {}): JsonObject {
  const copy = structuredClone(entry) as Record<string, JsonValue>;
  for (const [path, value] of Object.entries(set)) {
    const names = path.split('.');
    const last = names.pop() as string;
    const parent = names.reduce((at, name) => at[name] as Record<string, JsonValue>, copy);
    if (value === '{none}') delete parent[last];
    else parent[last] = value;
  }
  return copy;
}

const hexOf = (treeId: bigint) => treeId.toString(16).padStart(16, '0');

/** Of an entry, with its tree. The hashes of a proof are shorter, and their order counts. */
const UUID = /^[0-9a-f]{80}$/;

/** Members whose value is another one each time. */
const CHANGING: Readonly<Record<string, string>> = {
  integratedTime: '{time}',
  logID: '{log}',
  signedEntryTimestamp: '{promise}',
  checkpoint: '{checkpoint}',
  signedTreeHead: '{checkpoint}',
  treeID: '{treeID}',
};

/** An answer as vectors keep it. */
export function keptAnswer(
  { status, location, type, body }: { status: number; location: string | null; type: string | null; body: string },
  { treeId }: Asked,
): RekorAnswer {
  const named = (text: string) =>
    text
      .replaceAll(hexOf(treeId), '{tree}')
      .replaceAll(`${treeId}`, '{treeID}')
      .replace(/^-----BEGIN PUBLIC KEY-----[\s\S]*-----END PUBLIC KEY-----\n$/, '{key}');
  const kept = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return named(value);
    // A search promises no order: ids come as the index has them.
    if (isListOfIds(value)) return value.map(named).sort();
    if (Array.isArray(value)) return value.map(kept);
    if (value === null || typeof value !== 'object') return value;
    const members = Object.entries(value as JsonObject).map(([name, one]) => [
      named(name),
      CHANGING[name] ?? kept(one),
    ]);
    return Object.fromEntries(members);
  };
  return {
    status,
    ...(location !== null && { location: named(location) }),
    ...(type !== null && { type: type.replace(/;.*/, '') }),
    body: kept(parsed(body)),
  };
}

function isListOfIds(value: JsonValue): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string' && UUID.test(one));
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
