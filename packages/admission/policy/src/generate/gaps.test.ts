import { describe, expect, it, test } from 'vitest';
import { parsePolicy } from '../policy/policy.ts';
import { POLICY_SCHEMA } from '../policy/policy-schema.ts';
import { KEY_GAPS } from './gap-table.ts';
import { gapComments, gapsOf, rowOf } from './gaps.ts';
import { TARGETS } from './generated-file.ts';

const MINIMAL = `version: 1
images: [ghcr.io/acme/**]
agent: { issuer: https://issuer.example, subject: agent:writer }
`;

function policyOf(more = '', options = {}) {
  const parsed = parsePolicy(MINIMAL + more, options);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
}

type Schema = {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
};

/** Every key of a schema that holds a value or a list of values, with dots. */
function leaves({ properties, items, anyOf }: Schema, above = ''): string[] {
  const members = Object.entries(properties ?? {}).flatMap(([key, schema]) =>
    leaves(schema, above === '' ? key : `${above}.${key}`),
  );
  const below = [...members, ...(items === undefined ? [] : leaves(items, above))];
  const other = (anyOf ?? []).flatMap((schema) => leaves(schema, above));
  return [...(below.length + other.length === 0 || anyOf ? [above] : []), ...below, ...other].filter(
    (key) => key !== '',
  );
}

const KEYS = new Set(leaves(POLICY_SCHEMA as Schema));

describe('the list of what is lost', () => {
  it.each([...KEYS])('knows whether the key %s is written down', (key) => {
    // A new key of a policy: generate what it says, or add a row that says what is lost.
    expect(rowOf(key)).toBeDefined();
  });

  it.each(Object.keys(KEY_GAPS))('has a row for %s because policies have that key', (key) => {
    expect([...KEYS].some((one) => one === key || one.startsWith(`${key}.`))).toBe(true);
  });

  it('has a row for what stands in a list of maps too', () => {
    expect([...KEYS]).toEqual(
      expect.arrayContaining([
        'require.predicateType',
        'review.mayWithdraw.subject',
        'negatives.signer.issuer',
        'images',
        'agent.identities.key',
        'exceptions.until',
      ]),
    );
  });

  it('names a key of the policy only where the policy has it', () => {
    const keys = (more: string) => gapsOf(policyOf(more), 'cosign').map(({ key }) => key);
    expect(keys('')).not.toContain('sources');
    expect(keys('sources: { repo: [declared] }\n')).toContain('sources');
    expect(keys('mode: enforce\n')).not.toContain('mode');
    expect(keys('mode: audit\n')).toContain('mode');
    expect(keys('review: {}\n')).not.toContain('review.conditions');
  });

  it('names a key that nobody knows', () => {
    const policy = policyOf();
    const { file, issueAt } = policy.written!;
    for (const [key, members] of Object.entries({
      'review.new_key': { review: { new_key: true } },
      'agent.new_key': { agent: { ...file.agent, new_key: true } },
      'human.identities.new_key': { human: { identities: [{ new_key: true }] } },
      new_key: { new_key: [{ one: 1 }] },
    })) {
      const written = { issueAt, file: { ...file, ...members } as never };
      const listed = gapsOf({ ...policy, written }, 'cosign').filter(
        ({ what }) => what === 'the key is not written down',
      );
      expect(listed).toEqual([{ key: expect.stringContaining(key), effect: 'admits', what: expect.any(String) }]);
    }
  });

  it('begins with what lets more pass, says each thing once, and differs by program and profile', () => {
    const lists = TARGETS.flatMap((target) =>
      [policyOf(), policyOf('profile: spec\n')].map((one) => gapsOf(one, target)),
    );
    for (const list of lists) {
      const effects = list.map(({ effect }) => effect);
      expect(effects).toEqual(effects.toSorted());
      expect(new Set(list.map((one) => JSON.stringify(one))).size).toBe(list.length);
    }
    expect(new Set(lists.map((list) => JSON.stringify(list))).size).toBe(lists.length);
  });

  it('says of a policy without a type of reviews that those of before do not count', () => {
    const whats = (options: object, more = '') =>
      gapsOf(policyOf(more, options), 'cosign')
        .map(({ what }) => what)
        .join();
    const before = 'https://colophon.example/predicates/agent-review/v1';
    expect(whats({ predicateBase: 'https://acme.example' })).toContain(before);
    expect(whats({})).not.toContain(before);
  });
});

test('a comment has no line of its own, whatever a policy is called', () => {
  const policy = policyOf('name: "a\\nkind: Pod\\u2028b"\n');
  const lines = gapComments(policy, 'cosign', gapsOf(policy, 'cosign')).split('\n');
  expect(lines.pop()).toBe('');
  for (const line of lines) expect(line).toMatch(/^# [\x20-\x7e]+$/);
});
