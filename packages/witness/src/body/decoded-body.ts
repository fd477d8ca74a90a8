import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { type ByteAllowance, keptBytes } from './byte-allowance.ts';

/** Bytes that wait to be decompressed; a body that comes faster is not read on. */
const MOST_WAITING_BYTES = 8 * 1024 * 1024;

/** A window of 8 MiB at most: more is not allowed in HTTP, and would be taken for each body (RFC 9659 §3). */
const ZSTD_PARAMS = { [constants.ZSTD_d_windowLogMax]: 23 };

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  deflate: () => createInflate(),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress({ params: ZSTD_PARAMS }),
};

/** What a decoded body is given to. */
export type BodySink = {
  /** Bytes as they were before the transfer; false where no more are wanted. */
  write(bytes: Uint8Array): boolean;
  /** No more follows; `isWhole`: neither transfer nor coding broke off. */
  end(isWhole: boolean): void;
  /** Its coding is not known, or the bytes are none of it. */
  fail(): void;
};

/** Takes the bytes of a body as they pass, and hands on what they mean. */
export type BodyTap = {
  write(bytes: Uint8Array): void;
  /** No more follows; `isWhole`: the transfer ended as it should. */
  end(isWhole: boolean): void;
};

/** A tap for a body of this Content-Encoding. Codings after one another are undone in turn (RFC 9110 §8.4). */
export function tapBody(contentEncoding: string | undefined, allowance: ByteAllowance, sink: BodySink): BodyTap {
  const codings = (contentEncoding ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length === 0) return plainTap(sink);
  const decoders = codings
    .toReversed()
    .map((coding) => (Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined));
  // More than two are an attempt to make much of little.
  if (decoders.length > 2 || decoders.includes(undefined)) {
    sink.fail();
    return { write() {}, end() {} };
  }
  return codedTap(
    decoders.map((create) => create!()),
    allowance,
    sink,
  );
}

function plainTap(sink: BodySink): BodyTap {
  let isWanted = true;
  return {
    write(bytes) {
      if (isWanted) isWanted = sink.write(bytes);
    },
    end(isWhole) {
      if (isWanted) sink.end(isWhole);
    },
  };
}

function codedTap(decoders: readonly Transform[], allowance: ByteAllowance, sink: BodySink): BodyTap {
  const first = decoders[0]!;
  const last = decoders.at(-1)!;
  let waiting = 0;
  let isOver = false;
  let isCut = false;
  const finish = (how: () => void) => {
    if (isOver) return;
    isOver = true;
    how();
    for (const decoder of decoders) decoder.destroy();
    allowance.release(waiting);
    waiting = 0;
  };
  for (const [index, decoder] of decoders.entries()) {
    // Of a body that broke off the coding does too, and what came before that is as good as any.
    decoder.on('error', () => finish(() => (isCut ? sink.end(false) : sink.fail())));
    const next = decoders[index + 1];
    if (next !== undefined) decoder.pipe(next);
  }
  last.on('data', (bytes: Buffer) => {
    if (!isOver && !sink.write(bytes)) finish(() => {});
  });
  last.on('end', () => finish(() => sink.end(!isCut)));
  return {
    write(bytes) {
      if (isOver) return;
      const kept = keptBytes(bytes);
      if (waiting + kept > MOST_WAITING_BYTES || !allowance.take(kept)) {
        finish(() => sink.fail());
        return;
      }
      waiting += kept;
      first.write(bytes, () => {
        if (isOver) return;
        waiting -= kept;
        allowance.release(kept);
      });
    },
    end(isWhole) {
      isCut = !isWhole;
      if (!isOver) first.end();
    },
  };
}
