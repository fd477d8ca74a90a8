import type { Bom, Component } from './bom.ts';

/** A component and where it stands. */
export type PlacedComponent = {
  readonly component: Component;
  /** JSON Pointer, e.g. `/components/3/components/0`. */
  readonly path: string;
};

/**
 * Every component of a document in the order in which it is written: the documented artifact first, nested ones after
 * the one that holds them. Depth costs no stack; what is no object is passed over.
 */
export function* walkComponents({ metadata, components }: Bom): Generator<PlacedComponent> {
  if (isObject(metadata?.component)) yield* nested([metadata.component], () => '/metadata/component');
  if (Array.isArray(components)) yield* nested(components, (index) => `/components/${index}`);
}

function* nested(roots: readonly Component[], pathOf: (index: number) => string): Generator<PlacedComponent> {
  const open = [{ list: roots, next: 0, pathOf }];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const index = top.next++;
    if (index >= top.list.length) {
      open.pop();
      continue;
    }
    const component = top.list[index];
    if (!isObject(component)) continue;
    const path = top.pathOf(index);
    yield { component, path };
    if (Array.isArray(component.components)) {
      open.push({ list: component.components, next: 0, pathOf: (inner) => `${path}/components/${inner}` });
    }
  }
}

function isObject(value: unknown): value is Component {
  return typeof value === 'object' && value !== null;
}
