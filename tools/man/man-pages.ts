import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandShape, everyShape } from '../../packages/program/cli/src/completion/command-shape.ts';
import { VERSION } from '../../packages/program/cli/src/program/version.ts';
import { wholeProgram } from '../../packages/program/cli/test/command-line.ts';
import { examplesOfAll } from '../../packages/program/cli/test/help-examples.ts';
import { variableRows } from '../docs/environment-page.ts';
import { type ManFacts, manPage, pageName, type Row } from './man-page.ts';

/** Every manual page by its file name, from the commander definitions and the tables of two pages of docs. */
export async function manPages(root: string): Promise<ReadonlyMap<string, string>> {
  const program = commandShape(await wholeProgram());
  const facts = await factsOf(root);
  return new Map(everyShape(program).map((shape) => [`${pageName(shape)}.1`, manPage(shape, program, facts)]));
}

async function factsOf(root: string): Promise<ManFacts> {
  const page = (name: string) => readFileSync(join(root, 'docs', name), 'utf8');
  const seconds = Number(process.env['SOURCE_DATE_EPOCH'] || Date.now() / 1000);
  return {
    version: VERSION,
    date: new Date(seconds * 1000).toISOString().slice(0, 10),
    environment: variableRows(page('environment.md')).map(({ names, meaning }) => ({
      term: names.join(', '),
      text: plain(meaning),
    })),
    exits: exitRows(page('errors.md')),
    examples: await examplesOfAll(),
  };
}

function exitRows(markdown: string): Row[] {
  return [...markdown.matchAll(/^\| (\d+) \| (.+) \|$/gm)].map(([, term = '', text = '']) => ({ term, text }));
}

/** Words without the marks of markdown. */
function plain(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]+)\]\(([^)]+)\)/g, 'docs/$1').replaceAll('`', '');
}
