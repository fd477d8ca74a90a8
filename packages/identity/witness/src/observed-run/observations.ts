import { createHash } from 'node:crypto';
import {
  RECEIPT_LIMITS,
  readClaim,
  UNATTRIBUTED_REASONS,
  type UnattributedReason,
  type WitnessReceipt,
} from '@colophon/records';
import type { AnswerFacts } from '../answer/answer-facts.ts';
import type { ModelRequest } from '../request/model-request.ts';

/** An answer that was passed on, to the request that asked for it. */
export type ObservedAnswer = {
  readonly upstream: string;
  /** Method and path, without query. */
  readonly endpoint: string;
  readonly request: ModelRequest;
  /** Undefined where it could not be read. */
  readonly facts: AnswerFacts | undefined;
  /** Whether the transfer ended as it should. */
  readonly isWhole: boolean;
};

/** What a receipt says of the models of a run. */
export type ModelFacts = Pick<
  WitnessReceipt,
  'models' | 'unattributed' | 'failed_answers' | 'response_ids' | 'response_ids_hash' | 'tools_invoked' | 'more_tools'
>;

type Model = { -readonly [Key in keyof WitnessReceipt['models'][number]]: WitnessReceipt['models'][number][Key] };
type Unattributed = {
  -readonly [Key in keyof NonNullable<WitnessReceipt['unattributed']>[number]]: NonNullable<
    WitnessReceipt['unattributed']
  >[number][Key];
};
/** The same value in every request so far, or several. */
type Same = { value: number | undefined; isSame: boolean };

/** Kinds of answers of no known model with upstream and request; room is left for each reason alone. */
const MOST_KINDS = RECEIPT_LIMITS.unattributed - UNATTRIBUTED_REASONS.length;

/** What was seen of the models of one run: counts and names, never a text. Bounded, however long the run is. */
export class Observations {
  #models = new Map<string, { model: Model; temperature: Same; maxTokens: Same }>();
  #unattributed = new Map<string, Unattributed>();
  #tools = new Map<string, number>();
  #responseIds: string[] = [];
  #responseIdsHash = createHash('sha256');
  #hasIds = false;
  #failed = 0;
  #moreTools = 0;

  answered({ upstream, endpoint, request, facts, isWhole }: ObservedAnswer): void {
    if (facts === undefined) {
      this.unattributed('answer_unreadable', { upstream, endpoint });
      return;
    }
    this.#noteId(facts.responseId);
    for (const [name, count] of facts.tools) this.#noteTool(name, count);
    if (facts.model === undefined) {
      this.unattributed(facts.fault!, { upstream, endpoint });
      return;
    }
    const requested = request.model === undefined ? undefined : readClaim('model_id', request.model);
    const key = JSON.stringify([upstream, requested, facts.model]);
    let seen = this.#models.get(key);
    if (seen === undefined) {
      if (this.#models.size === RECEIPT_LIMITS.models) {
        this.unattributed('more_models', {});
        return;
      }
      const named = requested === undefined ? {} : { requested };
      seen = {
        model: { upstream, ...named, served: facts.model, answers: 0 },
        temperature: { value: request.temperature, isSame: true },
        maxTokens: { value: request.maxTokens, isSame: true },
      };
      this.#models.set(key, seen);
    }
    const { model } = seen;
    model.answers += 1;
    if (!isWhole || !facts.isComplete) model.incomplete = (model.incomplete ?? 0) + 1;
    // Of one that broke off what it says is not all that it wrote.
    if (facts.outputTokens === undefined || !facts.isComplete) model.uncounted = (model.uncounted ?? 0) + 1;
    if (facts.inputTokens !== undefined) model.input_tokens = sum(model.input_tokens, facts.inputTokens);
    if (facts.outputTokens !== undefined) model.output_tokens = sum(model.output_tokens, facts.outputTokens);
    seen.temperature.isSame &&= seen.temperature.value === request.temperature;
    seen.maxTokens.isSame &&= seen.maxTokens.value === request.maxTokens;
  }

  /** A provider that answered with an error: no model did. */
  failed(): void {
    this.#failed += 1;
  }

  /** An answer of no known model; of too many kinds the rest is counted by the reason alone. */
  unattributed(
    reason: UnattributedReason,
    { upstream, endpoint }: { readonly upstream?: string; readonly endpoint?: string },
  ): void {
    const request = endpoint !== undefined && /^[A-Z]{1,16} [!-~]{1,128}$/.test(endpoint) ? endpoint : undefined;
    const key = JSON.stringify([reason, upstream, request]);
    const known = this.#unattributed.get(key);
    if (known !== undefined) known.answers += 1;
    else if (upstream !== undefined && this.#unattributed.size >= MOST_KINDS) this.unattributed(reason, {});
    else {
      this.#unattributed.set(key, {
        reason,
        ...(upstream === undefined ? {} : { upstream }),
        ...(request === undefined ? {} : { request }),
        answers: 1,
      });
    }
  }

  /** The same, to be counted on by itself. */
  copy(): Observations {
    const copy = new Observations();
    copy.#models = structuredClone(this.#models);
    copy.#unattributed = structuredClone(this.#unattributed);
    copy.#tools = new Map(this.#tools);
    copy.#responseIds = [...this.#responseIds];
    copy.#responseIdsHash = this.#responseIdsHash.copy();
    copy.#hasIds = this.#hasIds;
    copy.#failed = this.#failed;
    copy.#moreTools = this.#moreTools;
    return copy;
  }

  facts(): ModelFacts {
    const tools = [...this.#tools].map(([name, count]) => ({ name, count }));
    const unattributed = [...this.#unattributed.values()].map((entry) => ({ ...entry }));
    return {
      models: [...this.#models.values()].map(({ model, temperature, maxTokens }) => ({
        ...model,
        ...(temperature.isSame && temperature.value !== undefined ? { temperature: temperature.value } : {}),
        ...(maxTokens.isSame && maxTokens.value !== undefined ? { max_tokens: maxTokens.value } : {}),
      })),
      ...(unattributed.length === 0 ? {} : { unattributed }),
      ...(this.#failed === 0 ? {} : { failed_answers: this.#failed }),
      ...(this.#hasIds
        ? {
            response_ids: [...this.#responseIds],
            response_ids_hash: `sha256:${this.#responseIdsHash.copy().digest('hex')}`,
          }
        : {}),
      ...(tools.length === 0 ? {} : { tools_invoked: tools }),
      ...(this.#moreTools === 0 ? {} : { more_tools: this.#moreTools }),
    };
  }

  #noteId(id: string | undefined): void {
    if (id === undefined) return;
    this.#hasIds = true;
    this.#responseIdsHash.update(`${id}\n`);
    if (this.#responseIds.length < RECEIPT_LIMITS.responseIds) this.#responseIds.push(id);
  }

  #noteTool(name: string, count: number): void {
    if (name !== '' && (this.#tools.has(name) || this.#tools.size < RECEIPT_LIMITS.tools)) {
      this.#tools.set(name, (this.#tools.get(name) ?? 0) + count);
    } else this.#moreTools += count;
  }
}

/** Of counts that answers say; more than a receipt can hold is the most that it can. */
function sum(total: number | undefined, count: number): number {
  return Math.min((total ?? 0) + count, Number.MAX_SAFE_INTEGER);
}
