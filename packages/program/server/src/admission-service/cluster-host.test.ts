import { expect, test } from 'vitest';
import { clusterNamespacesOf } from './cluster-host.ts';

test.each([
  ['registry.infra.svc'],
  ['registry.infra.svc.'],
  ['registry.infra.svc:5000'],
  ['Registry.Infra.SVC:5000'],
  ['registry.infra.svc.cluster.local:5000'],
  ['registry.infra.svc.corp.internal'],
  ['svc.infra.svc'],
  // A Pod behind a headless Service.
  ['registry-0.registry.infra.svc'],
  ['registry-0.registry.infra.svc.cluster.local:5000'],
  ['registry-0.svc.infra.svc.cluster.local'],
  ['10-0-0-1.infra.pod.cluster.local'],
  // Patterns of images.
  ['*.infra.svc:5000'],
  ['*.infra.svc:*'],
  ['**.infra.svc'],
  ['reg*.infra.svc.cluster.local'],
  ['*.registry.infra.svc'],
  ['registry.infra.svc*'],
  ['registry.infra.svc.*'],
])('%s is in the namespace infra', (host) => {
  expect(clusterNamespacesOf([host])).toEqual(['infra']);
});

test.each([
  ['ghcr.io'],
  ['localhost:5000'],
  ['[::1]:5000'],
  ['svc.example.com'],
  ['registry.svc.example.com'],
  ['registry.eu.prod.svc.example.com'],
  ['registry.infra.svcs'],
  ['infra.pod.example.com'],
  // It may be anywhere.
  ['**'],
  ['*.svc'],
  ['registry.*.svc'],
  ['registry.in*.svc'],
  // Of a public name nobody can tell it.
  ['registry.infra'],
])('%s is in no namespace that can be told', (host) => {
  expect(clusterNamespacesOf([host])).toEqual([]);
});

test('each namespace is named once', () => {
  expect(clusterNamespacesOf(['a.infra.svc', 'ghcr.io', 'b.infra.svc:5000', 'a.tools.svc'])).toEqual([
    'infra',
    'tools',
  ]);
});
