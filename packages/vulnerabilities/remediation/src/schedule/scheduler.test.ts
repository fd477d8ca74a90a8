import { JobStore, openSqlDatabase, StoreError } from '@colophon/store';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ScheduleTime } from '../../test/schedule-time.ts';
import type { Job } from './job.ts';
import { type ScheduleEvent, Scheduler, type SchedulerOptions } from './scheduler.ts';

const HOUR = 3600;

/** A job table, and replicas that share it and its clock. */
async function table() {
  const db = await openSqlDatabase(':memory:');
  onTestFinished(() => db.close());
  const store = await JobStore.open(db);
  const time = new ScheduleTime();
  const events: ScheduleEvent[] = [];
  let replicas = 0;
  /** Starts one more replica; `stop` ends it as Ctrl-C does. */
  function replica(jobs: readonly Job[], more: Partial<SchedulerOptions> = {}) {
    const owner = `replica-${++replicas}`;
    const report = (event: ScheduleEvent) => void events.push(event);
    const scheduler = new Scheduler({ store, jobs, owner, clock: time, random: () => 0.5, report, ...more });
    const controller = new AbortController();
    return {
      owner,
      once: () => scheduler.runDue(controller.signal),
      start() {
        const running = scheduler.run(controller.signal);
        const stop = async () => {
          controller.abort();
          await running;
        };
        onTestFinished(async () => {
          controller.abort();
          // As long as deaf work is waited for.
          await time.pass(15);
          await running;
        });
        return stop;
      },
    };
  }
  const row = async (name = 'a') => (await store.list()).find((one) => one.name === name);
  const ended = () => events.flatMap((event) => (event.type === 'ended' ? [event.run.outcome] : []));
  return { db, store, time, replica, row, events, ended };
}

function job(run: Job['run'], more: Partial<Job> = {}): Job {
  return { name: 'a', everySeconds: HOUR, timeoutSeconds: 600, run, ...more };
}

/** Work that lasts until it is told to end. */
const untilAborted = (signal: AbortSignal): Promise<string> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });

describe('a job', () => {
  test('runs at once, and then once in its interval, whatever the number of replicas', async () => {
    const { time, replica, row } = await table();
    const run = vi.fn(async () => 'done it');
    for (let i = 0; i < 5; i++) replica([job(run)]).start();
    await time.pass(1);
    expect(run).toHaveBeenCalledTimes(1);
    expect(await row()).toMatchObject({ lastOutcome: 'done', lastMessage: 'done it', attempts: 0 });
    await time.pass(HOUR - 2);
    expect(run).toHaveBeenCalledTimes(1);
    await time.pass(20);
    expect(run).toHaveBeenCalledTimes(2);
    await time.pass(9 * HOUR);
    expect(run).toHaveBeenCalledTimes(11);
  });

  test('that is missed while nobody is there runs once', async () => {
    const { time, replica } = await table();
    const run = vi.fn(async () => '');
    expect(await replica([job(run)]).once()).toHaveLength(1);
    time.shown += 100 * HOUR * 1000;
    const runs = await Promise.all([replica([job(run)]).once(), replica([job(run)]).once()]);
    expect(runs.flat()).toHaveLength(1);
    expect(run).toHaveBeenCalledTimes(2);
  });

  test('that is not due, or that another replica runs, is left out', async () => {
    const { time, replica } = await table();
    const stop = replica([job(untilAborted)]).start();
    await time.pass(1);
    expect(await replica([job(async () => '')]).once()).toEqual([]);
    await stop();
    expect(await replica([job(async () => '')]).once()).toMatchObject([{ name: 'a', outcome: 'done' }]);
    expect(await replica([job(async () => '')]).once()).toEqual([]);
  });

  test('of another name runs meanwhile', async () => {
    const { time, replica } = await table();
    const run = vi.fn(async () => '');
    replica([job(untilAborted), job(run, { name: 'b' })]).start();
    await time.pass(2 * HOUR);
    expect(run.mock.calls.length).toBeGreaterThan(1);
  });

  test('whose interval was made shorter is due sooner', async () => {
    const { time, replica, row } = await table();
    await replica([job(async () => '', { everySeconds: 100 * HOUR })]).once();
    await replica([job(async () => '')]).once();
    expect((await row())?.nextRunAt).toBe(time.shown + HOUR * 1000);
  });

  test('says nothing of several lines or without end', async () => {
    const { replica, row } = await table();
    await replica([job(async () => `a\n\u001b[31mb${'c'.repeat(1000)}`)]).once();
    expect((await row())?.lastMessage).toMatch(/^a \[31mbc{293}$/);
  });
});

describe('a failure', () => {
  test('is recorded with its code, and tried again later and later, but no later than the interval', async () => {
    const { time, replica, row } = await table();
    const failed = Object.assign(new Error('nobody there'), { code: 'feeds.unreachable' });
    const waits: number[] = [];
    for (let i = 0; i < 9; i++) {
      const [run] = await replica([job(() => Promise.reject(failed))]).once();
      expect(run).toMatchObject({ outcome: 'failed', message: 'feeds.unreachable: nobody there' });
      waits.push((run!.nextRunAt! - run!.endedAt) / 1000);
      time.shown = run!.nextRunAt!;
    }
    expect(waits).toEqual([45, 90, 180, 360, 720, 1440, 2700, 2700, 2700]);
    expect(await row()).toMatchObject({ lastOutcome: 'failed', attempts: 9 });
    await replica([job(async () => '')]).once();
    expect(await row()).toMatchObject({ lastOutcome: 'done', attempts: 0 });
  });

  test('comes back at another time on each replica', async () => {
    const nextRuns = [];
    for (const random of [0, 0.999]) {
      const { time, replica } = await table();
      const [run] = await replica([job(() => Promise.reject(new Error()))], { random: () => random }).once();
      nextRuns.push(run!.nextRunAt! - time.shown);
    }
    expect(nextRuns).toEqual([30_000, 59_970]);
  });

  test('of one job keeps no other from running', async () => {
    const { replica } = await table();
    const jobs = [
      job(() => {
        throw new Error('at once');
      }),
      job(async () => '', { name: 'b' }),
    ];
    expect((await replica(jobs).once()).map(({ name, outcome }) => [name, outcome])).toEqual([
      ['a', 'failed'],
      ['b', 'done'],
    ]);
  });
});

describe('a lease', () => {
  test('is kept as long as the work goes on', async () => {
    const { time, replica, ended } = await table();
    const run = vi.fn(async (signal: AbortSignal) => {
      await time.sleep(550_000, signal);
      return 'slow';
    });
    for (let i = 0; i < 3; i++) replica([job(run)]).start();
    await time.pass(560);
    expect(ended()).toEqual(['done']);
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('of work that hangs is lost: it is aborted, counts as failed, and is tried again', async () => {
    const { time, replica, row, ended } = await table();
    let aborted = 0;
    const run = vi.fn((signal: AbortSignal) => {
      signal.addEventListener('abort', () => aborted++);
      // Deaf to it.
      return new Promise<string>(() => {});
    });
    replica([job(run)]).start();
    await time.pass(599);
    expect([aborted, ended()]).toEqual([0, []]);
    await time.pass(12);
    expect([aborted, ended()]).toEqual([1, ['failed']]);
    expect(await row()).toMatchObject({ lastOutcome: 'failed', lastMessage: 'did not end within 600 s' });
    await time.pass(100);
    expect(run).toHaveBeenCalledTimes(2);
  });

  test('of a replica that stands still is taken over, and what it does afterwards counts for nothing', async () => {
    const { time, store, replica, row, ended } = await table();
    let endsWork: (said: string) => void = () => {};
    const frozen: typeof time = Object.assign(new ScheduleTime(), { now: () => time.now() });
    replica([job(() => new Promise((resolve) => (endsWork = resolve)))], { clock: frozen }).start();
    await time.settle();
    expect((await row())?.leaseOwner).toBe('replica-1');
    const second = replica([job(async () => 'by the second')]);
    await time.pass(119);
    expect(await second.once()).toEqual([]);
    await time.pass(2);
    expect(await second.once()).toMatchObject([{ outcome: 'done' }]);
    endsWork('by the first');
    await frozen.settle();
    expect(ended()).toEqual(['done', 'lost']);
    expect((await store.list())[0]).toMatchObject({ lastMessage: 'by the second', fence: 2 });
  });

  test('that somebody else took is noticed at the next renewal, and the work is aborted', async () => {
    const { db, time, replica, ended } = await table();
    const run = vi.fn(untilAborted);
    replica([job(run)]).start();
    await time.pass(1);
    await db.write([{ text: "UPDATE job SET fence = fence + 1, lease_owner = 'other'", changes: 1 }]);
    await time.pass(45);
    expect(run.mock.calls[0]![0].aborted).toBe(true);
    expect(ended()).toEqual(['lost']);
  });

  test('that cannot be renewed is given up before somebody else may have it', async () => {
    const { store, time, replica, ended } = await table();
    const run = vi.fn(untilAborted);
    vi.spyOn(store, 'renew').mockRejectedValue(new StoreError('store.unavailable', 'gone'));
    replica([job(run)]).start();
    await time.pass(79);
    expect(run.mock.calls[0]![0].aborted).toBe(false);
    await time.pass(2);
    expect(run.mock.calls[0]![0].aborted).toBe(true);
    expect(ended()).toEqual(['lost']);
    expect(time.shown).toBeLessThan((await store.list())[0]!.leaseUntil!);
  });

  test('that now and then cannot be renewed is renewed the next time', async () => {
    const { store, time, replica, ended } = await table();
    const { renew } = JobStore.prototype;
    let asked = 0;
    vi.spyOn(store, 'renew').mockImplementation((...args) =>
      asked++ % 2 === 0 ? Promise.reject(new StoreError('store.unavailable', 'gone')) : renew.apply(store, args),
    );
    const run = vi.fn((signal: AbortSignal) => time.sleep(500_000, signal).then(() => ''));
    replica([job(run)]).start();
    await time.pass(510);
    expect(run.mock.calls[0]![0].aborted).toBe(false);
    expect(ended()).toEqual(['done']);
  });

  test('is given back on Ctrl-C, and the job is due as before, for anybody', async () => {
    const { time, replica, row, ended } = await table();
    const run = vi.fn(untilAborted);
    const stop = replica([job(run)]).start();
    await time.pass(10);
    await stop();
    expect(ended()).toEqual(['released']);
    expect(await row()).toMatchObject({ attempts: 0 });
    expect((await row())?.leaseOwner).toBeUndefined();
    expect(await replica([job(async () => '')]).once()).toMatchObject([{ outcome: 'done' }]);
  });

  test('of work that was done all the same is not given back but finished', async () => {
    const { time, replica, ended } = await table();
    const stop = replica([job((signal) => time.sleep(1e9, signal).then(() => 'all the same'))]).start();
    await time.pass(10);
    await stop();
    expect(ended()).toEqual(['done']);
  });

  test('is not used where the program ends first', async () => {
    const { store, time } = await table();
    const run = vi.fn(async () => '');
    const { lease } = JobStore.prototype;
    const controller = new AbortController();
    vi.spyOn(store, 'lease').mockImplementation(async (asked) => {
      const given = await lease.call(store, asked);
      controller.abort();
      return given;
    });
    const jobs = [job(run)];
    await new Scheduler({ store, jobs, owner: 'x', clock: time }).run(controller.signal);
    expect(run).not.toHaveBeenCalled();
    expect((await store.list())[0]).toMatchObject({ fence: 1, attempts: 0 });
    expect((await store.list())[0]?.leaseOwner).toBeUndefined();
  });
});

describe('a clock', () => {
  test('that jumps back runs nothing twice', async () => {
    const { time, replica } = await table();
    const run = vi.fn(async () => '');
    replica([job(run)]).start();
    await time.pass(HOUR / 2);
    time.shown -= HOUR * 1000;
    await time.pass(1.4 * HOUR);
    expect(run).toHaveBeenCalledTimes(1);
    await time.pass(0.2 * HOUR);
    expect(run).toHaveBeenCalledTimes(2);
  });

  test('that jumps back during a run brings the next one no nearer', async () => {
    const { time, replica, row } = await table();
    const began = time.shown;
    const jumping = async () => {
      time.shown -= 5 * HOUR * 1000;
      return '';
    };
    await replica([job(jumping)]).once();
    expect((await row())?.nextRunAt).toBe(began + HOUR * 1000);
  });

  test('that jumps back during a run that fails lets it be tried again no sooner', async () => {
    const { time, replica, row } = await table();
    const began = time.shown;
    const jumping = () => {
      time.shown -= 5 * HOUR * 1000;
      throw new Error();
    };
    await replica([job(jumping)]).once();
    expect((await row())?.nextRunAt).toBe(began + 45_000);
  });

  test('that was ahead and is right again does not stop a job for ever', async () => {
    const { time, replica } = await table();
    const run = vi.fn(async () => '');
    time.shown += 1000 * HOUR * 1000;
    await replica([job(run)]).once();
    time.shown -= 1000 * HOUR * 1000;
    replica([job(run)]).start();
    await time.pass(HOUR + 20);
    expect(run).toHaveBeenCalledTimes(2);
  });
});

describe('a database that is not there', () => {
  const gone = new StoreError('store.unavailable', 'gone');

  test('is asked again until it is', async () => {
    const { store, time, replica, events } = await table();
    const run = vi.fn(async () => '');
    const plan = vi.spyOn(store, 'plan').mockRejectedValueOnce(gone);
    const lease = vi.spyOn(store, 'lease').mockRejectedValueOnce(gone);
    replica([job(run)]).start();
    await time.pass(40);
    expect([plan.mock.calls.length, lease.mock.calls.length > 1]).toEqual([2, true]);
    expect(run).toHaveBeenCalledTimes(1);
    expect(events.filter(({ type }) => type === 'trouble')).toHaveLength(2);
  });

  test('when a run ends is told of it as soon as it is there', async () => {
    const { store, time, replica, row } = await table();
    vi.spyOn(store, 'finish').mockRejectedValueOnce(gone).mockRejectedValueOnce(gone);
    replica([job(async () => 'done it')]).start();
    await time.pass(10);
    expect(await row()).toMatchObject({ lastOutcome: 'done', lastMessage: 'done it' });
  });

  test('when a run ends, and long after, leaves it unrecorded: the next who can runs it', async () => {
    const { store, time, replica, ended } = await table();
    const finish = vi.spyOn(store, 'finish').mockRejectedValue(gone);
    const run = vi.fn(async () => '');
    replica([job(run)]).start();
    await time.pass(150);
    expect(ended()).toEqual(['unrecorded']);
    finish.mockRestore();
    await time.pass(150);
    expect(ended()).toContain('done');
  });

  test('keeps nobody waiting who ends the program', async () => {
    const { store, time, replica, ended } = await table();
    const release = vi.spyOn(store, 'release').mockRejectedValue(gone);
    const stop = replica([job(untilAborted)]).start();
    await time.pass(1);
    await stop();
    expect(ended()).toEqual(['unrecorded']);
    expect(release).toHaveBeenCalledTimes(1);
  });

  test('whose answer to the commit was lost has recorded the run all the same', async () => {
    const { store, time, replica, ended, row } = await table();
    const { finish } = JobStore.prototype;
    vi.spyOn(store, 'finish').mockImplementationOnce(async (...args) => {
      await finish.apply(store, args);
      throw new StoreError('store.outcome_unknown', 'cut');
    });
    replica([job(async () => '')]).start();
    await time.pass(10);
    expect(ended()).toEqual(['done']);
    expect(await row()).toMatchObject({ lastOutcome: 'done', attempts: 0 });
  });

  test('because nobody is let in ends the scheduler', async () => {
    const { store, time, replica } = await table();
    vi.spyOn(store, 'list').mockRejectedValueOnce(new StoreError('store.unauthorized', 'no'));
    const jobs = [job(async () => '')];
    const scheduler = new Scheduler({ store, jobs, owner: 'x', clock: time });
    await expect(scheduler.run(new AbortController().signal)).rejects.toMatchObject({ code: 'store.unauthorized' });
    expect(await replica(jobs).once()).toEqual([]);
  });
});
