import type { JobRow } from '@colophon/store';
import { expect, test } from 'vitest';
import { shownJob, shownJobRun } from './shown-job.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z');
const row = (more: Partial<JobRow>): JobRow => ({ name: 'kev', nextRunAt: NOW, fence: 1, attempts: 0, ...more });

test.each([
  ['due', {}],
  ['waiting', { nextRunAt: NOW + 1 }],
  ['running', { leaseOwner: 'one', leaseUntil: NOW + 1 }],
  ['abandoned', { leaseOwner: 'one', leaseUntil: NOW }],
] as const)('a job is %s by its lease and its next run', (state, more) => {
  expect(shownJob(row(more), NOW).state).toBe(state);
});

test('times are shown in whole seconds, and what is not known is absent', () => {
  const run = { name: 'kev', outcome: 'lost', message: 'm', startedAt: NOW, endedAt: NOW + 1999 } as const;
  expect(shownJobRun(run)).toEqual({
    name: 'kev',
    outcome: 'lost',
    message: 'm',
    started_at: '2026-11-21T10:00:00Z',
    ended_at: '2026-11-21T10:00:01Z',
  });
});
