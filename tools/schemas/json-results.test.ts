import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { wholeProgram } from '../../packages/program/cli/test/command-line.ts';
import { JSON_RESULTS } from './json-results.ts';

const GOLDEN = join(import.meta.dirname, '../../packages/program/cli/test/golden');

/** Commands whose JSON is a document of the contract or of others, and which schema it, or each of a list, has there. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  'scan run': 'finding.v1.json',
  'scan import': 'finding.v1.json',
  'kev enrich': 'enriched-finding.v1.json',
};

const leaves = leavesOf((await wholeProgram()).commands).filter(({ command }) =>
  command.options.some(({ long }) => long === '--output'),
);

test.each(leaves.map(({ path }) => path))('the JSON of %s has a schema, and a golden file', (path) => {
  expect(DOCUMENTS[path] ?? JSON_RESULTS[path]).toBeDefined();
  const name = path.replaceAll(' ', '-');
  const files = readdirSync(GOLDEN).filter((file) => file.split('.')[0] === name);
  expect(files.filter((file) => !file.endsWith('.refused.json'))).not.toEqual([]);
});

test.each(Object.keys(JSON_RESULTS))('%s names its members in snake_case', (command) => {
  for (const name of membersOf(JSON_RESULTS[command] as object)) expect(name).toMatch(/^[a-z0-9]+(?:_[a-z0-9]+)*$/);
});

type Command = Awaited<ReturnType<typeof wholeProgram>>;
type Leaf = { readonly path: string; readonly command: Command };
function leavesOf(commands: readonly Command[], before = ''): Leaf[] {
  return commands.flatMap((command) => {
    const path = `${before}${command.name()}`;
    return command.commands.length === 0 ? [{ path, command }] : leavesOf(command.commands, `${path} `);
  });
}

function membersOf(schema: object): string[] {
  return Object.entries(schema).flatMap(([name, value]) => {
    if (typeof value !== 'object' || value === null) return [];
    const own = name === 'properties' ? Object.keys(value) : [];
    return [...own, ...membersOf(value)];
  });
}
