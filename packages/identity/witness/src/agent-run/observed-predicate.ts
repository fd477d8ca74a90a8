import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject, type JsonValue } from '@colophon/json';
import { mainModel, type WitnessReceipt } from '@colophon/records';

/** What git says of a run: contract §2.3, `git`. */
export type GitFacts = {
  readonly commit_sha: string;
  readonly tree_sha: string;
  readonly files_changed: readonly string[];
  readonly files_changed_count: number;
  readonly lines_added: number;
  readonly lines_removed: number;
  readonly uncommitted_count?: number;
};

/**
 * The agent-run predicate of an observed run (contract §2.3). A member that nobody knows is left out; where no single
 * model stands for the run, `model` has neither id nor provider.
 * @param receiptHash `sha256:<hex>` of the receipt's payload
 */
export function observedPredicate(receipt: WitnessReceipt, receiptHash: string, git: GitFacts | undefined): JsonObject {
  const main = mainModel(receipt);
  const answered = receipt.models.filter(
    ({ upstream, served }) => main?.upstream === upstream && main.served === served,
  );
  const [first] = answered;
  const { prompt_hash, context_token_count } = receipt.input;
  return withoutAbsent({
    agent: { ...receipt.agent },
    model: withoutAbsent({
      id: main?.served,
      provider: main?.upstream,
      requested: first?.requested,
      temperature: sameIn(answered.map(({ temperature }) => temperature)),
      max_tokens: sameIn(answered.map(({ max_tokens }) => max_tokens)),
    }),
    input: withoutAbsent({ prompt_hash, context_token_count }),
    policy: { ...receipt.policy },
    tools_invoked: receipt.tools_invoked?.map((tool) => ({ ...tool })),
    git: git && gitMember(git),
    witness: withoutAbsent({
      run_id: receipt.run_id,
      place: receipt.witness.place,
      receipt_hash: receiptHash,
      started_at: receipt.started_at,
      ended_at: receipt.ended_at,
      outcome: receipt.outcome && { ...receipt.outcome },
      models: receipt.models.map((model) => ({ ...model })),
      unattributed: receipt.unattributed?.map((answers) => ({ ...answers })),
    }),
  });
}

function gitMember({ files_changed, files_changed_count, uncommitted_count, ...git }: GitFacts): JsonObject {
  const isCut = files_changed.length < files_changed_count;
  return {
    ...git,
    files_changed: [...files_changed],
    ...(isCut ? { files_changed_count } : {}),
    ...(uncommitted_count ? { uncommitted_count } : {}),
  };
}

/** The value that all have; undefined where they differ. */
function sameIn(values: readonly (number | undefined)[]): number | undefined {
  return values.every((value) => value === values[0]) ? values[0] : undefined;
}

function withoutAbsent(members: { readonly [name: string]: unknown }): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject;
}

/** A predicate with what somebody else knows of the run, and the places where the two say different things. */
export type CompletedPredicate = { readonly predicate: JsonObject; readonly contradicted: readonly string[] };

/** What the witness says of its receipt and of the model is whole: nobody else adds to it, nor a model where none stands for the run. */
const WHOLE = /^\/(?:witness(?:\/|$)|model\/(?:id|provider|requested)$)/;

/**
 * Adds what a person or a tool knows that the witness cannot see: context files, rules, a review. What was observed
 * stays. A list is one value.
 * @returns `contradicted` JSON Pointers of values that differ
 */
export function completedBy(observed: JsonObject, said: JsonObject, at = ''): CompletedPredicate {
  const predicate = new Map<string, JsonValue>(Object.entries(observed));
  const contradicted: string[] = [];
  for (const [name, value] of Object.entries(said)) {
    const own = predicate.get(name);
    const place = `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (own === undefined && !WHOLE.test(place)) predicate.set(name, value);
    else if (isJsonObject(own ?? null) && isJsonObject(value)) {
      const below = completedBy(own as JsonObject, value, place);
      predicate.set(name, below.predicate);
      contradicted.push(...below.contradicted);
    } else if (!isDeepStrictEqual(own, value)) contradicted.push(place);
  }
  return { predicate: Object.fromEntries(predicate), contradicted };
}
