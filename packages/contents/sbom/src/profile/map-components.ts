import type { Bom, Component } from '../document/bom.ts';

/** What becomes of one component; the ones inside it have been seen to before. */
type Change = (component: Component, path: string) => Component;

/** A signature inside the component covers what was there before. */
type Unsigned = (path: string) => void;

type Holder = { readonly [name: string]: unknown };

/**
 * The document with every component changed, wherever the official schema has one: the artifact, nested ones, ancestors
 * of a pedigree, tools, formulas, targets of claims, annotators. What does not change is shared with the given document.
 * @param onUnsigned takes the signature out of components that change, and is told where
 */
export function mapComponents(bom: Bom, change: Change, onUnsigned?: Unsigned): Bom {
  const one = (value: unknown, path: string): unknown => {
    if (!isHolder(value)) return value;
    const inner = inMembers(value, path, { components: many, pedigree });
    const next = change(inner as unknown as Component, path);
    if (onUnsigned === undefined || next === value || next['signature'] === undefined) return next;
    const { signature: _, ...unsigned } = next;
    onUnsigned(path);
    return unsigned;
  };
  const many = each(one);
  const pedigree = within({ ancestors: many, descendants: many, variants: many });
  const tools = within({ components: many });
  return inMembers(bom, '', {
    metadata: within({ component: one, tools }),
    components: many,
    vulnerabilities: each(within({ tools })),
    annotations: each(within({ annotator: within({ component: one }) })),
    formulation: each(within({ components: many })),
    declarations: within({ targets: within({ components: many }) }),
  }) as Bom;
}

type Visit = (value: unknown, path: string) => unknown;

function within(visits: { readonly [name: string]: Visit }): Visit {
  return (value, path) => (isHolder(value) ? inMembers(value, path, visits) : value);
}

function each(visit: Visit): Visit {
  return (value, path) => {
    if (!Array.isArray(value)) return value;
    let isChanged = false;
    const items = value.map((item, index) => {
      const next = visit(item, `${path}/${index}`);
      isChanged ||= next !== item;
      return next;
    });
    return isChanged ? items : value;
  };
}

function inMembers(holder: Holder, path: string, visits: { readonly [name: string]: Visit }): Holder {
  let result = holder;
  for (const name of Object.keys(visits)) {
    if (!Object.hasOwn(holder, name)) continue;
    const next = visits[name]!(holder[name], `${path}/${name}`);
    if (next !== holder[name]) result = { ...result, [name]: next };
  }
  return result;
}

function isHolder(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
