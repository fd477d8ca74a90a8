import type { Issue } from '@colophon/json';
import { isAgentRunType, type RunSigner, runContradictions, type Statement } from '@colophon/records';
import { SigningError } from './signing-error.ts';

/** What an agent run is compared with on its way to a signature, in this order. */
export type RunWitness = 'context' | 'identity token' | 'certificate';

/**
 * Holds when an agent-run statement says nothing that its signer denies; any other statement holds. The base of its
 * type and whether it is complete do not count: readers look at what it says, member by member.
 * Only a certificate says for certain that no agent stands behind it: an authority may know one where a token names none.
 * @throws SigningError `signing.run_contradicted`; each issue has the place and both words
 * @see contract §2.3
 */
export function assertRunAgrees(statement: Statement, signer: RunSigner, witness: RunWitness): void {
  if (!isAgentRunType(statement.predicateType)) return;
  const issues = runContradictions(statement, signer)
    .filter(({ expected }) => expected !== undefined || witness === 'certificate')
    .map(({ field, stated, expected = 'the certificate of an agent' }): Issue & { readonly found: string } => ({
      path: `/${field.replaceAll('.', '/')}`,
      code: 'signing.run_contradicted',
      message: `The ${witness} does not have this value.`,
      expected,
      found: stated,
    }));
  if (issues.length === 0) return;
  throw new SigningError('signing.run_contradicted', `the agent run differs from the ${witness}`, { issues });
}
