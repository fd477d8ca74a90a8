import { membersIn } from './json-answer.ts';

/** Most characters of a peer's own words that stand in an error of ours. */
const MOST_REASON_LENGTH = 200;

/**
 * The reason that a peer gives in the body of its answer, fit to be shown: one printable line, short, and nothing that
 * looks like a token, whoever sent it there.
 */
export function peerReason(body: Uint8Array): string {
  const { message, detail, error_description, error, details } = membersIn(body);
  const text = message ?? detail ?? error_description ?? error;
  // Where our own authority puts its stable code in Fulcio's form of an error.
  const code = Array.isArray(details) ? details[0]?.reason : undefined;
  const reason = typeof text === 'string' && text !== '' ? oneLine(text) : 'no reason given';
  return typeof code === 'string' && /^[a-z]+\.[a-z_]{1,60}$/.test(code) ? `${reason} [${code}]` : reason;
}

/** Somebody else's text as it may be shown: one printable line, short, and nothing that looks like a token. */
export function oneLine(text: string): string {
  return (
    text
      // A peer's stable code (`authority.entry_not_found`) has dots too, but neither capitals nor digits.
      .replace(/[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(\.[A-Za-z0-9_-]*)?/g, (found) =>
        /^[a-z_.]+$/.test(found) ? found : '<token>',
      )
      .replace(/[A-Za-z0-9+/_=-]{100,}/g, '<data>')
      .replace(/[^\x20-\x7e]+/g, ' ')
      .slice(0, MOST_REASON_LENGTH)
  );
}
