import { expect, onTestFinished, test, vi } from 'vitest';
import { AttachmentRoom, FREE_BYTES } from './attachment-room.ts';

const MIB = 1024 * 1024;

test('an image holds what there is room for, and waits until another gives its own back', async () => {
  const room = new AttachmentRoom({ bytes: 10 * MIB, waitMs: 5_000 });
  const [one, other] = [room.share(), room.share()];
  expect(await one.hold(8 * MIB)).toBe(true);
  let isHeld: boolean | undefined;
  const waiting = other.hold(4 * MIB).then((held) => {
    isHeld = held;
  });
  expect(await room.share().hold(2 * MIB)).toBe(true);
  expect(isHeld).toBeUndefined();
  one.end();
  await waiting;
  expect(isHeld).toBe(true);
});

test('who finds no room in time has none, and nothing is lost of it', async () => {
  const room = new AttachmentRoom({ bytes: 10 * MIB, waitMs: 10 });
  const one = room.share();
  expect(await one.hold(8 * MIB)).toBe(true);
  expect(await room.share().hold(4 * MIB)).toBe(false);
  expect(await room.share().hold(11 * MIB)).toBe(false);
  one.end();
  expect(await room.share().hold(10 * MIB)).toBe(true);
});

test('an image waits so long in all, however often it asks', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const room = new AttachmentRoom({ bytes: 4 * MIB, waitMs: 1_000 });
  expect(await room.share().hold(4 * MIB)).toBe(true);
  const image = room.share();
  const asked = (async () => {
    for (let i = 0; i < 20; i++) expect(await image.hold(2 * MIB)).toBe(false);
    return Date.now();
  })();
  const since = Date.now();
  await vi.advanceTimersByTimeAsync(30_000);
  // A wait of no time is a timer's shortest, a millisecond.
  expect((await asked) - since).toBeLessThan(1_100);
});

test('an ordinary image holds what it has without room, however full it is', async () => {
  const room = new AttachmentRoom({ bytes: 2 * MIB, waitMs: 10 });
  expect(await room.share().hold(2 * MIB)).toBe(true);
  const ordinary = room.share();
  expect(await ordinary.hold(FREE_BYTES - 10)).toBe(true);
  expect(await ordinary.hold(10)).toBe(true);
  expect(await ordinary.hold(1)).toBe(false);
});

test('one that waits for much does not keep others waiting', async () => {
  const room = new AttachmentRoom({ bytes: 10 * MIB, waitMs: 5_000 });
  const [one, two] = [room.share(), room.share()];
  await one.hold(5 * MIB);
  await two.hold(5 * MIB);
  const much = room.share();
  const asked = much.hold(10 * MIB);
  const little = room.share();
  const held = little.hold(4 * MIB);
  one.end();
  expect(await held).toBe(true);
  little.end();
  two.end();
  expect(await asked).toBe(true);
});

test('what comes after the end holds nothing, also where it waited for room', async () => {
  const room = new AttachmentRoom({ bytes: 10 * MIB, waitMs: 5_000 });
  const one = room.share();
  await one.hold(10 * MIB);
  const ended = room.share();
  const waiting = ended.hold(4 * MIB);
  ended.end();
  one.end();
  one.end();
  expect(await waiting).toBe(false);
  expect(await ended.hold(1)).toBe(false);
  expect(await room.share().hold(10 * MIB)).toBe(true);
});

test.each([{ bytes: 0 }, { bytes: Number.NaN }, { waitMs: -1 }])('%j is no room', (options) => {
  expect(() => new AttachmentRoom(options)).toThrow(TypeError);
});

test('one asker has its share, with all images, and leaves the rest to others', async () => {
  const room = new AttachmentRoom({ bytes: 10 * MIB, shareBytes: 6 * MIB, waitMs: 50 });
  const [one, other] = [room.share('shop'), room.share('shop')];
  expect(await one.hold(4 * MIB)).toBe(true);
  expect([await other.hold(3 * MIB), other.holdNow(3 * MIB)]).toEqual([false, false]);
  expect([await room.share('bank').hold(6 * MIB), other.holdNow(2 * MIB)]).toEqual([true, false]);
  one.end();
  expect(room.share('shop').holdNow(4 * MIB)).toBe(true);
});

test('who waits for their own share gets it when it is given back', async () => {
  const room = new AttachmentRoom({ bytes: 10 * MIB, shareBytes: 4 * MIB, waitMs: 5_000 });
  const one = room.share('shop');
  expect(await one.hold(4 * MIB)).toBe(true);
  const waiting = room.share('shop').hold(4 * MIB);
  one.end();
  expect(await waiting).toBe(true);
});

test('nobody waits for what can never be', async () => {
  const room = new AttachmentRoom({ bytes: 10 * MIB, shareBytes: 4 * MIB, waitMs: 3_600_000 });
  expect(await room.share().hold(5 * MIB)).toBe(false);
});

test('what is in memory already is held now or never', async () => {
  const room = new AttachmentRoom({ bytes: 4 * MIB });
  const image = room.share();
  expect([image.holdNow(FREE_BYTES), image.holdNow(4 * MIB), image.holdNow(1)]).toEqual([true, true, false]);
  image.end();
  expect([image.holdNow(1), room.share().holdNow(4 * MIB)]).toEqual([false, true]);
});
