// Writes the tables of configuration files in docs anew, from the schemas that the files are checked with:
//   node tools/docs/configuration-table.ts
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADMISSION_SCHEMA } from '../../packages/program/server/src/admission-service/admission-schema.ts';
import { CONFIGURATION_SCHEMA } from '../../packages/program/server/src/configuration/configuration-schema.ts';

/** Pages with a table, and the schema of each. */
export const CONFIGURATION_PAGES: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ['configuration.md', CONFIGURATION_SCHEMA as Shape],
  ['admission-webhook.md', ADMISSION_SCHEMA as Shape],
]);
const TABLE = /(<!-- keys -->\n\n)(?:\|.*\n)*/;

type Shape = {
  readonly description?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Shape[];
};

/** The page with a row for each key of the schema, in its order. */
export function configurationPage(page: string, schema: Shape): string {
  const rows = rowsOf('', schema).map(([key, required, meaning]) => `| \`${key}\` | ${required} | ${meaning} |`);
  return page.replace(TABLE, `$1| Key | | Meaning |\n|---|---|---|\n${rows.join('\n')}\n`);
}

function rowsOf(
  above: string,
  { properties = {}, required = [] }: Shape,
): Array<[key: string, required: string, meaning: string]> {
  return Object.entries(properties).flatMap(([name, shape]) => {
    // Of several forms of an item, the one with keys has rows.
    const item = shape.items?.anyOf?.find(({ properties }) => properties !== undefined) ?? shape.items;
    const isList = shape.type === 'array' && item?.properties !== undefined;
    const key = `${above}${name}${isList ? '[]' : ''}`;
    const inner = isList ? item : shape;
    const row: [string, string, string] = [key, required.includes(name) ? 'required' : '', meaningOf(shape)];
    // One line for all claims: each has the same rule.
    return name === 'sources' ? [row] : [row, ...rowsOf(`${key}.`, inner)];
  });
}

function meaningOf({ description = '', enum: values, items }: Shape): string {
  const allowed = values ?? (items?.properties === undefined ? items?.enum : undefined);
  const words =
    allowed === undefined || allowed.length > 8 ? [] : [`One of ${allowed.map((value) => `\`${value}\``).join(', ')}.`];
  // What stands in angle brackets would be no text on a page.
  const shown = description.replaceAll(/\S*<[^>]*>[^\s.,;]*/g, (text) => `\`${text}\``);
  return [shown, ...words].filter(Boolean).join(' ');
}

if (import.meta.filename === process.argv[1]) {
  for (const [name, schema] of CONFIGURATION_PAGES) {
    const page = join(import.meta.dirname, '../../docs', name);
    writeFileSync(page, configurationPage(readFileSync(page, 'utf8'), schema));
  }
}
