import type { Bom, Component } from '../src/index.ts';

const DIGEST = `sha256:${'ab'.repeat(32)}`;

/** Variant A, every field. */
export const VARIANT_A = {
  agent: 'code-writer',
  model: 'model-1',
  model_version: '2026-01',
  prompt: DIGEST,
  generated_at: '2026-01-30T12:00:00Z',
  reviewed_by: 'dana@example.com',
  reviewed_at: '2026-01-30T13:00:00Z',
};

/** Variant B, every property. */
export const VARIANT_B = {
  'authored-by': 'autonomous_agent',
  'agent-id': 'code-writer',
  'agent-model': 'model-1',
  'source-package': 'left-pad@1.3.0',
  'source-similarity': '0.91',
  'vendoring-method': 'inline-rewrite',
};

/** Properties by their names, with the same words before each. */
export function properties(prefix: string, values: { readonly [name: string]: string }) {
  return Object.entries(values).map(([name, value]) => ({ name: `${prefix}${name}`, value }));
}

/** A component that an agent rewrote from a package, as the conventions of contract §2.5 have it. */
export const VENDORED: Component = {
  type: 'library',
  'bom-ref': 'vendored:src/left-pad',
  name: 'left-pad-vendored',
  version: '0.0.0-vendored',
  scope: 'required',
  licenses: [{ license: { id: 'MIT', acknowledgement: 'declared' } }],
  properties: [...properties('vendor:', VARIANT_B), { name: 'colophon:evidence-technique', value: 'ast-similarity' }],
  evidence: {
    identity: [{ field: 'name', confidence: 0.91, methods: [{ technique: 'ast-fingerprint', confidence: 0.91 }] }],
  },
};

export const LIBRARY: Component = {
  type: 'library',
  'bom-ref': 'pkg:npm/left-pad@1.3.0',
  name: 'left-pad',
  version: '1.3.0',
  purl: 'pkg:npm/left-pad@1.3.0',
};

/** A document about which there is nothing to say. */
export const WHOLE: Bom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
  version: 1,
  metadata: {
    timestamp: '2026-01-31T12:00:00Z',
    lifecycles: [{ phase: 'build' }],
    tools: { components: [{ type: 'application', 'bom-ref': 'tool', name: 'colophon', version: '0.1.0' }] },
    component: {
      type: 'application',
      'bom-ref': 'webshop',
      name: 'webshop',
      version: '1.0.0',
      supplier: { name: 'Example', url: ['https://example.com'] },
    },
  },
  components: [LIBRARY, VENDORED],
  dependencies: [
    { ref: 'webshop', dependsOn: ['pkg:npm/left-pad@1.3.0', 'vendored:src/left-pad'] },
    { ref: 'pkg:npm/left-pad@1.3.0' },
    { ref: 'vendored:src/left-pad' },
  ],
};

/** The whole document with other components. */
export function withComponents(...components: readonly unknown[]): Bom {
  const refs = components.map((component) => (component as Component)['bom-ref']).filter((ref) => ref !== undefined);
  return {
    ...WHOLE,
    components: components as readonly Component[],
    dependencies: [{ ref: 'webshop', dependsOn: [...new Set(refs)] as string[] }],
  };
}
