import type { JobRun, ScheduleEvent } from '@colophon/remediation';
import { coloursFor, oneLine, type Terminal } from '../terminal/terminal.ts';
import { formatSeconds } from './interval.ts';
import type { JobRunResult } from './schedule-result.ts';

/** A run as scripts read it. */
export function resultOfRun({ name, outcome, message, startedAt, endedAt, nextRunAt }: JobRun): JobRunResult {
  return {
    name,
    outcome,
    message,
    started_at: timeOf(startedAt),
    ended_at: timeOf(endedAt),
    ...(nextRunAt !== undefined && { next_run_at: timeOf(nextRunAt) }),
  };
}

/** Milliseconds as RFC 3339, in whole seconds. */
export function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Tells people on standard error what a scheduler does, a line each. */
export function scheduleReporter(terminal: Terminal, now: () => number = Date.now): (event: ScheduleEvent) => void {
  const colours = coloursFor(terminal);
  return (event) => {
    const line = lineOf(event, colours);
    terminal.stderr.write(`${colours.dim(timeOf(now()))}  ${line}\n`);
  };
}

type Colours = ReturnType<typeof coloursFor>;

function lineOf(event: ScheduleEvent, colours: Colours): string {
  if (event.type === 'trouble') return `${colours.yellow('waiting')}  ${oneLine(event.error.message)}`;
  if (event.type === 'started') {
    return `begun    ${oneLine(event.name)}${event.attempt > 1 ? ` (attempt ${event.attempt})` : ''}`;
  }
  const { name, outcome, message, startedAt, endedAt, nextRunAt } = event.run;
  const colour = outcome === 'done' ? colours.green : outcome === 'released' ? colours.yellow : colours.red;
  const next = nextRunAt === undefined ? '' : `; again in ${formatSeconds((nextRunAt - endedAt) / 1000)}`;
  const took = formatSeconds((endedAt - startedAt) / 1000);
  return `${colour(outcome.padEnd(7))}  ${oneLine(`${name}: ${message}`)} (${took}${next})`;
}
