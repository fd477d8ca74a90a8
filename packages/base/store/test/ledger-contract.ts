// What a ledger's storage promises, between connections and processes too: run on SQLite and on PostgreSQL.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  EMPTY_ROOT,
  grownTree,
  hashLeaf,
  rootFromLeafHashes,
  verifyConsistency,
  verifyInclusion,
} from '@colophon/merkle';
import { seededBytes } from '@colophon/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { LedgerStorage } from '../src/ledger/ledger-storage.ts';
import type { NewLedgerRow } from '../src/ledger-store/ledger-store.ts';
import type { TreeHead } from '../src/merkle-log-store/merkle-log-store.ts';
import { sequenceSome } from './ledger-sequence.ts';
import { openLedger } from './open-ledger.ts';
import { replayedToken } from './replayed-token.ts';
import { codeOf } from './sql-database-contract.ts';

const APPENDER = fileURLToPath(new URL('./ledger-appender.ts', import.meta.url));
const REPLAYER = fileURLToPath(new URL('./token-replayer.ts', import.meta.url));

const row = (jti: string, issued_at = 1_764_000_000): NewLedgerRow => ({
  jti,
  issued_at,
  salt: seededBytes(`salt ${jti}`, 16),
  leaf_version: 2,
  leaf_hash: hashLeaf(seededBytes(`leaf ${jti}`, 16)),
  payload: `{"jti":"${jti}","é":"'?"}`,
  authorization: `{"caller":"${jti}"}`,
});
const erasure = (jti: string) => ({
  jti,
  contentHash: seededBytes(`content ${jti}`, 32),
  event: row(`erased ${jti}`),
});
const tokens = (...jtis: readonly string[]) => jtis.map((jti) => ({ row: row(jti) }));
const named = (jti: string, agent_name: string, agent_id: string) => ({
  row: row(jti),
  name: { agent_name, agent_id },
});

async function opened(address: string): Promise<LedgerStorage> {
  const { ledger, close } = await openLedger(address);
  onTestFinished(close);
  return ledger;
}

/** Brings every row into the tree. */
async function sequenceAll(ledger: LedgerStorage, limit = 512): Promise<TreeHead[]> {
  const heads: TreeHead[] = [];
  for (;;) {
    const head = await sequenceSome(ledger, limit);
    if (head === undefined) return heads;
    heads.push(head);
  }
}

/** Every row is found, in the order of `jtis` or of its own, and is proven under the newest head. */
async function expectProven(ledger: LedgerStorage, jtis: readonly string[]): Promise<Uint8Array[]> {
  const leaves: Uint8Array[] = [];
  for (const jti of jtis) {
    const found = await ledger.find(jti);
    if (found?.covered === undefined) throw new Error(`${jti} is not under a head`);
    const { head, path: proof } = found.covered;
    const { seq: index, leaf_hash: leafHash } = found.row;
    expect(verifyInclusion({ index, size: head.size, leafHash, root: head.root, proof }), jti).toBe(true);
    leaves[index] = leafHash;
  }
  return leaves;
}

/** The whole lines of a process that appends, which is killed `delayMs` after its first line of the kind `until`, however slow the machine is. */
async function killedAppender(
  address: string,
  until: 'try' | 'row' | 'head',
  delayMs: number,
  program = APPENDER,
): Promise<string[]> {
  const appender = spawn(process.execPath, [program, address]);
  onTestFinished(() => void appender.kill('SIGKILL'));
  let output = '';
  let errors = '';
  const begun = Promise.withResolvers<void>();
  appender.stdout.on('data', (chunk) => {
    output += chunk;
    if (`\n${output}`.includes(`\n${until} `)) begun.resolve();
  });
  appender.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const closed = once(appender, 'close');
  await Promise.race([begun.promise, closed]);
  await pause(delayMs);
  appender.kill('SIGKILL');
  expect(await closed, errors).toEqual([null, 'SIGKILL']);
  return output.split('\n').slice(0, -1);
}

/**
 * `freshAddress` gives the address of an empty database, another one each time; `atOnce` are the calls, tens of them,
 * that it answers on a busy machine before one gives up waiting for a connection.
 */
export function ledgerContract(freshAddress: () => string, { atOnce }: { readonly atOnce: number }): void {
  async function two() {
    const address = freshAddress();
    return { address, ledger: await opened(address), other: await opened(address) };
  }

  describe('a ledger', () => {
    test('that is new is empty', async () => {
      const { ledger } = await two();
      expect(await ledger.tail()).toEqual({
        rows: 0,
        lastIssuedAt: undefined,
        leaves: 0,
        root: EMPTY_ROOT,
        head: undefined,
      });
      expect(await ledger.pending(9)).toEqual({ head: undefined, edge: [], leafHashes: [] });
      expect(await ledger.find('a')).toBeUndefined();
      expect(await ledger.findName('a')).toBeUndefined();
      expect(await codeOf(ledger.erase(erasure('a')))).toBe('store.conflict');
    });

    test('numbers rows in their order, and others see them once they are promised', async () => {
      const { ledger, other } = await two();
      await ledger.append(tokens('a', 'b'));
      await ledger.append([{ row: row('c', 1_764_000_009) }]);
      expect(await other.find('b')).toEqual({ row: { seq: 1, ...row('b'), content_hash: null }, covered: undefined });
      expect(await other.tail()).toMatchObject({ rows: 3, lastIssuedAt: 1_764_000_009, leaves: 0 });
      expect((await other.pending(2)).leafHashes).toEqual([row('a').leaf_hash, row('b').leaf_hash]);
    });

    test('has no gaps, however many append at once', async () => {
      const { ledger, other } = await two();
      const jtis = Array.from({ length: 40 }, (_, i) => `jti-${i}`);
      await Promise.all(jtis.map((jti, i) => (i % 2 ? ledger : other).append(tokens(jti, `${jti}+`))));
      const seqs = new Map<string, number>();
      for (const jti of jtis) {
        const [first, second] = [await ledger.find(jti), await other.find(`${jti}+`)];
        expect(second!.row.seq).toBe(first!.row.seq + 1);
        seqs.set(jti, first!.row.seq);
      }
      expect([...seqs.values()].sort((a, b) => a - b)).toEqual(jtis.map((_, i) => 2 * i));
    });

    test('takes all rows of a call or none, and a jti once', async () => {
      const { ledger } = await two();
      await ledger.append(tokens('a'));
      expect(await codeOf(ledger.append(tokens('b', 'a')))).toBe('store.conflict');
      expect(await codeOf(ledger.append(tokens('c', 'c')))).toBe('store.conflict');
      await ledger.append(tokens('d'));
      expect((await ledger.find('d'))?.row.seq).toBe(1);
      expect(await ledger.tail()).toMatchObject({ rows: 2 });
    });

    test('refuses only the call in conflict, not those that come with it', async () => {
      const { ledger } = await two();
      await ledger.append([named('a', 'Fixer', 'id-1')]);
      const codes = await Promise.all(
        [
          ledger.append(tokens('b')),
          ledger.append(tokens('c', 'a')),
          ledger.append([named('d', 'fixer', 'id-2')]),
          ledger.append([named('e', 'other', 'id-3')]),
        ].map(codeOf),
      );
      expect(codes).toEqual(['fulfilled', 'store.conflict', 'store.conflict', 'fulfilled']);
      expect(await ledger.tail()).toMatchObject({ rows: 3 });
      expect(await ledger.find('c')).toBeUndefined();
      expect(await ledger.find('d')).toBeUndefined();
    });

    test('drops what an erased row held, and keeps its leaf and proof', async () => {
      const { ledger, other } = await two();
      await ledger.append(tokens('a', 'b'));
      await sequenceAll(ledger);
      await ledger.erase(erasure('a'));
      const erased = { payload: null, salt: null, authorization: null, content_hash: erasure('a').contentHash };
      expect((await other.find('a'))?.row).toEqual({ seq: 0, ...row('a'), ...erased });
      expect((await other.find('a'))?.erasure).toEqual({ seq: 2, ...row('erased a'), content_hash: null });
      expect(await codeOf(other.erase(erasure('a')))).toBe('store.conflict');
      expect(await ledger.tail()).toMatchObject({ rows: 3 });
      expect((await other.find('b'))?.row.payload).toBe(row('b').payload);
      await expectProven(other, ['a', 'b']);
    });

    test('keeps on whose authority a row was written, or that nothing says so', async () => {
      const { ledger, other } = await two();
      await ledger.append([{ row: row('a') }, { row: { ...row('b'), authorization: null } }]);
      expect((await other.find('a'))?.row.authorization).toBe('{"caller":"a"}');
      expect((await other.find('b'))?.row.authorization).toBeNull();
    });

    test('that is closed says so', async () => {
      const { ledger, close } = await openLedger(freshAddress());
      await close();
      expect(await codeOf(ledger.append(tokens('a')))).toBe('store.closed');
    });
  });

  describe('an agent’s name', () => {
    test('is registered with its first token, and found in any case', async () => {
      const { ledger, other } = await two();
      await ledger.append([named('a', 'Fixer', 'id-1')]);
      const registered = { agent_name: 'Fixer', agent_id: 'id-1' };
      for (const name of ['Fixer', 'fixer', 'FIXER']) expect({ ...(await other.findName(name)) }).toEqual(registered);
    });

    test('may come with several tokens, and is kept as it was', async () => {
      const { ledger, other } = await two();
      await Promise.all([ledger.append([named('a', 'Fixer', 'id-1')]), other.append([named('b', 'Fixer', 'id-1')])]);
      await ledger.append([named('c', 'Fixer', 'id-1'), named('d', 'Fixer', 'id-1')]);
      expect(await ledger.tail()).toMatchObject({ rows: 4 });
    });

    test.each([
      ['another spelling', 'fixer', 'id-1'],
      ['another identifier', 'Fixer', 'id-2'],
      ['another’s identifier', 'other', 'id-1'],
    ])('with %s takes its rows with it', async (_, name, id) => {
      const { ledger, other } = await two();
      await ledger.append([named('a', 'Fixer', 'id-1')]);
      expect(await codeOf(other.append([...tokens('b'), named('c', name, id)]))).toBe('store.conflict');
      expect(await ledger.find('b')).toBeUndefined();
      expect(await ledger.find('c')).toBeUndefined();
      expect(await ledger.findName('other')).toBeUndefined();
    });

    test('that two ask for at once is one’s', async () => {
      const { ledger, other } = await two();
      const ids = Array.from({ length: 8 }, (_, i) => `id-${i}`);
      const asked = ids.map((id, i) => codeOf((i % 2 ? ledger : other).append([named(`jti ${id}`, 'Fixer', id)])));
      const codes = await Promise.all(asked);
      expect([...codes].sort()).toEqual(['fulfilled', ...Array(7).fill('store.conflict')]);
      const winner = ids[codes.indexOf('fulfilled')];
      expect((await ledger.findName('fixer'))?.agent_id).toBe(winner);
      expect(await ledger.tail()).toMatchObject({ rows: 1 });
    });
  });

  describe('a caller’s token that counts once', () => {
    const NOW = 1_764_000_000;
    const used = (jti: string, key: string, { now = NOW, forgetAt = NOW + 300 } = {}) => ({
      row: row(jti),
      use: { tokenKey: seededBytes(`token ${key}`, 32), now, forgetAt },
    });

    test('gets one row, however many ask at once, and takes no other call with it', async () => {
      const { ledger, other } = await two();
      const asked = Array.from({ length: atOnce }, (_, i) => {
        const to = i % 2 ? ledger : other;
        return i % 10 === 0 ? to.append(tokens(`free-${i}`)) : to.append([used(`jti-${i}`, 'one')]);
      });
      const codes = await Promise.all(asked.map(codeOf));
      const counts = Object.fromEntries(
        [...new Set(codes)].map((code) => [code, codes.filter((one) => one === code).length]),
      );
      expect(counts).toEqual({ fulfilled: atOnce / 10 + 1, 'store.token_used': (atOnce / 10) * 9 - 1 });
      expect(await ledger.tail()).toMatchObject({ rows: atOnce / 10 + 1 });
    });

    test('counts once after the ledger is opened again too', async () => {
      const address = freshAddress();
      const first = await openLedger(address);
      await first.ledger.append([used('a', 'one')]);
      await first.close();
      const second = await opened(address);
      expect(await codeOf(second.append([used('b', 'one')]))).toBe('store.token_used');
      expect(await second.find('b')).toBeUndefined();
      expect(await codeOf(second.append([used('c', 'two')]))).toBe('fulfilled');
    });

    test('is not used up by a call that is refused', async () => {
      const { ledger } = await two();
      await ledger.append([...tokens('a'), used('b', 'one')]);
      expect(await codeOf(ledger.append([used('a', 'two')]))).toBe('store.conflict');
      expect(await codeOf(ledger.append([used('c', 'three'), used('d', 'one')]))).toBe('store.token_used');
      expect(await codeOf(ledger.append([used('e', 'two'), used('f', 'three')]))).toBe('fulfilled');
      expect(await ledger.tail()).toMatchObject({ rows: 4 });
    });

    test('is remembered as long as it may be valid, and forgotten then', async () => {
      const { ledger } = await two();
      await ledger.append([used('a', 'one')]);
      expect(await codeOf(ledger.append([used('b', 'one', { now: NOW + 300 })]))).toBe('store.token_used');
      expect(await codeOf(ledger.append([used('c', 'one', { now: NOW + 301, forgetAt: NOW + 900 })]))).toBe(
        'fulfilled',
      );
    });
  });

  describe('the tree', () => {
    test('goes from head to head, and proves every row under the newest', async () => {
      const { ledger, other } = await two();
      const jtis = Array.from({ length: 23 }, (_, i) => `jti-${i}`);
      await ledger.append(tokens(...jtis));
      const heads = await sequenceAll(other, 5);
      expect(heads.map(({ size }) => size)).toEqual([5, 10, 15, 20, 23]);
      const leaves = await expectProven(ledger, jtis);
      for (const { size, root } of heads) expect(root).toEqual(rootFromLeafHashes(leaves.slice(0, size)));
      const head = heads.at(-1);
      expect(await ledger.tail()).toMatchObject({ rows: 23, leaves: 23, root: head?.root, head });
      expect((await ledger.pending(5)).head).toMatchObject({ size: 23, note: 'note 23', signedAt: 23 });
    });

    test('proves that each head continues each smaller one, and nothing beyond the newest', async () => {
      const { ledger, other } = await two();
      await ledger.append(tokens(...Array.from({ length: 11 }, (_, i) => `jti-${i}`)));
      const heads = await sequenceAll(other, 4);
      await ledger.append(tokens('waits'));
      const last = heads.at(-1)!;
      for (const { size, root } of heads) {
        const proof = await ledger.consistency(size, last.size);
        const claim = { first: size, second: last.size, firstRoot: root, secondRoot: last.root, proof: proof! };
        expect(verifyConsistency(claim)).toBe(true);
      }
      for (const [first, second] of [
        [0, 4],
        [-1, 4],
        [5, 4],
        [4, 12],
        [12, 12],
      ] as const)
        expect(await ledger.consistency(first, second)).toBe(undefined);
    });

    test('of rows that were left without a head goes on where it was', async () => {
      const address = freshAddress();
      const first = await openLedger(address);
      await first.ledger.append(tokens('a', 'b', 'c'));
      await sequenceAll(first.ledger);
      await first.ledger.append(tokens('d', 'e'));
      await first.close();
      const second = await opened(address);
      expect(await second.find('d')).toMatchObject({ row: { seq: 3 }, covered: undefined });
      expect((await sequenceAll(second)).map(({ size }) => size)).toEqual([5]);
      await expectProven(second, ['a', 'b', 'c', 'd', 'e']);
    });

    test('is not moved from a head that is no longer the newest, and who lost is told', async () => {
      const { ledger, other } = await two();
      await ledger.append(tokens('a', 'b'));
      const { head: from, edge, leafHashes } = await ledger.pending(1);
      const { size, root, nodes } = grownTree(0, edge, leafHashes);
      const late = { from, nodes, to: { size, root, note: 'late', signedAt: 1 } };
      await sequenceAll(other);
      const before = await ledger.tail();
      expect(await codeOf(ledger.advance(late))).toBe('store.conflict');
      expect(await ledger.tail()).toEqual(before);
      // Also where the new head is of the same size: nobody's signature replaces another's.
      const again = grownTree(0, [], [row('a').leaf_hash, row('b').leaf_hash]);
      const same = { size: 2, root: again.root, note: 'late', signedAt: 1 };
      expect(await codeOf(ledger.advance({ from: undefined, nodes: again.nodes, to: same }))).toBe('store.conflict');
      expect((await ledger.tail()).head?.note).toBe('note 2');
    });

    test('takes no head that its nodes do not give', async () => {
      const { ledger } = await two();
      await ledger.append(tokens('a', 'b', 'c'));
      await sequenceSome(ledger, 2);
      const before = await ledger.tail();
      const { head: from, edge, leafHashes } = await ledger.pending(9);
      const { size, root, nodes } = grownTree(2, edge, leafHashes);
      const to = { size, root, note: '', signedAt: 1 };
      const forged = { ...to, root: hashLeaf(new Uint8Array(1)) };
      expect(await codeOf(ledger.advance({ from, nodes, to: forged }))).toBe('store.fork');
      const other = { level: 0, index: 1, hash: hashLeaf(new Uint8Array(2)) };
      expect(await codeOf(ledger.advance({ from, nodes: [...nodes, other], to }))).toBe('store.fork');
      expect(await ledger.tail()).toEqual(before);
      expect(await codeOf(ledger.advance({ from, nodes, to }))).toBe('fulfilled');
    });

    test('that several bring on at once, while rows come, is one tree', async () => {
      const { ledger, other } = await two();
      const jtis: string[] = [];
      let isDone = false;
      async function appendOn(to: LedgerStorage, prefix: string): Promise<void> {
        for (let i = 0; i < 25; i += 1) {
          const jti = `${prefix}${i}`;
          await to.append(tokens(jti));
          jtis.push(jti);
        }
      }
      const heads: TreeHead[] = [];
      async function sequenceOn(of: LedgerStorage): Promise<void> {
        while (!isDone) {
          const head = await sequenceSome(of, 3);
          if (head === undefined) await new Promise(setImmediate);
          else heads.push(head);
        }
      }
      const sequencers = [ledger, other, ledger, other].map(sequenceOn);
      await Promise.all([appendOn(ledger, 'a'), appendOn(other, 'b'), appendOn(other, 'c')]);
      isDone = true;
      await Promise.all(sequencers);
      heads.push(...(await sequenceAll(ledger)));
      const sizes = heads.map(({ size }) => size);
      expect(new Set(sizes).size).toBe(sizes.length);
      const leaves = await expectProven(ledger, jtis);
      expect(leaves).toHaveLength(75);
      for (const { size, root } of heads) expect(root).toEqual(rootFromLeafHashes(leaves.slice(0, size)));
    });
  });

  describe('two processes that are killed', () => {
    test('have used each token for one row at most, and for each row that they promised', async () => {
      const address = freshAddress();
      const tried = new Map<string, number>();
      const promised = new Set<string>();
      for (const delayMs of [0, 20]) {
        const lines = await Promise.all([
          killedAppender(address, 'row', delayMs, REPLAYER),
          killedAppender(address, 'try', delayMs + 9, REPLAYER),
        ]);
        for (const line of lines.flat()) {
          const [kind, token, jti = ''] = line.split(' ');
          if (kind === 'try') tried.set(jti, Number(token));
          else promised.add(jti);
        }
      }
      const ledger = await opened(address);
      const rowsOf = new Map<number, number>();
      for (const [jti, token] of tried) {
        const isThere = (await ledger.find(jti)) !== undefined;
        if (promised.has(jti)) expect(isThere, jti).toBe(true);
        rowsOf.set(token, (rowsOf.get(token) ?? 0) + Number(isThere));
      }
      expect(promised.size).toBeGreaterThan(0);
      for (const [token, rows] of rowsOf) {
        expect(rows, `token ${token}`).toBeLessThanOrEqual(1);
        const again = ledger.append([{ row: row(`again ${token}`), use: replayedToken(token) }]);
        expect(await codeOf(again), `token ${token}`).toBe(rows === 1 ? 'store.token_used' : 'fulfilled');
      }
    });

    test('leave every row and every head that they promised, and the next go on', async () => {
      const address = freshAddress();
      const tried = new Set<string>();
      const rows = new Map<string, string>();
      const heads = new Map<number, string>();
      const rounds = [
        ['try', 0],
        ['row', 13],
        ['head', 40],
      ] as const;
      for (const [until, delayMs] of rounds) {
        const lines = await Promise.all([
          killedAppender(address, until, delayMs),
          killedAppender(address, until, delayMs + 9),
        ]);
        for (const line of lines.flat()) {
          const [kind, first = '', second = ''] = line.split(' ');
          if (kind === 'try') tried.add(first);
          else if (kind === 'row') rows.set(first, second);
          else heads.set(Number(first), second);
        }
        const ledger = await opened(address);
        await sequenceAll(ledger);
        for (const [jti, agentName] of rows) {
          expect(await ledger.find(jti), jti).toBeDefined();
          expect(await ledger.findName(agentName), agentName).toBeDefined();
        }
        // Rows that nobody was promised may be there too.
        const kept: string[] = [];
        for (const jti of tried) if ((await ledger.find(jti)) !== undefined) kept.push(jti);
        const leaves = await expectProven(ledger, kept);
        const tail = await ledger.tail();
        expect([kept.length, tail.leaves]).toEqual([tail.rows, tail.rows]);
        for (const [size, root] of heads) {
          expect(Buffer.from(rootFromLeafHashes(leaves.slice(0, size))).toString('hex'), `head ${size}`).toBe(root);
        }
      }
      // Two in the round that waits for each.
      expect(rows.size).toBeGreaterThanOrEqual(2);
      expect(heads.size).toBeGreaterThanOrEqual(2);
    });
  });
}
