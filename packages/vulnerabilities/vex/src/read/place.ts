import { jsonPointer } from '@colophon/json';

/** Where a value stands: cheap to make on the way down, written out only for an issue. */
export type Place = { readonly above: Place | undefined; readonly name: string | number };

/** A member or item of what stands there. */
export function below(above: Place | undefined, name: string | number): Place {
  return { above, name };
}

/** The JSON Pointer to it, '' for the document. */
export function pointerTo(place: Place | undefined): string {
  const segments: (string | number)[] = [];
  for (let at = place; at !== undefined; at = at.above) segments.push(at.name);
  return jsonPointer(segments.reverse());
}
