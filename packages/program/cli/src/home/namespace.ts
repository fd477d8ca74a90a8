import {
  EXPECTED_CLAIM_ARC,
  EXPECTED_PREDICATE_BASE,
  isClaimArc,
  isPredicateBase,
  type Namespace,
  PLACEHOLDER_NAMESPACE,
} from '@colophon/records/namespace';
import { type Installation, namespaceOf, readInstallation } from '@colophon/server/data-folder';
import { CliError } from '../cli-error/cli-error.ts';
import { dataFolder } from './home.ts';

/**
 * The names that the environment sets.
 * @throws CliError `cli.usage` for one that is none
 */
export function givenNamespace(env: NodeJS.ProcessEnv): Partial<Namespace> {
  const predicateBase = given(env, 'COLOPHON_PREDICATE_BASE', isPredicateBase, EXPECTED_PREDICATE_BASE);
  const claimArc = given(env, 'COLOPHON_CLAIM_ARC', isClaimArc, EXPECTED_CLAIM_ARC);
  return {
    ...(predicateBase === undefined ? {} : { predicateBase }),
    ...(claimArc === undefined ? {} : { claimArc }),
  };
}

function given(
  env: NodeJS.ProcessEnv,
  name: string,
  isFine: (text: string) => boolean,
  expected: string,
): string | undefined {
  const value = env[name];
  if (!value) return undefined;
  if (isFine(value)) return value;
  throw new CliError('cli.usage', `$${name} is no name that can be used`, {
    checked: `$${name}`,
    expected,
    found: value,
  });
}

/**
 * The names that are ours: of the environment, else of the data folder, else the placeholders.
 * @throws CliError `cli.usage`, as givenNamespace
 */
export function ownNamespace(env: NodeJS.ProcessEnv, data: string | undefined): Namespace {
  return { ...namespaceOf(installationOf(env, data)), ...givenNamespace(env) };
}

/**
 * The base of the predicate types that are written. Somebody who signs needs the right one: a statement under another
 * approves nothing, and stays in the log. So a data folder that cannot be read is an error here.
 * @throws CliError `cli.usage`, as givenNamespace
 * @throws ServerError `server.data_folder_unusable`, `server.data_folder_damaged`
 */
export function signingPredicateBase(env: NodeJS.ProcessEnv, data: string | undefined): string {
  const given = givenNamespace(env).predicateBase;
  return given ?? namespaceOf(readInstallation(dataFolder(env, data)) ?? {}).predicateBase;
}

/** A verifier with roots of its own needs no data folder, and so none that can be read: fewer names make nothing count. */
function installationOf(env: NodeJS.ProcessEnv, data: string | undefined): Partial<Installation> {
  try {
    return readInstallation(dataFolder(env, data)) ?? {};
  } catch {
    return {};
  }
}

/** Which names are placeholders still, for a person; nothing where none is. */
export function placeholderWarning(namespace: Namespace): string | undefined {
  const still = [
    { name: 'predicateBase', what: 'predicate types', variable: 'COLOPHON_PREDICATE_BASE' },
    { name: 'claimArc', what: 'claims', variable: 'COLOPHON_CLAIM_ARC' },
  ] as const;
  const list = still.filter(({ name }) => namespace[name] === PLACEHOLDER_NAMESPACE[name]);
  if (list.length === 0) return undefined;
  const words = list.map(({ name, what, variable }) => `${what} ${namespace[name]} ($${variable})`);
  return `Still placeholders: ${words.join(', ')}. Set names of your own.`;
}
