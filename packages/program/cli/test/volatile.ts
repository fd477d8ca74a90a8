/**
 * Counts of what happens a moment after an answer: the ledger's sequencer and the logs' heads have their own beat. And
 * the times of a token.
 */
const BY_TIMER = new Set(['integrated', 'integrated_count', 'checkpoint_count', 'head_count', 'iat', 'exp']);

/**
 * A document with what differs from run to run in place of itself: times, hashes, ids, keys, signatures, ports and
 * folders. The same value has the same name wherever it stands, so that the golden file also shows what is equal.
 */
export function withoutVolatile(document: unknown, { folder, port }: { folder: string; port: string }): unknown {
  const names = new Map<string, string>();
  const nameOf = (kind: string, value: string) => {
    const known = names.get(value);
    if (known !== undefined) return known;
    const count = [...names.values()].filter((name) => name.startsWith(`<${kind} `)).length;
    names.set(value, `<${kind} ${count + 1}>`);
    return names.get(value) as string;
  };
  const clean = (text: string) =>
    text
      .replaceAll(folder, '<folder>')
      .replace(/\bnode v[\d.]+/g, 'node <version>')
      .replaceAll(`localhost:${port}`, 'localhost:<port>')
      .replace(/^\d+(?= nodes computed again|, each signed by)/, '<number>')
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>')
      .replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, (id) => nameOf('uuid', id))
      .replace(/\b(?:[0-9a-f]{64}|[0-9a-f]{80}|[0-9a-f]{40}|[0-9a-f]{32})\b/g, (hex) =>
        nameOf(`${hex.length} hex digits`, hex),
      )
      .replace(/(?<![\w+/=-])[A-Za-z0-9+/_-]{22,}={0,2}(?![\w+/=-])/g, (base64) =>
        // The name of a quarter's file is none.
        /[0-9]/.test(base64) && /[A-Z]/.test(base64) && !/-\d{4}-Q[1-4]$/.test(base64)
          ? nameOf('base64', base64)
          : base64,
      );
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return clean(value);
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        BY_TIMER.has(name)
          ? '<number>'
          : name === 'erased_by'
            ? '<account>'
            : /^key_(?:id|hint)$/.test(name)
              ? nameOf(name.replace('_', ' '), String(member))
              : walk(member),
      ]),
    );
  };
  return walk(document);
}
