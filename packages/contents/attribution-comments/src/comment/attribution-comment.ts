import { isSha256 } from '@colophon/notation';
import { isPersonAddress, parseAgentName } from '@colophon/records';

/** What an attribution comment says. */
export type AttributionComment = {
  readonly agent: string;
  readonly version?: string;
  readonly model?: string;
  /** `sha256:<hex>` of the prompt. */
  readonly prompt?: string;
  /** E-mail address of the reviewer. */
  readonly reviewedBy?: string;
};

/** What stands around a comment on one line. */
export type CommentMarks = { readonly open: string; readonly close: string };

/** What the words of a comment say, or why they say nothing that counts. */
type ReadComment =
  | { readonly ok: true; readonly comment: AttributionComment }
  | { readonly ok: false; readonly reason: string };

/** A comment that was found on a line. */
export type FoundComment = ReadComment & { readonly marks: CommentMarks };

// No character that ends a comment or a line in any language, and no blank: what an agent says of itself is written
// into source code. Two dashes in a row are not allowed in a comment of XML.
const WORD = /^(?!.*--)[A-Za-z0-9][A-Za-z0-9._:/@+~-]{0,199}$/;
const REVIEWER = /^(?!.*--)[A-Za-z0-9._+~@-]+$/;

/** A version or model identifier as a comment may hold it, or undefined. */
export function commentWord(text: string): string | undefined {
  return WORD.test(text) && text !== 'unknown' ? text : undefined;
}

/** A prompt's hash as a comment may hold it, or undefined. */
export function commentPrompt(text: string): string | undefined {
  return isSha256(text) ? text : undefined;
}

/** A reviewer's address as a comment may hold it, or undefined. */
export function commentReviewer(text: string): string | undefined {
  return REVIEWER.test(text) && isPersonAddress(text) ? text : undefined;
}

/** An agent's name as a comment may hold it, or undefined. */
export function commentAgent(text: string): string | undefined {
  return text.includes('--') ? undefined : parseAgentName(text);
}

/** Writes `colophon: agent=<name>@<version> model=<id> prompt=sha256:… reviewed-by=<e-mail>`; what is unknown is left out. */
export function formatAttributionComment({ agent, version, model, prompt, reviewedBy }: AttributionComment): string {
  return [
    'colophon:',
    `agent=${agent}${version === undefined ? '' : `@${version}`}`,
    ...(model === undefined ? [] : [`model=${model}`]),
    ...(prompt === undefined ? [] : [`prompt=${prompt}`]),
    ...(reviewedBy === undefined ? [] : [`reviewed-by=${reviewedBy}`]),
  ].join(' ');
}

/**
 * Reads the attribution comment that a line of source code consists of.
 * @param marks those of the file's language; the words must stand between one pair of them.
 * @returns undefined for a line that has none
 */
export function parseAttributionComment(line: string, marks: readonly CommentMarks[]): FoundComment | undefined {
  if (line.length > MOST_LINE_LENGTH || !line.includes('colophon:')) return undefined;
  // A byte order mark may be decoded, or stand there byte by byte.
  const text = line.replace(/^(?:\ufeff|\u00ef\u00bb\u00bf)/, '').trim();
  for (const pair of marks) {
    const { open, close } = pair;
    if (!text.startsWith(open) || !text.endsWith(close) || text.length < open.length + close.length) continue;
    const inside = text.slice(open.length, text.length - close.length).trim();
    if (inside.startsWith('colophon:')) return { ...readWords(inside.slice('colophon:'.length)), marks: pair };
  }
  return undefined;
}

const MOST_LINE_LENGTH = 4096;

function readWords(text: string): ReadComment {
  const values = new Map<string, string>();
  for (const word of text.split(/[ \t]+/).filter(Boolean)) {
    const equals = word.indexOf('=');
    const key = word.slice(0, Math.max(0, equals));
    if (!KEYS.has(key)) return { ok: false, reason: `${JSON.stringify(word.slice(0, 80))} is no part of it` };
    if (values.has(key)) return { ok: false, reason: `${key} stands twice` };
    values.set(key, word.slice(equals + 1));
  }
  return readValues(values);
}

const KEYS = new Set(['agent', 'model', 'prompt', 'reviewed-by']);

function readValues(values: ReadonlyMap<string, string>): ReadComment {
  const named = values.get('agent');
  if (named === undefined) return { ok: false, reason: 'it names no agent' };
  const at = named.indexOf('@');
  const agent = commentAgent(at < 0 ? named : named.slice(0, at));
  if (agent === undefined) return { ok: false, reason: 'agent is no name of an agent' };
  const version = at < 0 ? undefined : commentWord(named.slice(at + 1));
  if (at >= 0 && version === undefined) return { ok: false, reason: 'the version behind the agent cannot be read' };
  const model = values.get('model');
  if (model !== undefined && commentWord(model) === undefined) return { ok: false, reason: 'model cannot be read' };
  const prompt = values.get('prompt');
  if (prompt !== undefined && !isSha256(prompt)) return { ok: false, reason: 'prompt is no sha256:<64 hex digits>' };
  const reviewedBy = values.get('reviewed-by');
  if (reviewedBy !== undefined && !isPersonAddress(reviewedBy)) {
    return { ok: false, reason: 'reviewed-by is no e-mail address of a person' };
  }
  return {
    ok: true,
    comment: {
      agent,
      ...(version === undefined ? {} : { version }),
      ...(model === undefined ? {} : { model }),
      ...(prompt === undefined ? {} : { prompt }),
      ...(reviewedBy === undefined ? {} : { reviewedBy }),
    },
  };
}
