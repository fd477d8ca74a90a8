import { agentName } from '@colophon/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openDatabase } from '../database/open-database.ts';
import { AgentNameStore } from './agent-name-store.ts';

test('a name is found in any case, in the spelling that was accepted first', async () => {
  const db = openDatabase(':memory:');
  const names = new AgentNameStore(db);
  expect(names.find('Fixer')).toBeUndefined();
  const entry = { agent_name: 'Fixer', agent_id: 'id-1' };
  await db.write(() => names.insert(entry, 1));
  expect(['Fixer', 'fixer', 'FIXER'].map((name) => names.find(name))).toEqual([entry, entry, entry]);
  expect(new AgentNameStore(db).find('fIXER')).toEqual(entry);
});

test('a name is never given to another, nor an identifier', async () => {
  const db = openDatabase(':memory:');
  const names = new AgentNameStore(db);
  await db.write(() => names.insert({ agent_name: 'Fixer', agent_id: 'id-1' }, 1));
  await expect(db.write(() => names.insert({ agent_name: 'fixer', agent_id: 'id-2' }, 1))).rejects.toThrow(/UNIQUE/);
  await expect(db.write(() => names.insert({ agent_name: 'other', agent_id: 'id-1' }, 1))).rejects.toThrow(/UNIQUE/);
  expect(names.find('other')).toBeUndefined();
});

test('more names than the memory holds are all still found', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(agentName(), { selector: (name) => name.toLowerCase(), maxLength: 20 }),
      async (all) => {
        const db = openDatabase(':memory:');
        const names = new AgentNameStore(db, { cacheSize: 3 });
        for (const [i, agent_name] of all.entries()) {
          await db.write(() => names.insert({ agent_name, agent_id: `id-${i}` }, 1));
          names.find(agent_name);
        }
        expect(names.remembered).toBe(Math.min(3, all.length));
        for (const [i, agent_name] of all.entries()) {
          expect(names.find(agent_name.toUpperCase())).toEqual({ agent_name, agent_id: `id-${i}` });
        }
        db.close();
      },
    ),
    { numRuns: 50 },
  );
});
