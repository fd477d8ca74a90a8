import { consistencyProof, type NodeReader, rootFromLeafHashes } from '@colophon/merkle';
import { underBase } from '@colophon/peer';
import { type AskLogOptions, askLog, senseless } from './ask-log.ts';
import type { LogHistory } from './log-history.ts';

const HASH_BYTES = 32;
/** Levels of the tree that one tile spans, and hashes that a full one has. */
const TILE_HEIGHT = 8;
const TILE_WIDTH = 2 ** TILE_HEIGHT;

type Node = { readonly level: number; readonly index: number };

/**
 * A log that serves its tree in tiles, as Rekor v2 does: a proof is computed here, out of the few tiles that it needs.
 * @see c2sp.org/tlog-tiles
 */
export function tileHistory(logUrl: string, options: AskLogOptions = {}): LogHistory {
  const base = underBase(logUrl, '/api/v2');
  return {
    place: logUrl,
    async newest() {
      return new TextDecoder().decode(await askLog(underBase(base, '/checkpoint'), options));
    },
    async consistency(first, second) {
      const nodes: Node[] = [];
      // Which nodes it needs does not depend on what they hold.
      consistencyProof(first, second, (level, index) => {
        nodes.push({ level, index });
        return new Uint8Array(HASH_BYTES);
      });
      const tiles = new Map<string, Uint8Array>();
      for (const node of nodes) {
        const path = tilePath(node, second);
        if (!tiles.has(path)) tiles.set(path, await tile(underBase(base, path), options));
      }
      const read: NodeReader = (level, index) =>
        nodeIn(tiles.get(tilePath({ level, index }, second))!, { level, index });
      return consistencyProof(first, second, read);
    },
  };
}

async function tile(url: string, options: AskLogOptions): Promise<Uint8Array> {
  const bytes = await askLog(url, options);
  const width = Number(/\.p\/(\d+)$/.exec(url)?.[1] ?? TILE_WIDTH);
  if (bytes.length === width * HASH_BYTES) return bytes;
  throw senseless(url, `a tile of ${width} hashes`);
}

/** The tile that holds a node, in a tree of `size` leaves: `/tile/<level>/<index>`, behind it the width of a partial one. */
function tilePath({ level, index }: Node, size: number): string {
  const tileLevel = Math.floor(level / TILE_HEIGHT);
  const inTile = level % TILE_HEIGHT;
  const tileIndex = Math.floor((index * 2 ** inTile) / TILE_WIDTH);
  const hashesOnLevel = Math.floor(size / TILE_WIDTH ** tileLevel);
  const width = Math.min(TILE_WIDTH, hashesOnLevel - tileIndex * TILE_WIDTH);
  const partial = width === TILE_WIDTH ? '' : `.p/${width}`;
  return `/tile/${tileLevel}/${tileName(tileIndex)}${partial}`;
}

/** `x001/x234/067` for 1234067. */
function tileName(index: number): string {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) as string[];
  return groups.map((group, i) => (i === groups.length - 1 ? group : `x${group}`)).join('/');
}

/** A node of a higher level than the tile's own is the root over the hashes below it. */
function nodeIn(bytes: Uint8Array, { level, index }: Node): Uint8Array {
  const count = 2 ** (level % TILE_HEIGHT);
  const start = (index * count) % TILE_WIDTH;
  const hashes = Array.from({ length: count }, (_, i) =>
    bytes.subarray((start + i) * HASH_BYTES, (start + i + 1) * HASH_BYTES),
  );
  return rootFromLeafHashes(hashes);
}
