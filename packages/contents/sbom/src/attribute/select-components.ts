import type { Bom } from '../document/bom.ts';
import { walkComponents } from '../document/walk-components.ts';
import { sourcePaths } from './source-path.ts';

/** Says which components a file belongs to. */
export type Selection = {
  /** JSON Pointers of the components that are nearest to a path of the repository; none for a file of no component. */
  componentsOf(file: string): readonly string[];
};

/**
 * Reads where the components of a document lie. A file belongs to the component that is the file, else to the one that
 * is the innermost folder around it; a path that a scanner saw for several components is the source of none of them.
 */
export function selectComponents(bom: Bom, root?: string): Selection {
  const own = new Map<string, Set<string>>();
  const seen = new Map<string, Set<string>>();
  for (const { component, path: pointer } of walkComponents(bom)) {
    for (const { path, kind } of sourcePaths(component, root)) {
      const places = kind === 'own' ? own : seen;
      const known = places.get(path) ?? new Set();
      places.set(path, known.add(pointer));
    }
  }
  return {
    componentsOf(file) {
      for (let path = file; path !== ''; path = path.slice(0, Math.max(0, path.lastIndexOf('/')))) {
        const owners = own.get(path);
        if (owners !== undefined) return [...owners];
        const sighted = seen.get(path);
        if (sighted?.size === 1) return [...sighted];
      }
      return [];
    },
  };
}
