/** Levels below an item that its hash looks at, so that nested lists do not hash the same values again and again. */
const HASHED_LEVELS = 3;

/** Lists up to this length are compared hash by hash, without tables of their own: nearly all lists are so short. */
const SHORT_LIST = 8;

/**
 * Looks for two equal items as JSON Schema's `uniqueItems` understands them: by value, members in any order. Linear:
 * items are sorted by a hash, and only those that share one are compared, as text.
 * @returns the places of two equal items, or undefined.
 */
export function equalItems(items: readonly unknown[]): readonly [number, number] | undefined {
  return items.length <= SHORT_LIST ? equalOfFew(items) : equalOfMany(items);
}

function equalOfFew(items: readonly unknown[]): readonly [number, number] | undefined {
  if (items.length < 2) return undefined;
  const hashes: number[] = [];
  for (let index = 0; index < items.length; index += 1) {
    const hash = hashOf(items[index], HASHED_LEVELS);
    for (let before = hashes.indexOf(hash); before >= 0; before = hashes.indexOf(hash, before + 1)) {
      if (sortedText(items[before]) === sortedText(items[index])) return [before, index];
    }
    hashes.push(hash);
  }
  return undefined;
}

function equalOfMany(items: readonly unknown[]): readonly [number, number] | undefined {
  const firstOf = new Map<number, number>();
  let textsOf: Map<number, Map<string, number>> | undefined;
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    const hash = hashOf(item, HASHED_LEVELS);
    const first = firstOf.get(hash);
    if (first === undefined) {
      firstOf.set(hash, index);
      continue;
    }
    // Where hashes collide on purpose, texts are compared, each at most once for each item.
    textsOf ??= new Map();
    const texts = textsOf.get(hash) ?? new Map([[sortedText(items[first]), first]]);
    textsOf.set(hash, texts);
    const text = sortedText(item);
    const equal = texts.get(text);
    if (equal !== undefined) return [equal, index];
    texts.set(text, index);
  }
  return undefined;
}

function hashOf(value: unknown, levels: number): number {
  if (typeof value === 'string') return hashText(value, 1);
  if (typeof value === 'number') return hashText(String(value), 2);
  if (typeof value !== 'object' || value === null) return value === null ? 3 : value === true ? 4 : 5;
  if (levels === 0) return 6;
  if (Array.isArray(value)) {
    let hash = 7;
    for (const item of value) hash = (Math.imul(hash, 31) + hashOf(item, levels - 1)) | 0;
    return hash;
  }
  // A sum, since members have no order.
  let hash = 8;
  for (const name of Object.keys(value)) {
    const inner = hashOf((value as { [name: string]: unknown })[name], levels - 1);
    hash = (hash + Math.imul(hashText(name, 9), inner | 1)) | 0;
  }
  return hash;
}

/** Characters of either end of a long text that its hash looks at. */
const HASHED_END = 16;

/** FNV-1a over the UTF-16 code units of a text; of a long one over both ends and its length. */
function hashText(text: string, seed: number): number {
  const { length } = text;
  const isLong = length > 2 * HASHED_END;
  let hash = 0x811c9dc5 ^ seed ^ length;
  for (let at = 0; at < (isLong ? HASHED_END : length); at += 1)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  for (let at = isLong ? length - HASHED_END : length; at < length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash | 0;
}

/** The same text for values that are equal but for the order of members. */
function sortedText(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
