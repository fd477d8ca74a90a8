import { expect, onTestFinished, test } from 'vitest';
import { LARGE_BODIES_BYTES } from '../body-budget/body-budget.ts';
import { Aside, READ_IN_PLACE_BYTES } from './aside.ts';

const MIB = 1024 * 1024;

function open(options?: ConstructorParameters<typeof Aside>[0]): Aside {
  const aside = new Aside(options);
  onTestFinished(() => aside.close());
  return aside;
}

/** A manifest of at least so many bytes. */
const manifest = (bytes: number) =>
  Buffer.from(JSON.stringify({ schemaVersion: 2, manifests: [], note: 'x'.repeat(bytes) }));
const INDEX = 'application/vnd.oci.image.index.v1+json';
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'read',
    (error: { code?: string }) => error.code,
  );

test('a large body is read while others are served, a small one at once', async () => {
  const aside = open();
  const order: string[] = [];
  const large = aside.read('manifest', manifest(READ_IN_PLACE_BYTES), INDEX).then(() => order.push('large'));
  setImmediate(() => order.push('a turn'));
  const small = aside.read('manifest', manifest(10), INDEX).then(() => order.push('small'));
  await Promise.all([large, small]);
  expect(order).toEqual(['small', 'a turn', 'large']);
});

test('what waits is bounded in bytes, and room is given back', async () => {
  const aside = open();
  const body = manifest(3 * MIB);
  const fits = Math.floor(LARGE_BODIES_BYTES / body.length);
  const codes = await Promise.all(Array.from({ length: fits + 2 }, () => codeOf(aside.read('manifest', body, INDEX))));
  expect(codes.filter((code) => code === 'server.busy')).toHaveLength(2);
  expect(await codeOf(aside.read('manifest', body, INDEX))).toBe('read');
});

test('a body that takes too long ends its process and nothing else', async () => {
  let worked = 0;
  const aside = open({ timeoutMs: 1, workMsOf: () => worked++ });
  expect(await codeOf(aside.read('manifest', manifest(2 * MIB), INDEX))).toBe('server.body_too_costly');
  expect(await codeOf(aside.read('manifest', manifest(10), INDEX))).toBe('read');
});

test('a machine that gives a body no time is busy, and the body costs nothing', async () => {
  const aside = open({ timeoutMs: 1, workMsOf: () => 7 });
  expect(await codeOf(aside.read('manifest', manifest(2 * MIB), INDEX))).toBe('server.busy');
});

test('what waits for the machine is read all the same', async () => {
  const aside = open({ timeoutMs: 20_000, workMsOf: () => 7 });
  expect(await codeOf(aside.read('manifest', manifest(2 * MIB), INDEX))).toBe('read');
});

test('where no system tells what work was done, the clock counts', async () => {
  const aside = open({ timeoutMs: 1, workMsOf: () => undefined });
  expect(await codeOf(aside.read('manifest', manifest(2 * MIB), INDEX))).toBe('server.body_too_costly');
});

test('a body that swells beyond the memory there is ends what reads it, and the next is read by another', async () => {
  const aside = open({ heapMb: 32 });
  // Every value takes many times the bytes that it is written with.
  const bomb = Buffer.from(`{"a":[${'[],'.repeat(2.9 * MIB)}[]]}`);
  const [first, second] = await Promise.all([
    codeOf(aside.read('logQuery', bomb)),
    codeOf(aside.read('manifest', manifest(2 * MIB), INDEX)),
  ]);
  expect([first, second]).toEqual(['server.body_too_costly', 'read']);
});

test('closing refuses what waits', async () => {
  const aside = new Aside();
  const waiting = [1, 2].map(() => codeOf(aside.read('manifest', manifest(2 * MIB), INDEX)));
  aside.close();
  expect(await Promise.all(waiting)).toEqual(['server.busy', 'server.busy']);
});
