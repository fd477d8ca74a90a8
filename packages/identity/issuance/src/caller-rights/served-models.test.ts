import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ClaimedToken, compileRights, missingRight } from './caller-rights.ts';

const REFUSED = { code: 'caller.model_not_allowed', field: 'model_id', rule: 'models' };
const TOKEN: ClaimedToken = {
  purpose: 'artifact',
  audience: 'sigstore',
  policyPack: undefined,
  servedModels: [],
  claims: { agent_name: 'code-writer', model_id: 'claude-opus-4-1' },
  sources: { model_id: 'witness-isolated' },
};

const missing = (models: readonly string[] | undefined, token: Partial<ClaimedToken>) =>
  missingRight(compileRights({ agents: ['code-writer'], ...(models && { models }) }), { ...TOKEN, ...token });

describe('a right to models', () => {
  it.each([
    ['the token’s own model alone', []],
    ['the same model as the token', ['claude-opus-4-1']],
    ['a small model beside it', ['claude-haiku-4-5', 'claude-opus-4-1']],
  ])('stands for every model that answered: %s', (_which, servedModels) => {
    expect(missing(['claude-*'], { servedModels })).toBeUndefined();
    expect(missing(undefined, { servedModels })).toBeUndefined();
  });

  it.each([
    ['at the end', ['claude-haiku-4-5', 'gpt-4o']],
    ['at the beginning', ['gpt-4o', 'claude-haiku-4-5']],
    ['alone', ['gpt-4o']],
    ['with a name that only begins alike', ['claude-haiku-4-5/x']],
  ])('is missing where one of them is another one: %s', (_where, servedModels) => {
    expect(missing(['claude-*'], { servedModels })).toEqual(REFUSED);
  });

  it('is missing for the model that the token names, although all that answered are allowed', () => {
    const claims = { ...TOKEN.claims, model_id: 'gpt-4o' };
    expect(missing(['claude-*'], { claims, servedModels: ['claude-haiku-4-5'] })).toEqual(REFUSED);
  });

  it('is not needed for a reviewer’s token, and is for a commit’s', () => {
    const servedModels = ['gpt-4o'];
    const may = { agents: ['code-writer'], models: ['claude-*'], purposes: ['commit', 'review'] } as const;
    const of = (purpose: ClaimedToken['purpose']) =>
      missingRight(compileRights(may), { ...TOKEN, purpose, servedModels })?.code;
    expect([of('review'), of('commit')]).toEqual([undefined, 'caller.model_not_allowed']);
  });

  it('lets no receipt pass with a model that no pattern names', () => {
    const names = fc.constantFrom('claude-opus-4-1', 'claude-haiku-4-5', 'gpt-4o', 'gpt-4o-mini');
    let passed = 0;
    fc.assert(
      fc.property(fc.array(names, { minLength: 1 }), fc.array(names), names, (models, servedModels, model_id) => {
        const token = { claims: { ...TOKEN.claims, model_id }, servedModels };
        const areAllowed = [model_id, ...servedModels].every((name) => models.includes(name));
        expect(missing(models, token)).toEqual(areAllowed ? undefined : REFUSED);
        if (areAllowed) passed += 1;
      }),
      { numRuns: 1_000 },
    );
    expect(passed).toBeGreaterThan(20);
  });
});
