import { isSubstituted, readClaim } from '@colophon/records';

/** What one answer says of the model that wrote it. */
export type AnswerFacts = {
  /** The model that it names, everywhere the same; undefined where it names none, several, or none that can be written. */
  readonly model: string | undefined;
  readonly fault: 'model_absent' | 'model_changed' | 'model_malformed' | undefined;
  readonly responseId?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Calls of each tool; those whose name cannot be written, and those of too many tools, stand under an empty name. */
  readonly tools: ReadonlyMap<string, number>;
  /** Whether the answer said that it ends here. */
  readonly isComplete: boolean;
};

/** What is known so far of an answer that is still coming. */
export class AnswerNotes {
  #model: string | undefined;
  #fault: AnswerFacts['fault'];
  #headerModel: string | undefined;
  #responseId: string | undefined;
  #inputTokens: number | undefined;
  #outputTokens: number | undefined;
  #isComplete = false;
  readonly #tools = new Map<string, number>();

  /** A place of the answer where its format has the model; undefined, null and empty text say nothing. */
  model(said: unknown): void {
    if (said === undefined || said === null || said === '') return;
    const name = typeof said === 'string' ? readClaim('model_id', said) : undefined;
    if (name === undefined) this.#fault ??= 'model_malformed';
    else if (this.#model !== undefined && this.#model !== name) this.#fault ??= 'model_changed';
    this.#model ??= name;
  }

  /** More than one model wrote it. */
  changed(): void {
    this.#fault ??= 'model_changed';
  }

  /** A model that the transport names; it may be written with its version where the answer has it without, or the other way round. */
  header(said: string): void {
    this.#headerModel = said;
  }

  id(said: unknown): void {
    if (typeof said === 'string' && /^[!-~]{1,256}$/.test(said)) this.#responseId ??= said;
  }

  /** Counts are of the whole answer so far, so the last one counts. */
  tokens(input: unknown, output: unknown): void {
    if (isCount(input)) this.#inputTokens = input;
    if (isCount(output)) this.#outputTokens = output;
  }

  tool(name: unknown): void {
    const isWord = typeof name === 'string' && /^[!-~]{1,256}$/.test(name);
    const counted = isWord && (this.#tools.has(name) || this.#tools.size < MOST_TOOLS) ? name : '';
    this.#tools.set(counted, (this.#tools.get(counted) ?? 0) + 1);
  }

  complete(): void {
    this.#isComplete = true;
  }

  #lateFault(): AnswerFacts['fault'] {
    if (this.#model === undefined) return 'model_absent';
    const [own, other] = [this.#model.toLowerCase(), this.#headerModel?.toLowerCase()];
    if (other === undefined || !isSubstituted(own, other) || !isSubstituted(other, own)) return undefined;
    return 'model_changed';
  }

  facts(): AnswerFacts {
    const fault = this.#fault ?? this.#lateFault();
    return {
      model: fault === undefined ? this.#model : undefined,
      fault,
      ...(this.#responseId === undefined ? {} : { responseId: this.#responseId }),
      ...(this.#inputTokens === undefined ? {} : { inputTokens: this.#inputTokens }),
      ...(this.#outputTokens === undefined ? {} : { outputTokens: this.#outputTokens }),
      tools: this.#tools,
      isComplete: this.#isComplete,
    };
  }
}

/** Different tools of one answer. */
const MOST_TOOLS = 256;

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
