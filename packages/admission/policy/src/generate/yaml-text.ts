/** What a document for Kubernetes is made of. */
export type YamlValue = string | boolean | readonly YamlValue[] | { readonly [key: string]: YamlValue | undefined };

/** Words that are no text to a reader of YAML 1.1, by which Kubernetes reads. */
const RESERVED = /^(?:y|n|yes|no|on|off|true|false|null|nan)$/i;
const PLAIN = /^[A-Za-z][A-Za-z0-9]*(?:[./-][A-Za-z0-9]+)*$/;
const UNPRINTABLE = /[^\x20-\x7e]/gu;

/** A document in YAML 1.1 and 1.2 alike: all text that could be anything else is quoted. Members without a value are left out. */
export function yamlText(value: { readonly [key: string]: YamlValue | undefined }): string {
  return members(value, '')
    .map((line) => `${line}\n`)
    .join('');
}

function members(value: { readonly [key: string]: YamlValue | undefined }, indent: string): string[] {
  return Object.entries(value).flatMap(([key, member]) =>
    member === undefined ? [] : withValue(`${indent}${key}:`, member, `${indent}  `),
  );
}

function withValue(start: string, value: YamlValue, indent: string): string[] {
  if (typeof value === 'boolean') return [`${start} ${value}`];
  if (typeof value === 'string') return text(start, value, indent);
  if (isList(value)) return [start, ...value.flatMap((item) => listItem(item, indent))];
  return [start, ...members(value, indent)];
}

function listItem(item: YamlValue, indent: string): string[] {
  if (typeof item !== 'object' || isList(item)) return withValue(`${indent}-`, item, `${indent}  `);
  // The first member stands on the line of the dash.
  const [first = '', ...rest] = members(item, `${indent}  `);
  return [`${indent}- ${first.trimStart()}`, ...rest];
}

function isList(value: YamlValue): value is readonly YamlValue[] {
  return Array.isArray(value);
}

/** Several lines as they are, if their last one ends; anything else on one line. */
function text(start: string, value: string, indent: string): string[] {
  const isBlock = /^[\x21-\x7e][\t\n\x20-\x7e]*[^\n]\n$/.test(value);
  if (!isBlock) return [`${start} ${PLAIN.test(value) && !RESERVED.test(value) ? value : quoted(value)}`];
  const lines = value.slice(0, -1).split('\n');
  return [`${start} |`, ...lines.map((line) => (line === '' ? '' : `${indent}${line}`))];
}

/** Every reader of YAML knows these escapes, and no character stands for itself that some do not take. */
function quoted(value: string): string {
  const escaped = value.replace(/["\\]/g, '\\$&').replace(UNPRINTABLE, (character) => {
    const code = (character.codePointAt(0) as number).toString(16).toUpperCase();
    return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\U${code.padStart(8, '0')}`;
  });
  return `"${escaped}"`;
}
