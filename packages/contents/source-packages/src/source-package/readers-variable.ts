import { SourceError } from '../source-error/source-error.ts';
import type { Environment } from './source-context.ts';

/** Any of these says that npm, pnpm or yarn started this program. */
const STARTED_BY_NPM = ['npm_execpath', 'npm_command', 'npm_lifecycle_event', 'npm_config_user_agent'];

/**
 * A variable as the reader set it. npm hands to the programs that it starts what it read in the project's `.npmrc`, under
 * the same name in small letters; there such a value counts only where it is what the reader has anyway, or stands in
 * capitals.
 * @param readersOwn what the reader has without the variable
 * @throws SourceError `feeds.registry_unclear`
 */
export function readersVariable(env: Environment, name: string, readersOwn: string): string | undefined {
  const capitals = env[name.toUpperCase()] || undefined;
  const value = env[name] || undefined;
  if (value === undefined || !STARTED_BY_NPM.some((one) => env[one])) return value ?? capitals;
  if (capitals !== undefined || isSamePlace(readersOwn, value)) return capitals ?? value;
  throw new SourceError('feeds.registry_unclear', `npm started this program, and ${name} may be the project's`, {
    checked: name,
    expected: `${name.toUpperCase()}, the same value in the user's .npmrc, or a start without npm and npx`,
  });
}

/** npm writes an address out: with a slash at the end, and its host in small letters. */
function isSamePlace(one: string, other: string): boolean {
  if (one === other) return true;
  return URL.canParse(one) && URL.canParse(other) && new URL(one).href === new URL(other).href;
}
