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

/**
 * A tap for a body of this Content-Encoding. Several codings after one another (RFC 9110 §8.4) are not undone: no client or
 * provider uses them, and they make much of little.
 */
export function tapBody(contentEncoding: string | undefined, allowance: ByteAllowance, sink: BodySink): BodyTap {
  const codings = (contentEncoding ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  const [coding, ...others] = codings;
  if (coding === undefined) return plainTap(sink);
  if (others.length === 0 && Object.hasOwn(DECODERS, coding)) return codedTap(DECODERS[coding]!(), allowance, sink);
  sink.fail();
  return { write() {}, end() {} };
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

function codedTap(decoder: Transform, allowance: ByteAllowance, sink: BodySink): BodyTap {
  let waiting = 0;
  let isOver = false;
  let isCut = false;
  let given = 0;
  const isRest = () => 'bytesWritten' in decoder && decoder.bytesWritten !== given;
  const finish = (how: () => void) => {
    if (isOver) return;
    isOver = true;
    how();
    decoder.destroy();
    allowance.release(waiting);
    waiting = 0;
  };
  // Of a body that broke off the coding does too, and what came before that is as good as any.
  decoder.on('error', () => finish(() => (isCut ? sink.end(false) : sink.fail())));
  decoder.on('data', (bytes: Buffer) => {
    if (!isOver && !sink.write(bytes)) finish(() => {});
  });
  // What follows the end of a coding is read by some clients and by others not.
  decoder.on('end', () => finish(() => (isRest() ? sink.fail() : sink.end(!isCut))));
  return {
    write(bytes) {
      if (isOver) return;
      const kept = keptBytes(bytes);
      if (waiting + kept > MOST_WAITING_BYTES || !allowance.take(kept)) {
        finish(() => sink.fail());
        return;
      }
      waiting += kept;
      given += bytes.length;
      decoder.write(bytes, () => {
        if (isOver) return;
        waiting -= kept;
        allowance.release(kept);
      });
    },
    end(isWhole) {
      isCut = !isWhole;
      if (!isOver) decoder.end();
    },
  };
}
