/**
 * A document like those of the npm ecosystem's generators, of any size: a component with hash, licence, properties and
 * references weighs about 900 bytes, and depends on three others.
 */
export function generateBom(components: number): string {
  const ref = (index: number) => `pkg:npm/%40scope/package-${index}@1.${index % 100}.0`;
  return JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: 'urn:uuid:6f1f3a5e-0a0b-4c0d-8e0f-000000000001',
    version: 1,
    metadata: {
      timestamp: '2026-01-31T12:00:00Z',
      lifecycles: [{ phase: 'build' }],
      tools: { components: [{ type: 'application', name: 'generator', version: '1.0.0' }] },
      component: {
        type: 'application',
        name: 'webshop',
        version: '1.0.0',
        'bom-ref': 'webshop',
        supplier: { name: 'Example', url: ['https://example.com'] },
      },
    },
    components: Array.from({ length: components }, (_, index) => ({
      type: 'library',
      'bom-ref': ref(index),
      group: '@scope',
      name: `package-${index}`,
      version: `1.${index % 100}.0`,
      description: `The package number ${index} of a document that was made to be measured, and nothing else`,
      scope: index % 3 === 0 ? 'optional' : 'required',
      hashes: [{ alg: 'SHA-256', content: index.toString(16).padStart(64, '0') }],
      licenses: [{ license: { id: index % 2 === 0 ? 'MIT' : 'Apache-2.0', acknowledgement: 'declared' } }],
      purl: ref(index),
      externalReferences: [
        { type: 'website', url: `https://example.com/package-${index}#readme` },
        { type: 'vcs', url: `git+https://example.com/package-${index}.git` },
      ],
      properties: [{ name: 'cdx:npm:package:path', value: `node_modules/@scope/package-${index}` }],
      evidence: {
        identity: [{ field: 'purl', confidence: 1, methods: [{ technique: 'manifest-analysis', confidence: 1 }] }],
      },
    })),
    dependencies: [
      { ref: 'webshop', dependsOn: [ref(0)] },
      ...Array.from({ length: components }, (_, index) => ({
        ref: ref(index),
        dependsOn: [1, 2, 3]
          .map((step) => index + step)
          .filter((one) => one < components)
          .map(ref),
      })),
    ],
  });
}
