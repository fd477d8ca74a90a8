const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i;
const FORM_TYPE = /^application\/x-www-form-urlencoded[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i;

/**
 * Which of the two requests a Content-Type announces; undefined for everything else, however close it comes.
 * Decided here on the whole header, so that no parser's leniency (a tab, an empty parameter, a second type) counts.
 */
export function requestKind(contentType: string | undefined): 'json' | 'form' | undefined {
  if (contentType === 'application/json') return 'json';
  if (contentType === undefined) return undefined;
  if (JSON_TYPE.test(contentType)) return 'json';
  return FORM_TYPE.test(contentType) ? 'form' : undefined;
}
