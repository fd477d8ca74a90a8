import { expect, test } from 'vitest';
import type { Component } from '../document/bom.ts';
import { readAttribution } from './read-attribution.ts';

const CODE = { type: 'library', name: 'left-pad' } as const;
const properties = (values: Record<string, string>) => ({
  ...CODE,
  properties: Object.entries(values).map(([name, value]) => ({ name, value })),
});

test('variant A reads the same from the extension and from properties', () => {
  const fields = {
    agent: 'code-writer',
    model: 'model-1',
    model_version: '2026-01',
    prompt: `sha256:${'a'.repeat(64)}`,
    generated_at: '2026-01-02T03:04:05Z',
    reviewed_by: 'dana@example.com',
    reviewed_at: '2026-01-02T04:04:05Z',
  };
  expect(readAttribution({ ...CODE, 'x-ai-generated': fields })).toEqual(fields);
  const named = Object.fromEntries(Object.entries(fields).map(([name, value]) => [`colophon:ai:${name}`, value]));
  expect(readAttribution(properties({ ...named, 'colophon:ai:basis': 'declared' }))).toEqual({
    ...fields,
    basis: 'declared',
  });
});

test('variant B reads from its namespace, whether it is said or seen', () => {
  const component = properties({
    'acme:authored-by': 'autonomous_agent',
    'acme:agent-id': 'code-writer',
    'acme:agent-model': 'model-1',
    'acme:source-package': 'left-pad@1.3.0',
    'acme:source-similarity': '0.91',
    'acme:vendoring-method': 'inline-rewrite',
  });
  expect(readAttribution(component, { namespace: 'vendor' })).toBeUndefined();
  expect(readAttribution(component)).toEqual(readAttribution(component, { namespace: 'acme' }));
  expect(readAttribution(component)).toEqual({
    authored_by: 'autonomous_agent',
    agent: 'code-writer',
    model: 'model-1',
    source_package: 'left-pad@1.3.0',
    source_similarity: '0.91',
    vendoring_method: 'inline-rewrite',
  });
});

test('a name that only ends alike is no variant B', () => {
  expect(readAttribution(properties({ 'monitoring:agent-id': '7', 'x:agent-model': 'm' }))).toBeUndefined();
});

test('what a person vendored is not an agent’s', () => {
  expect(readAttribution(properties({ 'vendor:source-package': 'left-pad@1.3.0' }))).toBeUndefined();
  expect(readAttribution(properties({ 'vendor:authored-by': 'human' }))).toBeUndefined();
});

test.each([
  CODE,
  { ...CODE, 'x-ai-generated': null },
  { ...CODE, 'x-ai-generated': true },
  { ...CODE, 'x-ai-generated': { agent: 7, model: '' } },
  { ...CODE, properties: [null, 1, {}, { name: 'colophon:ai:agent' }, { name: 'colophon:ai:agent', value: ' ' }] },
  { ...CODE, properties: 'colophon:ai:agent' },
  { ...CODE, properties: [{ name: 'colophon:ai:bundle', value: 'sha256:00' }] },
])('%j names no agent', (component) => {
  expect(readAttribution(component as unknown as Component)).toBeUndefined();
});

test('the extension goes before properties, and variant A before variant B', () => {
  const component = {
    ...properties({ 'colophon:ai:agent': 'b', 'vendor:agent-id': 'c', 'vendor:agent-model': 'd' }),
    'x-ai-generated': { agent: 'a' },
  };
  expect(readAttribution(component)).toEqual({ agent: 'a', model: 'd' });
});
