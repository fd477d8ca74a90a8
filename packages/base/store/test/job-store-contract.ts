// What the job table promises, between processes too: run on SQLite and on PostgreSQL.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { JobStore } from '../src/index.ts';
import { codeOf, connected } from './sql-database-contract.ts';

const LEASER = fileURLToPath(new URL('./job-leaser.ts', import.meta.url));

/** A process that leases jobs in the database: a line tells what it got, a line to it lets it begin. */
function leaser(address: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [LEASER, address, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    line: async () => String((await lines.next()).value),
    begin: () => child.stdin.write('\n'),
    kill: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** `freshAddress` gives the address of an empty database, another one each time. */
export function jobStoreContract(freshAddress: () => string): void {
  async function planned(...names: readonly string[]) {
    const address = freshAddress();
    const jobs = await JobStore.open(await connected(address));
    for (const name of names) await jobs.plan(name, { firstRunAt: 1000, notAfter: 1e12 });
    const lease = (owner: string, now: number, leaseSeconds = 60) => jobs.lease({ owner, now, leaseSeconds });
    return { address, jobs, lease };
  }

  describe('a job', () => {
    test('is leased to one owner once it is due, and to nobody else until it is finished', async () => {
      const { jobs, lease } = await planned('a');
      expect(await lease('x', 999)).toBeUndefined();
      const held = await lease('x', 1000);
      expect(held).toEqual({ name: 'a', owner: 'x', fence: 1, startedAt: 1000, attempts: 1, leaseUntil: 61_000 });
      expect(await lease('y', 1000)).toBeUndefined();
      expect(await lease('x', 60_999)).toBeUndefined();
      await jobs.finish(held!, { outcome: 'done', message: 'two records', now: 5000, nextRunAt: 9000 });
      expect(await jobs.list()).toEqual([
        {
          name: 'a',
          nextRunAt: 9000,
          fence: 1,
          attempts: 0,
          startedAt: 1000,
          finishedAt: 5000,
          lastOutcome: 'done',
          lastMessage: 'two records',
        },
      ]);
      expect(await lease('y', 8999)).toBeUndefined();
      expect(await lease('y', 9000)).toMatchObject({ owner: 'y', fence: 2 });
    });

    test('that was missed many times runs once', async () => {
      const { jobs, lease } = await planned('a');
      const held = await lease('x', 1_000_000);
      await jobs.finish(held!, { outcome: 'done', now: 1_000_001, nextRunAt: 1_010_000 });
      expect(await lease('x', 1_000_002)).toBeUndefined();
    });

    test('counts what was begun since it was last done', async () => {
      const { jobs, lease } = await planned('a');
      for (const attempts of [1, 2, 3]) {
        const held = await lease('x', attempts * 10_000);
        expect(held?.attempts).toBe(attempts);
        const outcome = attempts === 3 ? 'done' : 'failed';
        await jobs.finish(held!, { outcome, now: attempts * 10_000, nextRunAt: attempts * 10_000 + 1 });
      }
      expect(await lease('x', 90_000)).toMatchObject({ attempts: 1 });
    });

    test('that waits longest is given first; only what the owner can run', async () => {
      const { jobs, lease } = await planned('b', 'a');
      await jobs.plan('c', { firstRunAt: 500, notAfter: 1e12 });
      expect(await jobs.lease({ names: ['a'], owner: 'x', now: 2000, leaseSeconds: 60 })).toMatchObject({ name: 'a' });
      expect(await jobs.lease({ names: ['a', 'z'], owner: 'x', now: 2000, leaseSeconds: 60 })).toBeUndefined();
      expect(await lease('x', 2000)).toMatchObject({ name: 'c' });
      expect(await lease('x', 2000)).toMatchObject({ name: 'b' });
      expect(await lease('x', 2000)).toBeUndefined();
    });

    test('is not held for years by who took it while the clock was ahead, and died', async () => {
      const { jobs, lease } = await planned('a');
      const year = 365 * 86_400_000;
      expect(await lease('x', 2000 + year)).toBeDefined();
      await jobs.plan('a', { firstRunAt: 5, notAfter: 9000, leaseNotAfter: 5000 });
      expect(await lease('y', 4999)).toBeUndefined();
      expect(await lease('y', 5000)).toMatchObject({ name: 'a', owner: 'y' });
      await jobs.plan('a', { firstRunAt: 5, notAfter: 9000, leaseNotAfter: 1e12 });
      expect(await lease('z', 5001)).toBeUndefined();
    });

    test('keeps its time when it is planned again, unless that is too far', async () => {
      const { jobs, lease } = await planned('a');
      await jobs.plan('a', { firstRunAt: 5, notAfter: 2000 });
      expect((await jobs.list())[0]?.nextRunAt).toBe(1000);
      await jobs.plan('a', { firstRunAt: 5, notAfter: 700 });
      expect((await jobs.list())[0]?.nextRunAt).toBe(700);
      const held = await lease('x', 1000);
      await jobs.plan('a', { firstRunAt: 5, notAfter: 6 });
      expect((await jobs.list())[0]?.nextRunAt).toBe(700);
      await jobs.release(held!);
    });

    test('that is given back is due as before, as if nobody had begun it', async () => {
      const { jobs, lease } = await planned('a');
      const held = await lease('x', 1000);
      await jobs.release(held!);
      expect(await jobs.list()).toEqual([{ name: 'a', nextRunAt: 1000, fence: 1, attempts: 0, startedAt: 1000 }]);
      expect(await lease('y', 1000)).toMatchObject({ owner: 'y', fence: 2, attempts: 1 });
      expect(await codeOf(jobs.release(held!))).toBe('store.conflict');
    });
  });

  describe('a lease', () => {
    test('that is renewed lasts longer', async () => {
      const { jobs, lease } = await planned('a');
      const held = await lease('x', 1000);
      expect(await jobs.renew(held!, { now: 50_000, leaseSeconds: 60 })).toMatchObject({ leaseUntil: 110_000 });
      expect(await lease('y', 109_999)).toBeUndefined();
      expect(await lease('y', 110_000)).toMatchObject({ owner: 'y' });
    });

    test('that ran out is taken over, and its old owner can neither renew nor finish nor give back', async () => {
      const { jobs, lease } = await planned('a');
      const lost = await lease('x', 1000);
      const held = await lease('y', 61_000);
      expect(held).toMatchObject({ owner: 'y', fence: 2, attempts: 2 });
      expect((await jobs.list())[0]).toMatchObject({ lastOutcome: 'abandoned', leaseOwner: 'y' });
      const end = { outcome: 'done', now: 62_000, nextRunAt: 99_000 } as const;
      expect(await codeOf(jobs.renew(lost!, { now: 62_000, leaseSeconds: 60 }))).toBe('store.conflict');
      expect(await codeOf(jobs.finish(lost!, end))).toBe('store.conflict');
      expect(await codeOf(jobs.release(lost!))).toBe('store.conflict');
      await jobs.finish(held!, end);
      expect(await codeOf(jobs.finish(held!, end))).toBe('store.conflict');
    });

    test('that its own owner took anew is another one', async () => {
      const { jobs, lease } = await planned('a');
      const lost = await lease('x', 1000);
      await lease('x', 61_000);
      expect(await codeOf(jobs.renew(lost!, { now: 62_000, leaseSeconds: 60 }))).toBe('store.conflict');
    });

    test('that ran out unnoticed, and that nobody took, can still be renewed and finished', async () => {
      const { jobs, lease } = await planned('a');
      const held = await lease('x', 1000);
      const renewed = await jobs.renew(held!, { now: 90_000, leaseSeconds: 60 });
      await jobs.finish(renewed, { outcome: 'failed', now: 90_001, nextRunAt: 90_002 });
      expect((await jobs.list())[0]).toMatchObject({ lastOutcome: 'failed', attempts: 1 });
    });

    test('under a clock that goes back ends no sooner, and the job does not run again', async () => {
      const { jobs, lease } = await planned('a');
      const held = await lease('x', 1_000_000);
      const renewed = await jobs.renew(held!, { now: 5000, leaseSeconds: 60 });
      expect(renewed.leaseUntil).toBe(1_060_000);
      expect(await lease('y', 70_000)).toBeUndefined();
      // By the clock that went back the next run would lie before this one was begun.
      await jobs.finish(renewed, { outcome: 'done', now: 6000, nextRunAt: 9000 });
      expect(await lease('y', 9000)).toBeUndefined();
      expect(await lease('y', 1_000_000)).toBeUndefined();
      expect(await lease('y', 1_000_001)).toBeDefined();
    });
  });

  describe('many who ask at once', () => {
    test('get a job once, over one connection and over several', async () => {
      const { address, jobs } = await planned('a', 'b', 'c');
      const others = await Promise.all(Array.from({ length: 3 }, async () => JobStore.open(await connected(address))));
      const leases = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          [jobs, ...others][i % 4]!.lease({ names: ['b'], owner: `o${i}`, now: 2000, leaseSeconds: 60 }),
        ),
      );
      expect(leases.filter((lease) => lease !== undefined)).toHaveLength(1);
      expect((await jobs.list()).filter(({ leaseOwner }) => leaseOwner !== undefined)).toHaveLength(1);
    });

    test('from two processes get it once', async () => {
      const { address, jobs } = await planned('a');
      const leasers = [leaser(address, 'race'), leaser(address, 'race')];
      for (const one of leasers) expect(await one.line()).toBe('ready');
      for (const one of leasers) one.begin();
      const won = await Promise.all(leasers.map(async (one) => Number(await one.line())));
      expect(won.reduce((sum, n) => sum + n, 0)).toBe(1);
      expect((await jobs.list())[0]).toMatchObject({ fence: 1, attempts: 1 });
    });

    test('that each make the tables first make them once', async () => {
      const address = freshAddress();
      const leasers = Array.from({ length: 3 }, () => leaser(address, 'open'));
      for (const one of leasers) expect(await one.line()).toBe('ready');
      for (const one of leasers) one.begin();
      expect(await Promise.all(leasers.map((one) => one.line()))).toEqual(['open', 'open', 'open']);
    });

    test('take over from one that was killed, and not before its lease is out', async () => {
      const { address, jobs } = await planned('a');
      const owner = leaser(address, 'hold');
      expect(await owner.line()).toBe('ready');
      owner.begin();
      expect(await owner.line()).toBe('holds');
      await owner.kill();
      expect(await jobs.lease({ owner: 'y', now: 2000 + 59_999, leaseSeconds: 60 })).toBeUndefined();
      expect(await jobs.lease({ owner: 'y', now: 2000 + 60_000, leaseSeconds: 60 })).toMatchObject({ fence: 2 });
      expect((await jobs.list())[0]).toMatchObject({ lastOutcome: 'abandoned', leaseOwner: 'y' });
    });
  });

  test('the database has a clock of its own', async () => {
    const { jobs } = await planned();
    const [before, now, after] = [Date.now(), await jobs.now(), Date.now()];
    expect(now).toBeGreaterThanOrEqual(before - 1);
    expect(now).toBeLessThanOrEqual(after + 1);
  });
}
