import { jobTime, type ScheduleEvent } from '@colophon/remediation';
import { coloursFor, oneLine, type Terminal } from '../terminal/terminal.ts';
import { formatSeconds } from './interval.ts';

/** Tells people on standard error what a scheduler does, a line each. */
export function scheduleReporter(terminal: Terminal, now: () => number = Date.now): (event: ScheduleEvent) => void {
  const colours = coloursFor(terminal);
  return (event) => {
    const line = lineOf(event, colours);
    terminal.stderr.write(`${colours.dim(jobTime(now()))}  ${line}\n`);
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
