import { isJsonObject, type JsonObject, type JsonValue } from '@colophon/json';
import { canonicalClaim } from '../claim/claims-agree.ts';
import { type RunSigner, SHARED_FIELDS, saidBySigner } from './shared-field.ts';

/** What contract §2.3 does not name is compared where somebody wrote it, and never added. */
const NOT_FILLED: readonly string[] = ['repo', 'repo_uri'];

/** Members that a run always has, so that what is missing in them is named by its own place. */
const REQUIRED_MEMBERS = ['agent', 'model', 'input', 'policy', 'git'];

/**
 * The predicate of a run with every field of the contract that its signer's claims know and it leaves out, in the spelling that records
 * have. What it says itself stays as it is, right or wrong: parseAgentRun and runContradictions say which.
 *
 * @see contract §2.3
 */
export function completeAgentRun(partial: JsonObject, signer: RunSigner): JsonObject {
  const run: { [name: string]: JsonValue } = { ...partial };
  for (const member of REQUIRED_MEMBERS) if (!Object.hasOwn(run, member)) run[member] = {};
  for (const { path, claim } of SHARED_FIELDS) {
    if (NOT_FILLED.includes(claim)) continue;
    const [outer, inner] = path;
    const said = saidBySigner(signer, claim);
    const members = Object.hasOwn(run, outer) ? run[outer]! : {};
    if (said === undefined || !isJsonObject(members) || Object.hasOwn(members, inner)) continue;
    run[outer] = { ...members, [inner]: canonicalClaim(claim, said) };
  }
  return run;
}

/** The claim that fills this place of a run, a JSON Pointer such as `/git/commit_sha`. */
export function claimOfRunField(pointer: string): string | undefined {
  return SHARED_FIELDS.find(({ path }) => `/${path.join('/')}` === pointer)?.claim;
}
