import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { Interrupts, SAME_PRESS_MS, type SignalSource } from './interrupts.ts';

/** A process that notes how it was ended. */
class FakeProcess extends EventEmitter implements SignalSource {
  exitCode?: number;
  readonly exits: number[] = [];
  exit(code: number): void {
    this.exits.push(code);
  }
}

function held() {
  const source = new FakeProcess();
  const clock = { ms: 1_000 };
  const interrupts = new Interrupts(source, () => clock.ms);
  interrupts.hold();
  return { source, clock, interrupts };
}

test('signals are the system’s until they are held', () => {
  const source = new FakeProcess();
  const interrupts = new Interrupts(source);
  expect(source.eventNames()).toEqual([]);
  interrupts.hold();
  interrupts.hold();
  expect(source.listenerCount('SIGINT')).toBe(1);
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
])('%s aborts, and the process is to end with %i', (name, code) => {
  const { source, interrupts } = held();
  expect(interrupts.signal.aborted).toBe(false);
  source.emit(name);
  expect(interrupts.signal.aborted).toBe(true);
  expect(source.exitCode).toBe(code);
  expect(source.exits).toEqual([]);
});

test('the same press that arrives twice is one', () => {
  const { source, clock } = held();
  source.emit('SIGINT');
  clock.ms += SAME_PRESS_MS;
  source.emit('SIGINT');
  expect(source.exits).toEqual([]);
});

test('a second press ends the process hard', () => {
  const { source, clock } = held();
  source.emit('SIGINT');
  clock.ms += SAME_PRESS_MS + 1;
  source.emit('SIGTERM');
  expect(source.exits).toEqual([143]);
});
