import { describe, expect, it } from 'vitest';
import { compileRegistry } from './registry.ts';

describe('the registries of a configuration', () => {
  const compiled = () =>
    compileRegistry({
      agents: [{ name: 'code-writer', versions: ['2.*'] }, { name: 'code-fixer' }],
      models: [
        { id: 'claude-*', provider: 'anthropic' },
        { id: '*', provider: 'self-hosted' },
        { id: 'claude-mirror', provider: 'acme' },
      ],
      policyPacks: [{ name: 'default', hash: `sha256:${'0'.repeat(64)}` }],
    });

  it('know an agent by its exact name, and its versions', () => {
    const registry = compiled();
    const writer = registry.agent('code-writer')!;
    expect(registry.agent('Code-Writer')).toBeUndefined();
    expect([registry.hasVersion(writer, '2.4.1'), registry.hasVersion(writer, '3.0')]).toEqual([true, false]);
    expect(registry.hasVersion(registry.agent('code-fixer')!, 'any')).toBe(true);
  });

  it('say who serves a model: its own entry before a pattern, the first pattern before a later one', () => {
    const models = ['claude-sonnet', 'claude-mirror', 'llama'];
    expect(models.map(compiled().providerOf)).toEqual(['anthropic', 'acme', 'self-hosted']);
    expect(compileRegistry({}).providerOf('claude-sonnet')).toBeUndefined();
  });

  it('name a policy pack by its hash', () => {
    const registry = compiled();
    expect(registry.policyPackOf(`sha256:${'0'.repeat(64)}`)).toBe('default');
    expect(registry.policyPackOf(`sha256:${'1'.repeat(64)}`)).toBeUndefined();
  });

  it('that name no agents differ from those that name none', () => {
    expect(compileRegistry({}).namesAgents).toBe(false);
    expect(compileRegistry({ agents: [] }).namesAgents).toBe(true);
  });
});
