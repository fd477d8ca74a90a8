import { Errors } from 'typebox/schema';
import { JSON_RESULTS } from '../../../../tools/schemas/json-results.ts';
import type { Ran } from './command-line.ts';

/** Leaf commands by their words, the longest first. */
const COMMANDS = Object.keys(JSON_RESULTS).sort((one, other) => other.length - one.length);
const closed = new Map<string, object>();

/**
 * Holds what a command printed for `--output json` against the schema in docs/json: no member is missing, none is there
 * that the schema does not name, and `ok` says what the exit code says. A list is a document of the contract, and has
 * no `ok`; neither has a document that is written to standard output.
 */
export function expectResult(args: readonly string[], { exitCode, stdout }: Ran): void {
  const result = resultIn(args, stdout);
  if (result === undefined) return;
  const isList = Array.isArray(result);
  const command = !isList && 'error' in result ? 'error' : commandOf(args);
  if (command === undefined) return;
  if (!isList && !('ok' in result) && isDocumentOf(command, args)) return;
  const schema = closed.get(command) ?? withoutOthers(JSON_RESULTS[command] as object);
  closed.set(command, schema);
  const [, [fault] = []] = Errors(schema as never, result);
  if (fault !== undefined) throw new Error(`${args.join(' ')}: docs/json ${command}: ${JSON.stringify(fault)}`);
  if (!isList && result['ok'] !== (exitCode === 0))
    throw new Error(`${args.join(' ')}: ok ${result['ok']}, exit ${exitCode}`);
}

/** The result that was asked for as JSON, where it is one. */
function resultIn(args: readonly string[], stdout: string): Record<string, unknown> | unknown[] | undefined {
  const isJson = args.some(
    (arg, i) => /^(?:-o=?|--output=)json$/.test(arg) || (arg === 'json' && /^(?:-o|--output)$/.test(args[i - 1] ?? '')),
  );
  if (!isJson || !/^[{[]/.test(stdout)) return undefined;
  return JSON.parse(stdout);
}

/** Whether a command that writes a document to `--out FILE` prints the document itself: no FILE is given. */
function isDocumentOf(command: string, args: readonly string[]): boolean {
  const { required = [] } = JSON_RESULTS[command] as { readonly required?: readonly string[] };
  return required.includes('out') && [undefined, '-'].includes(args[args.indexOf('--out') + 1 || args.length]);
}

/** How lines may spell the flag that gives a command another result. */
const SHORT: Readonly<Record<string, string>> = { '--filename': '-f' };

/** The leaf command of a line, where its result has a schema. Global flags may stand before it. */
function commandOf(args: readonly string[]): string | undefined {
  const line = ` ${args.join(' ')} `;
  return COMMANDS.find((command) => {
    const [leaf, flag] = command.split(/ (?=--)/);
    const isNamed = line.startsWith(` ${leaf} `) || line.includes(`--data ${args[1]} ${leaf} `);
    return isNamed && (flag === undefined || args.includes(flag) || args.includes(SHORT[flag] ?? flag));
  });
}

/** The same schema, in which an object whose members are named has no others. */
function withoutOthers(schema: object): object {
  if (Array.isArray(schema))
    return schema.map((one) => (typeof one === 'object' && one !== null ? withoutOthers(one) : one));
  const entries = Object.entries(schema).map(([name, value]) => [
    name,
    typeof value === 'object' && value !== null ? withoutOthers(value) : value,
  ]);
  const isOpen = 'properties' in schema && 'type' in schema && !('additionalProperties' in schema);
  return { ...Object.fromEntries(entries), ...(isOpen && { additionalProperties: false }) };
}
