import type { Bom, Component } from '../document/bom.ts';
import { walkComponents } from '../document/walk-components.ts';
import type { Edit } from '../patch/apply-operation.ts';

/** How a document comes to carry a component, and whether it had one of that bom-ref. */
export type VendoredEdits = {
  readonly edits: readonly Edit[];
  readonly replaced?: Component;
  /** False where the documented artifact has no bom-ref that an edge could start from. */
  readonly isConnected: boolean;
};

/**
 * The edits by which a document carries a component once: in the place of the one with its bom-ref, else after the
 * others, and with an edge from the documented artifact.
 */
export function vendoredEdits(bom: Bom, component: Component): VendoredEdits {
  const ref = component['bom-ref']!;
  const known = [...walkComponents(bom)].find((placed) => placed.component['bom-ref'] === ref);
  const edits: Edit[] = [];
  if (known !== undefined) edits.push({ op: 'replace', path: known.path, value: component });
  else if (bom.components === undefined) edits.push({ op: 'set', path: '/components', value: [component] });
  else edits.push({ op: 'add', path: '/components/-', value: component });

  const root = bom.metadata?.component?.['bom-ref'];
  const dependencies = bom.dependencies ?? [];
  const added = dependencies.some((one) => one.ref === ref) ? [] : [{ ref }];
  if (root !== undefined && root !== ref) {
    const index = dependencies.findIndex((one) => one.ref === root);
    const dependsOn = dependencies[index]?.dependsOn ?? [];
    if (index < 0) added.unshift({ ref: root, dependsOn: [ref] } as { ref: string });
    else if (!dependsOn.includes(ref)) {
      edits.push({ op: 'set', path: `/dependencies/${index}/dependsOn`, value: [...dependsOn, ref] });
    }
  }
  if (bom.dependencies === undefined) edits.push({ op: 'set', path: '/dependencies', value: added });
  else edits.push(...added.map((value): Edit => ({ op: 'add', path: '/dependencies/-', value })));
  return { edits, ...(known === undefined ? {} : { replaced: known.component }), isConnected: root !== undefined };
}
