import { compareTexts } from '@colophon/notation';

/** JSON text in which members are sorted by name, lists as they are: the same for values that say the same. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => compareTexts(a, b)))
      : inner,
  );
}

/** A text as it is, anything else as JSON: documents that break their schema are compared too. */
export function textOf(value: unknown): string | undefined {
  return value === undefined || typeof value === 'string' ? value : sortedJson(value);
}
