import type { Bom } from '../document/bom.ts';
import type { Finding } from '../validate/bom-issue.ts';
import { isObject, listIn, quoted } from './wild-value.ts';

/** So many members of a circle are named. */
const MOST_NAMED = 5;

/**
 * The circles of the dependency graph: a note each, since package managers allow them. Tarjan's strongly connected
 * components, without recursion: linear, and a chain of a million costs no stack.
 */
export function* cycleFindings({ dependencies }: Bom): Generator<Finding> {
  const nodes = new Map<string, number>();
  const places: number[] = [];
  const entries = listIn(dependencies).filter(isObject);
  for (const [at, { ref }] of entries.entries()) {
    if (typeof ref !== 'string' || nodes.has(ref)) continue;
    nodes.set(ref, places.length);
    places.push(at);
  }
  const edges = places.map((at) => {
    const { dependsOn } = entries[at] as { readonly dependsOn?: unknown };
    return listIn(dependsOn).flatMap((ref) => (typeof ref === 'string' ? (nodes.get(ref) ?? []) : []));
  });
  for (const circle of circlesOf(edges)) {
    const named = circle.slice(0, MOST_NAMED).map((node) => {
      const { ref } = entries[places[node] as number] as { readonly ref: string };
      return quoted(ref);
    });
    const more = circle.length > named.length ? ` and ${circle.length - named.length} more` : '';
    const path = `/dependencies/${places[circle[0] as number]}`;
    yield {
      path,
      code: 'sbom.dependency_cycle',
      severity: 'note',
      message:
        circle.length === 1
          ? `${named[0]} depends on itself.`
          : `${circle.length} entries depend on each other in a circle: ${named.join(', ')}${more}.`,
    };
  }
}

/** Sets of nodes that can all reach each other, those of one node only where it has an edge to itself. */
function* circlesOf(edges: readonly (readonly number[])[]): Generator<readonly number[]> {
  const order = new Int32Array(edges.length).fill(-1);
  const low = new Int32Array(edges.length);
  const nextEdge = new Int32Array(edges.length);
  const isOnStack = new Uint8Array(edges.length);
  const stack: number[] = [];
  let visited = 0;
  for (let root = 0; root < edges.length; root += 1) {
    if (order[root] !== -1) continue;
    const open = [root];
    for (let node = open.at(-1); node !== undefined; node = open.at(-1)) {
      if (order[node] === -1) {
        order[node] = visited;
        low[node] = visited++;
        stack.push(node);
        isOnStack[node] = 1;
      }
      const next = edges[node]?.[nextEdge[node] as number];
      if (next !== undefined) {
        nextEdge[node] = (nextEdge[node] as number) + 1;
        if (order[next] === -1) open.push(next);
        else if (isOnStack[next] === 1) low[node] = Math.min(low[node] as number, order[next] as number);
        continue;
      }
      open.pop();
      const parent = open.at(-1);
      if (parent !== undefined) low[parent] = Math.min(low[parent] as number, low[node] as number);
      if (low[node] !== order[node]) continue;
      const circle = stack.splice(stack.lastIndexOf(node));
      for (const member of circle) isOnStack[member] = 0;
      if (circle.length > 1 || edges[node]?.includes(node)) yield circle.sort((a, b) => a - b);
    }
  }
}
