/** What the browser shows once it is back. */
export type CallbackPage = { readonly title: string; readonly text: string };

/** Nothing is loaded, nothing runs, nothing is kept, and nobody is told where the person came from. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  connection: 'close',
} as const;

/** A page of one sentence; what stands in it is text, whoever wrote it. */
export function callbackPage({ title, text }: CallbackPage): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    `<meta charset="utf-8"><title>${escaped(title)}</title>`,
    `<h1>${escaped(title)}</h1>`,
    `<p>${escaped(text)}</p>`,
    '</html>',
    '',
  ].join('\n');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
