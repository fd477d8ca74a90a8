import type { JsonValue } from '@colophon/json';
import { hashPrompt, hashPromptMessages } from '@colophon/records';
import { UNREAD } from '../body/json-body.ts';
import type { WireFormat } from '../endpoint/endpoint.ts';

/** What a request to a model says; what it does not say, or not in this form, is absent. */
export type ModelRequest = {
  readonly model?: string;
  readonly temperature?: number;
  readonly maxTokens?: number;
};

type Members = Readonly<Record<string, unknown>>;

/** Names of the limit of an answer, the newest first. */
const LIMITS = ['max_completion_tokens', 'max_output_tokens', 'max_tokens'];

/** Reads a request's body, parsed; nothing where it is no object. */
export function readModelRequest(body: unknown): ModelRequest {
  if (!isMembers(body)) return {};
  const { model, temperature } = body;
  const maxTokens = LIMITS.map((name) => body[name]).find((value) => Number.isSafeInteger(value) && Number(value) >= 0);
  return {
    ...(typeof model === 'string' ? { model } : {}),
    ...(isTemperature(temperature) ? { temperature } : {}),
    ...(maxTokens === undefined ? {} : { maxTokens: maxTokens as number }),
  };
}

/** A number that a receipt can hold: strict JSON has none beyond the safe integers. */
function isTemperature(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

/**
 * Whether what a model answers may be anywhere but in the answer: the provider keeps it, or hands it to a tool or a
 * conversation of its own. Also where the request could not be read, or has a member that is not known here.
 */
export function mayAnswerElsewhere(format: WireFormat, body: unknown): boolean {
  if (body === UNREAD || !isMembers(body)) return true;
  const { store, background, input, messages } = body;
  if (!isNo(background) || (format === 'responses' ? store !== false : !isNo(store))) return true;
  if (Object.keys(body).some((name) => !STAYING_MEMBERS.has(name) && !isNo(body[name]))) return true;
  const items = [input, messages].filter(Array.isArray).flat().filter(isMembers);
  return ![body, ...items].every(({ tools }) => isNo(tools) || (Array.isArray(tools) && tools.every(isOfClient)));
}

/** Members by which nothing of an answer goes anywhere else. */
const STAYING_MEMBERS: ReadonlySet<string> = new Set(
  `model messages system input instructions stream stream_options n stop stop_sequences seed user metadata store background
  max_tokens max_completion_tokens max_output_tokens max_tool_calls temperature top_p top_k min_p frequency_penalty
  presence_penalty repetition_penalty logit_bias logprobs top_logprobs thinking reasoning reasoning_effort verbosity text
  response_format output_config output_format tools tool_choice parallel_tool_calls functions function_call prediction
  context_management service_tier truncation include previous_response_id safety_identifier prompt_cache_key
  prompt_cache_retention cache_control client_metadata anthropic_version speed inference_geo usage enable_thinking chat_template_kwargs
  modalities`.split(/\s+/),
);

/** Types of tools that the agent runs itself; Anthropic's end with a date. */
const CLIENT_TOOL =
  /^(?:function|custom|local_shell|apply_patch|computer|computer_use_preview)$|^(?:bash|text_editor|computer|memory)_\d{8}$/;

/** A tool without a type is one of the agent's own, and has a name. */
function isOfClient(tool: unknown): boolean {
  if (!isMembers(tool)) return false;
  const { type, name, execution, environment } = tool;
  if (type === 'tool_search') return execution === 'client';
  if (type === 'shell') return isMembers(environment) && environment['type'] === 'local';
  if (isNo(type)) return typeof name === 'string' || isMembers(tool['function']);
  return typeof type === 'string' && CLIENT_TOOL.test(type);
}

/** Some servers take other values for true. */
function isNo(value: unknown): boolean {
  return value === undefined || value === null || value === false || (Array.isArray(value) && value.length === 0);
}

/** What a format has for the system beside its messages. */
const BESIDE_MESSAGES: Readonly<Record<WireFormat, string | undefined>> = {
  messages: 'system',
  responses: 'instructions',
  'chat-completions': undefined,
};

/**
 * Whether a request contains exactly the prompt of this hash: as one of the texts that a user or the system says, with
 * or without a newline at its end, since a shell drops it; or as all of its messages (their canonical JSON).
 */
export function containsPrompt(format: WireFormat, body: unknown, promptHash: string): boolean {
  if (!isMembers(body)) return false;
  const messages = format === 'responses' ? body['input'] : body['messages'];
  const beside = BESIDE_MESSAGES[format];
  let characters = 0;
  for (const text of textsOf([messages, ...(beside === undefined ? [] : [body[beside]])])) {
    characters += text.length;
    if (characters > MOST_PROMPT_CHARACTERS) return false;
    const spellings = [text, `${text}\n`, ...(text.endsWith('\n') ? [text.slice(0, -1)] : [])];
    if (spellings.some((spelling) => hashOfText(spelling) === promptHash)) return true;
  }
  return Array.isArray(messages) && hashOfMessages(messages) === promptHash;
}

/** The hash of what a request holds for the model, as that of a prompt of several messages; undefined where it has none, or more than a prompt is. */
export function promptOf(format: WireFormat, body: unknown): string | undefined {
  if (!isMembers(body)) return undefined;
  const messages = format === 'responses' ? body['input'] : body['messages'];
  if (typeof messages === 'string') return messages.length > MOST_PROMPT_CHARACTERS ? undefined : hashOfText(messages);
  return Array.isArray(messages) ? hashOfMessages(messages) : undefined;
}

/** Characters of what is hashed to find a prompt: hashing the largest request would hold everybody up for seconds. */
export const MOST_PROMPT_CHARACTERS = 4 * 1024 * 1024;
/** Values that are looked at in one request; an agent's prompt stands among its first. */
const MOST_VALUES = 10_000;
/** Of one list: the texts are below its values. */
const MOST_IN_LIST = 1_000;

/** Whose messages are what the model was given; a part of a message has no role. */
const GIVING_ROLES: readonly unknown[] = [undefined, 'user', 'system', 'developer'];

function textsOf(value: unknown): readonly string[] {
  const found: string[] = [];
  const waiting: unknown[] = [value];
  // What is pushed meanwhile is walked too. A queue would be moved with every value that is taken out of it.
  for (const next of waiting) {
    if (typeof next === 'string') found.push(next);
    else if (Array.isArray(next)) waiting.push(...next.slice(0, waiting.length < MOST_VALUES ? MOST_IN_LIST : 0));
    else if (isMembers(next) && isGiven(next)) {
      // A message's content, or a part's text.
      if (typeof next['text'] === 'string') found.push(next['text']);
      else waiting.push(next['content']);
    }
  }
  return found;
}

/** What a tool answered is no prompt, nor what the model thought before. */
function isGiven({ role, type }: Members): boolean {
  const isOfTool = typeof type === 'string' && /(?:_result|_output|^reasoning)$/.test(type);
  return GIVING_ROLES.includes(role) && !isOfTool;
}

function hashOfText(text: string): string {
  return hashPrompt(new TextEncoder().encode(text));
}

function hashOfMessages(messages: readonly unknown[]): string | undefined {
  try {
    if (JSON.stringify(messages).length > MOST_PROMPT_CHARACTERS) return undefined;
    return hashPromptMessages(messages as JsonValue);
  } catch {
    // A number that JSON has and its canonical form has not.
    return undefined;
  }
}

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
