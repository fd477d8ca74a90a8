/** By UTF-16 code units: the same everywhere, whatever language a machine speaks. */
export function compareTexts(a = '', b = ''): -1 | 0 | 1 {
  return a < b ? -1 : a > b ? 1 : 0;
}
