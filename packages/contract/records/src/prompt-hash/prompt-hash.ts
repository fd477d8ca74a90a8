import { canonicalJson, type JsonValue } from '@colophon/json';
import { digestOf } from '../digest/digest.ts';

/**
 * `sha256:<hex>` over the exact bytes of the prompt (contract §2.1): a newline at the end counts, nothing is
 * normalised. To be computed before the agent starts.
 */
export function hashPrompt(prompt: Uint8Array): string {
  return digestOf(prompt);
}

/**
 * `sha256:<hex>` of a prompt of several messages: of the canonical JSON (RFC 8785) of everything that the agent was
 * given before its first model call.
 *
 * @throws TypeError for what is not JSON.
 */
export function hashPromptMessages(messages: JsonValue): string {
  return digestOf(canonicalJson(messages));
}
