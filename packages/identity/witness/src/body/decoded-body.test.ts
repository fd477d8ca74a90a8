import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteAllowance } from './byte-allowance.ts';
import { tapBody } from './decoded-body.ts';

const MIB = 1024 * 1024;
const ALLOWED = 64 * MIB;

const CODINGS: Readonly<Record<string, (bytes: Uint8Array) => Buffer>> = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
};

type Heard = { readonly bytes: Buffer; readonly how: 'whole' | 'cut' | 'failed' | 'refused' };

/** What a sink hears of a body that comes in these chunks. */
function heard(
  coding: string | undefined,
  chunks: readonly Uint8Array[],
  {
    isWhole = true,
    most = Number.POSITIVE_INFINITY,
    allowance = new ByteAllowance(ALLOWED),
  }: { isWhole?: boolean; most?: number; allowance?: ByteAllowance } = {},
): Promise<Heard> {
  const { promise, resolve } = Promise.withResolvers<Heard>();
  const parts: Uint8Array[] = [];
  let size = 0;
  const over = (how: Heard['how']) => resolve({ bytes: Buffer.concat(parts), how });
  const tap = tapBody(coding, allowance, {
    write(bytes) {
      parts.push(bytes);
      size += bytes.length;
      if (size < most) return true;
      over('refused');
      return false;
    },
    end: (isEnd) => over(isEnd ? 'whole' : 'cut'),
    fail: () => over('failed'),
  });
  for (const chunk of chunks) tap.write(chunk);
  tap.end(isWhole);
  return promise;
}

const body = Buffer.concat([Buffer.from('{"model":"a"}'.repeat(1000)), randomBytes(20_000)]);

describe.each(Object.keys(CODINGS))('a body in %s', (coding) => {
  const encoded = CODINGS[coding]!(body);

  it('is decoded, however it is cut into chunks', async () => {
    const cuts = fc.array(fc.nat({ max: encoded.length }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(cuts, async (places) => {
        const edges = [0, ...places.sort((a, b) => a - b), encoded.length];
        const chunks = edges.slice(1).map((edge, index) => encoded.subarray(edges[index], edge));
        expect(await heard(coding, chunks)).toEqual({ bytes: body, how: 'whole' });
      }),
      { numRuns: 10 },
    );
  });

  it('is known by its name in any case', async () => {
    expect((await heard(` ${coding.toUpperCase()} `, [encoded])).how).toBe('whole');
  });

  it('that broke off is read as far as it came', async () => {
    const { bytes, how } = await heard(coding, [encoded.subarray(0, -20)], { isWhole: false });
    expect(how).toBe('cut');
    expect(body.subarray(0, bytes.length)).toEqual(bytes);
  });

  it('that ends too early in a transfer that is whole is not read', async () => {
    expect((await heard(coding, [encoded.subarray(0, -20)])).how).toBe('failed');
  });

  it('that is none is not read', async () => {
    expect((await heard(coding, [randomBytes(1000).fill(0xff, 0, 4)])).how).toBe('failed');
  });

  it('gives back what it was allowed to keep', async () => {
    const allowance = new ByteAllowance(ALLOWED);
    await heard(coding, [encoded], { allowance });
    expect(allowance.take(ALLOWED)).toBe(true);
  });

  it('is decoded no further than its reader wants, and nothing of it is kept then', async () => {
    const bomb = CODINGS[coding]!(new Uint8Array(4 * MIB));
    const allowance = new ByteAllowance(ALLOWED);
    const { bytes, how } = await heard(coding, [bomb], { most: MIB / 8, allowance });
    expect(how).toBe('refused');
    expect(bytes.length).toBeLessThan(MIB);
    expect(allowance.take(ALLOWED)).toBe(true);
  });
});

it.each([undefined, '', ' ', 'identity', 'identity, identity', ','])(
  'a body without coding stays as it is: %s',
  async (coding) => {
    const random = randomBytes(1000);
    expect(await heard(coding, [random.subarray(0, 10), random.subarray(10)])).toEqual({ bytes: random, how: 'whole' });
    expect((await heard(coding, [random], { isWhole: false })).how).toBe('cut');
  },
);

it.each(['compress', 'aes', 'gzip;q=1', 'constructor', '__proto__', 'toString'])(
  'a body in %s is not read',
  async (coding) => {
    expect(await heard(coding, [gzipSync(body)])).toEqual({ bytes: Buffer.of(), how: 'failed' });
  },
);

describe('a body that comes faster than it is decoded', () => {
  const incompressible = (size: number) => gzipSync(randomBytes(size), { level: 0 });

  it('is not read beyond 8 MiB that wait', async () => {
    expect((await heard('gzip', [incompressible(7 * MIB)])).how).toBe('whole');
    expect((await heard('gzip', [incompressible(9 * MIB)])).how).toBe('failed');
  });

  it('is read where it is decoded meanwhile, however much it is', async () => {
    const coded = incompressible(12 * MIB);
    const { promise, resolve } = Promise.withResolvers<string>();
    let read = 0;
    let written = 0;
    const tap = tapBody('gzip', new ByteAllowance(ALLOWED), {
      write(bytes) {
        read += bytes.length;
        if (read >= written - MIB) setImmediate(writeOn);
        return true;
      },
      end: () => resolve('whole'),
      fail: () => resolve('failed'),
    });
    const writeOn = () => {
      if (written >= coded.length) return;
      tap.write(coded.subarray(written, written + 2 * MIB));
      written += 2 * MIB;
      if (written >= coded.length) tap.end(true);
    };
    writeOn();
    expect(await promise).toBe('whole');
    expect(read).toBe(12 * MIB);
  });

  it('is not read where it comes in too many small chunks', async () => {
    const chunks = [...incompressible(100_000)].map((byte) => Uint8Array.of(byte));
    expect((await heard('gzip', chunks)).how).toBe('failed');
  });

  it('keeps no more than all bodies may, and gives that back', async () => {
    const coded = incompressible(5_000);
    const allowance = new ByteAllowance(5_000);
    const chunks = [coded.subarray(0, 4_000), coded.subarray(4_000)];
    expect(await heard('gzip', chunks, { allowance })).toEqual({ bytes: Buffer.of(), how: 'failed' });
    expect(allowance.take(5_000)).toBe(true);
  });
});

it('codings after one another are not read: they make much of little', async () => {
  expect((await heard('gzip, gzip', [gzipSync(gzipSync(body))])).how).toBe('failed');
  expect((await heard('br,identity,gzip', [gzipSync(brotliCompressSync(body))])).how).toBe('failed');
  expect(await heard('identity, gzip', [gzipSync(body)])).toEqual({ bytes: body, how: 'whole' });
});

it('zstd with a larger window than HTTP allows is not read (RFC 9659 §3)', async () => {
  // Magic number, no content size, a window of 2^(10 + exponent) bytes, and one block of two bytes (RFC 8878 §3.1.1).
  const frame = (windowExponent: number) =>
    Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0x00, windowExponent << 3, 0x11, 0x00, 0x00, ...Buffer.from('ok'));
  expect(await heard('zstd', [frame(13)])).toEqual({ bytes: Buffer.from('ok'), how: 'whole' });
  expect((await heard('zstd', [frame(14)])).how).toBe('failed');
});
