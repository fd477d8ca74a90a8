import { lstat, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Bom, Component } from '@colophon/sbom';

const NPM_PATH = 'cdx:npm:package:path';

/**
 * Says of every workspace of an npm project where its source stands. npm installs a workspace as a link below
 * `node_modules`, and that link is all that the generator names.
 */
export async function withWorkspacePlaces(bom: Bom, folder: string): Promise<Bom> {
  const root = await realpath(folder);
  return { ...bom, components: await placed(bom.components ?? [], root) };
}

function placed(components: readonly Component[], root: string): Promise<Component[]> {
  return Promise.all(
    components.map(async (component) => {
      const nested = component.components && { components: await placed(component.components, root) };
      const location = await workspaceOf(component, root);
      const { occurrences = [], ...evidence } = component.evidence ?? {};
      return {
        ...component,
        ...nested,
        ...(location && { evidence: { ...evidence, occurrences: [...occurrences, { location }] } }),
      };
    }),
  );
}

async function workspaceOf({ properties = [] }: Component, root: string): Promise<string | undefined> {
  const installed = properties.find(({ name }) => name === NPM_PATH)?.value;
  if (!installed) return undefined;
  const path = join(root, installed);
  try {
    if (!(await lstat(path)).isSymbolicLink()) return undefined;
    const place = relative(root, await realpath(path)).split(sep);
    return place[0] === '..' || place.includes('node_modules') ? undefined : place.join('/');
  } catch {
    return undefined; // Not installed: then nothing is linked.
  }
}
