/** A pair as a ranking sees it. */
export type Sample = { readonly measure: number; readonly isRelated: boolean };

/** How often a related pair stands above one that is not, ties as half; undefined where there is only one kind. */
export function areaUnderCurve(samples: readonly Sample[]): number | undefined {
  const related = samples.filter(({ isRelated }) => isRelated);
  const others = samples.filter(({ isRelated }) => !isRelated);
  if (related.length === 0 || others.length === 0) return undefined;
  let above = 0;
  for (const { measure } of related) {
    for (const other of others) above += measure > other.measure ? 1 : measure === other.measure ? 0.5 : 0;
  }
  return above / (related.length * others.length);
}

/** The most of the related pairs that any threshold of at least this precision calls. */
export function recallAtPrecision(samples: readonly Sample[], precision: number): number {
  const related = samples.filter(({ isRelated }) => isRelated).length;
  let most = 0;
  for (const threshold of new Set(samples.map(({ measure }) => measure))) {
    const called = samples.filter(({ measure }) => measure >= threshold);
    const right = called.filter(({ isRelated }) => isRelated).length;
    if (right >= precision * called.length) most = Math.max(most, right);
  }
  return related === 0 ? 0 : most / related;
}
