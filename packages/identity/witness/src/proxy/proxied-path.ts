/** Where a request goes: whose run it belongs to, which upstream it is for, and the path there, with its query. */
export type ProxiedPath = { readonly token: string; readonly slot: string; readonly rest: string };

const PATH = /^\/([A-Za-z0-9_-]{43})\/([A-Za-z0-9._-]{1,64})(\/[^?#]*)?(\?[^#]*)?$/;

/**
 * Reads the target of a request: `/<run's token>/<upstream>/<path there>`. Undefined for anything else, such as the address of
 * another machine, and for a path that would leave the upstream's own (`..`, in any spelling).
 */
export function readProxiedPath(target: string): ProxiedPath | undefined {
  const [, token, slot, path = '/', query = ''] = PATH.exec(target) ?? [];
  if (token === undefined || slot === undefined || climbs(path)) return undefined;
  return { token, slot, rest: path + query };
}

function climbs(path: string): boolean {
  return /\\|%5c|%2f/i.test(path) || /\/(?:\.|%2e){1,2}(?:\/|;|$)/i.test(path);
}
