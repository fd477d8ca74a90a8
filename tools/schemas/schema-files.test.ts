import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { JSON_RESULTS, resultFile } from './json-results.ts';
import { COMMON_FILE, SCHEMA_FOLDER, schemaFiles, WHOLE_SCHEMAS } from './schema-files.ts';
import { SHARED_PARTS } from './shared-parts.ts';

const KEPT = join(import.meta.dirname, '../../packages/program/cli/test/frozen/releases/0.1.0/files');
const GOLDEN = join(import.meta.dirname, '../../packages/program/cli/test/golden');

type Json = { readonly [name: string]: unknown };
const committed = new Map(
  readdirSync(SCHEMA_FOLDER).map((file) => [file, readFileSync(join(SCHEMA_FOLDER, file), 'utf8')]),
);
const schemaOf = (file: string): Json => JSON.parse(committed.get(file)!);
const parts = schemaOf(COMMON_FILE)['$defs'] as Json;

describe('docs/json', () => {
  test.each(Object.entries(schemaFiles()))('holds %s as it is declared', (file, text) => {
    expect(committed.get(file)).toBe(text);
  });

  test('holds nothing else', () => {
    expect([...committed.keys()].sort()).toEqual(Object.keys(schemaFiles()).sort());
  });

  test.each(Object.entries(WHOLE_SCHEMAS))(
    'says in %s, with what it refers to, all that is declared',
    (file, whole) => {
      const { $id, $schema, ...said } = resolved(schemaOf(file)) as Json;
      expect({ ...JSON.parse(JSON.stringify(whole)), $id, $schema }).toEqual({ $id, $schema, ...said });
    },
  );

  test('names no part that nothing refers to', () => {
    const used = [...committed.values()].flatMap((text) => [...text.matchAll(/#\/\$defs\/(\w+)"/g)]);
    for (const name of Object.keys(SHARED_PARTS))
      expect([name, used.some(([, one]) => one === name)]).toEqual([name, true]);
  });

  test('says nothing of fifty lines in two files', () => {
    const seen = new Map<string, string>();
    const twice: string[] = [];
    const look = (value: unknown, file: string, place: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const { title: _, description: __, ...shape } = value as Json;
      const text = JSON.stringify(shape, null, 2);
      const before = seen.get(text) ?? file;
      if (before !== file && text.split('\n').length >= 50) twice.push(`${before} and ${file}: ${place}`);
      seen.set(text, before);
      for (const [name, one] of Object.entries(value)) look(one, file, `${place}/${name}`);
    };
    // What a command prints as a whole is a file of its own, also where another one prints the same.
    for (const file of committed.keys()) {
      const { properties } = schemaOf(file);
      for (const [name, one] of Object.entries(properties ?? {})) look(one, file, name);
    }
    expect(twice).toEqual([]);
  });
});

test.each(Object.keys(JSON_RESULTS).filter((command) => goldenOf(command).length > 0))(
  'a validator that follows references takes what %s printed, and refuses it without ok',
  (command) => {
    const ajv = new Ajv2020.default({ strict: false, schemas: [shapeIn(COMMON_FILE)] });
    const validate = ajv.compile(shapeIn(resultFile(command)));
    for (const file of goldenOf(command)) {
      const printed = JSON.parse(readFileSync(join(GOLDEN, file), 'utf8'), filledIn);
      expect([file, validate(printed), validate.errors]).toEqual([file, true, null]);
      expect(validate({ ...printed, ok: 'yes' })).toBe(false);
    }
  },
);

// What the program wrote on 2026-11-23.
test.each([
  ['scan.v1.json', readdirSync(join(KEPT, 'scans')).map((name) => `scans/${name}`)],
  ['enriched-finding.v1.json', ['enriched-findings.json']],
  ['remediation-record.v1.json', ['records.json', 'closed-record.json']],
])('what the program keeps is what %s says', (schema, files) => {
  const ajv = new Ajv2020.default({ strict: false, schemas: [schemaOf(COMMON_FILE)] });
  addFormats.default(ajv);
  const validate = ajv.compile(schemaOf(schema));
  const documents = files.flatMap((path) => [JSON.parse(readFileSync(join(KEPT, path), 'utf8'))].flat());
  expect(documents.length).toBeGreaterThan(0);
  for (const document of documents) expect([validate(document), validate.errors]).toEqual([true, null]);
});

function goldenOf(command: string): string[] {
  const name = resultFile(command).replace(/\.json$/, '');
  const files = readdirSync(GOLDEN).filter((file) => file.split('.')[0] === name && /(?<!\.refused)\.json$/.test(file));
  // The others are documents that the command wrote.
  return files.filter((file) => /^(?:\[|\{\s*"ok")/.test(readFileSync(join(GOLDEN, file), 'utf8')));
}

/** What stands in a golden file for a number that differs from run to run. */
function filledIn(name: string, value: unknown): unknown {
  if (value === '<number>' || value === '<size>') return name === 'integrated' ? true : 1;
  return value;
}

/** Without what the placeholders of golden files cannot be. */
function shapeIn(file: string): Json {
  return JSON.parse(committed.get(file)!, function (this: unknown, name, value) {
    return (name === 'pattern' || name === 'format') && typeof value === 'string' ? undefined : value;
  });
}

/** A schema with every reference replaced by the part, under the words beside it. */
function resolved(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(resolved);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref, ...rest } = schema as Json;
  const members = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, resolved(value)]));
  if (typeof $ref !== 'string') return members;
  const part = parts[$ref.slice($ref.lastIndexOf('/') + 1)];
  return { ...(resolved(part) as Json), ...members };
}
