import type { SecretReference } from './configuration.ts';
import type { IssueNotes } from './configuration-issue.ts';

/** A secret stands in the environment or in a file. What stands in its place is in no message: it may be the secret. */
export function readReference(
  text: string,
  path: readonly (string | number)[],
  notes: IssueNotes,
  resolve: (path: string) => string,
): SecretReference | undefined {
  const [, place, name] = /^(env|file):(.+)/s.exec(text) ?? [];
  if (place === 'env' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name!)) return { env: name! };
  if (place === 'file') return { file: resolve(name!) };
  notes.note(path, 'configuration.reference_invalid', 'a secret does not stand in this file', 'env:NAME, or file:PATH');
  return undefined;
}
