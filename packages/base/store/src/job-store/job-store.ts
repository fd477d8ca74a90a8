import type { SqlDatabase, SqlRow, SqlStatement, SqlValue } from '../sql-database/sql-database.ts';

/** How a run ended: `abandoned` where its owner let the lease run out. */
export const JOB_OUTCOMES = ['done', 'failed', 'abandoned'] as const;
export type JobOutcome = (typeof JOB_OUTCOMES)[number];

/** A job by its name. Every time is milliseconds since the epoch. */
export type JobRow = {
  readonly name: string;
  /** Not before this time. */
  readonly nextRunAt: number;
  /** Who runs it now; absent where nobody does. */
  readonly leaseOwner?: string;
  /** Until when nobody else may. */
  readonly leaseUntil?: number;
  /** Counts the leases that were ever given. */
  readonly fence: number;
  /** Runs that were begun since the last one that was done. */
  readonly attempts: number;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  readonly lastOutcome?: JobOutcome;
  /** What the last run said of itself, one line. */
  readonly lastMessage?: string;
};

/** The right to run a job until `leaseUntil`; whoever holds an older one than the newest has lost it. */
export type JobLease = {
  readonly name: string;
  readonly owner: string;
  readonly fence: number;
  readonly startedAt: number;
  /** 1 for the first since a run was done. */
  readonly attempts: number;
  readonly leaseUntil: number;
};

const STEPS = [
  `CREATE TABLE job (
     name TEXT PRIMARY KEY, next_run_at BIGINT NOT NULL, lease_owner TEXT, lease_until BIGINT, fence BIGINT NOT NULL,
     attempts BIGINT NOT NULL, started_at BIGINT, finished_at BIGINT, last_outcome TEXT, last_message TEXT);`,
];

/**
 * Jobs that one of many replicas runs at a time. A lease is given by one conditional update, so the database decides who
 * gets it, and each has a number of its own, so that who lost one can neither renew nor finish it.
 */
export class JobStore {
  readonly #db: SqlDatabase;

  private constructor(db: SqlDatabase) {
    this.#db = db;
  }

  /** Makes the table where it is not there. */
  static async open(db: SqlDatabase): Promise<JobStore> {
    await db.migrate('job', STEPS);
    return new JobStore(db);
  }

  /** The time by the database's own clock: on a server all replicas then go by the same one. */
  async now(): Promise<number> {
    const text =
      this.#db.dialect === 'sqlite'
        ? "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS now"
        : 'SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT) AS now';
    const [row] = await this.#db.all({ text });
    return row?.['now'] as number;
  }

  /**
   * Makes the job where it is not there, first due at `firstRunAt`. One that is there keeps its time, unless that is
   * after `notAfter`: a shorter interval than before, or a clock that was ahead. A lease ends by `leaseNotAfter`, for who
   * took it while the clock was years ahead, and died, would hold it for years.
   */
  async plan(
    name: string,
    { firstRunAt, notAfter, leaseNotAfter }: { firstRunAt: number; notAfter: number; leaseNotAfter?: number },
  ): Promise<void> {
    await this.#db.write([
      {
        text: 'INSERT INTO job (name, next_run_at, fence, attempts) VALUES (?, ?, 0, 0) ON CONFLICT DO NOTHING',
        values: [name, firstRunAt],
      },
      {
        text: 'UPDATE job SET next_run_at = ? WHERE name = ? AND next_run_at > ? AND lease_owner IS NULL',
        values: [notAfter, name, notAfter],
      },
      ...(leaseNotAfter === undefined
        ? []
        : [
            {
              text: `UPDATE job SET lease_until = ?, next_run_at = CASE WHEN next_run_at > ? THEN ? ELSE next_run_at END
                     WHERE name = ? AND lease_until > ?`,
              values: [leaseNotAfter, leaseNotAfter, leaseNotAfter, name, leaseNotAfter],
            },
          ]),
    ]);
  }

  /**
   * Gives one job that is due, and that nobody holds, to `owner`: to exactly one, however many ask. Of several the one
   * that waits longest; undefined where there is none.
   */
  async lease({
    names,
    owner,
    now,
    leaseSeconds,
  }: {
    /** Those that the owner can run; absent for every one. */
    readonly names?: readonly string[];
    readonly owner: string;
    readonly now: number;
    readonly leaseSeconds: number;
  }): Promise<JobLease | undefined> {
    const leaseUntil = now + leaseSeconds * 1000;
    const due = await this.#db.all({
      text: 'SELECT name, fence, attempts FROM job WHERE next_run_at <= ? AND (lease_until IS NULL OR lease_until <= ?) ORDER BY next_run_at, name',
      values: [now, now],
    });
    for (const { name, fence, attempts } of due as unknown as readonly Pick<JobRow, 'name' | 'fence' | 'attempts'>[]) {
      if (names?.includes(name) === false) continue;
      // The number that was read is the condition: of all who read it, one changes the row.
      const [changed] = await this.#db.write([
        {
          text: `UPDATE job SET lease_owner = ?, lease_until = ?, fence = fence + 1, attempts = attempts + 1,
                   started_at = ?, last_outcome = CASE WHEN lease_owner IS NULL THEN last_outcome ELSE 'abandoned' END,
                   last_message = CASE WHEN lease_owner IS NULL THEN last_message ELSE NULL END
                 WHERE name = ? AND fence = ? AND next_run_at <= ? AND (lease_until IS NULL OR lease_until <= ?)`,
          values: [owner, leaseUntil, now, name, fence, now, now],
        },
      ]);
      if (changed === 1) {
        return { name, owner, fence: fence + 1, startedAt: now, attempts: attempts + 1, leaseUntil };
      }
    }
    return undefined;
  }

  /**
   * Holds the lease longer. A clock that went back does not shorten it.
   * @throws StoreError `store.conflict` where it is lost: somebody else may run the job already
   */
  async renew(lease: JobLease, { now, leaseSeconds }: { now: number; leaseSeconds: number }): Promise<JobLease> {
    const leaseUntil = Math.max(lease.leaseUntil, now + leaseSeconds * 1000);
    await this.#held(lease, 'lease_until = ?', [leaseUntil]);
    return { ...lease, leaseUntil };
  }

  /**
   * Ends the run and says when the next one is due: never before this one was begun, wherever the clock went.
   * @throws StoreError `store.conflict` where the lease is lost: then the run does not count
   */
  async finish(
    lease: JobLease,
    {
      outcome,
      message,
      now,
      nextRunAt,
    }: { outcome: 'done' | 'failed'; message?: string; now: number; nextRunAt: number },
  ): Promise<void> {
    await this.#held(
      lease,
      `lease_owner = NULL, lease_until = NULL, next_run_at = ?, finished_at = ?, last_outcome = ?, last_message = ?,
       attempts = ${outcome === 'done' ? '0' : 'attempts'}`,
      [Math.max(nextRunAt, lease.startedAt + 1), now, outcome, message ?? null],
    );
  }

  /**
   * Gives the lease back unused: the job is due as before, for anybody.
   * @throws StoreError `store.conflict` where the lease is lost
   */
  async release(lease: JobLease): Promise<void> {
    await this.#held(lease, 'lease_owner = NULL, lease_until = NULL, attempts = ?', [lease.attempts - 1]);
  }

  /** Every job, by name. */
  async list(): Promise<readonly JobRow[]> {
    const rows = await this.#db.all({
      text: `SELECT name, next_run_at, lease_owner, lease_until, fence, attempts, started_at, finished_at, last_outcome,
               last_message FROM job ORDER BY name`,
    });
    return rows.map(rowOf);
  }

  async #held({ name, owner, fence }: JobLease, change: string, values: readonly SqlValue[]): Promise<void> {
    const statement: SqlStatement = {
      text: `UPDATE job SET ${change} WHERE name = ? AND lease_owner = ? AND fence = ?`,
      values: [...values, name, owner, fence],
      changes: 1,
    };
    await this.#db.write([statement]);
  }
}

function rowOf(row: SqlRow): JobRow {
  const known = {
    leaseOwner: row['lease_owner'],
    leaseUntil: row['lease_until'],
    startedAt: row['started_at'],
    finishedAt: row['finished_at'],
    lastOutcome: row['last_outcome'],
    lastMessage: row['last_message'],
  };
  return {
    name: row['name'] as string,
    nextRunAt: row['next_run_at'] as number,
    fence: row['fence'] as number,
    attempts: row['attempts'] as number,
    ...(Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null)) as Partial<JobRow>),
  };
}
