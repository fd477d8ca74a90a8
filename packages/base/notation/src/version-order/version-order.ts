export type Sign = -1 | 0 | 1;

/** How one ecosystem reads and orders its versions. `Version` is a version as it was read. */
export interface VersionOrder<Version = unknown> {
  /** Undefined where the ecosystem does not take the text for a version, or where its order is not decided here. */
  parse(text: string): Version | undefined;
  compare(left: Version, right: Version): Sign;
  /** Equal for no two versions that the order tells apart, and for one version in its ecosystem's spellings. */
  key(version: Version): string;
  /** The leading parts by which branches of development are told from each other: `1.2.5` is `['1', '2', '5']`. */
  branch(version: Version): readonly string[];
}

export function signOf(difference: number): Sign {
  return difference < 0 ? -1 : difference > 0 ? 1 : 0;
}

/** The first difference between two lists, element by element; `compare` says what a missing element counts as. */
export function compareLists<Element>(
  left: readonly Element[],
  right: readonly Element[],
  compare: (left: Element | undefined, right: Element | undefined) => Sign,
): Sign {
  const length = Math.max(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const sign = compare(left[index], right[index]);
    if (sign !== 0) return sign;
  }
  return 0;
}
