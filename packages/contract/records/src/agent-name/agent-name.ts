/** A pattern for JSON Schema; what parseAgentName accepts. */
export const AGENT_NAME_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$';

const AGENT_NAME = new RegExp(AGENT_NAME_PATTERN);

/**
 * Reads the name of an agent: 1 to 64 of ASCII letters, digits, `.`, `_` and `-`, the first a letter or a digit. So
 * `agent:<name>` is a URI as it stands (contract §2.1 `sub`), no two names look alike to a reader of ASCII, and a
 * name ends where a certificate's `{name}@{version}` says. `unknown` is refused: certificates mean a missing claim
 * by it.
 *
 * @returns the name as it was written, or undefined.
 */
export function parseAgentName(text: string): string | undefined {
  return AGENT_NAME.test(text) && text !== 'unknown' ? text : undefined;
}
