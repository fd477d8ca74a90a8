import { DatabaseSync } from 'node:sqlite';

/** Bytes of a SQLite file that hold something: one run inside a cell of a table or an index, or of its overflow pages. */
export type UsedBytes = { readonly from: number; readonly length: number };

const INTERIOR_INDEX = 2;
const INTERIOR_TABLE = 5;
const LEAF_TABLE = 13;

/**
 * The cells of each b-tree of a SQLite file without a write-ahead log, by the name of its table or index. Free space, the headers of pages
 * and pages of no tree are left out. @see https://www.sqlite.org/fileformat2.html
 */
export function usedCells(path: string, file: Buffer): Map<string, readonly UsedBytes[]> {
  const db = new DatabaseSync(path, { readOnly: true });
  const roots = db
    .prepare("SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0 AND type IN ('table', 'index')")
    .all();
  db.close();
  return new Map(roots.map(({ name, rootpage }) => [String(name), new Cells(file).ofTree(Number(rootpage))]));
}

class Cells {
  readonly #file: Buffer;
  readonly #pageSize: number;
  readonly #usable: number;
  readonly #found: UsedBytes[] = [];

  constructor(file: Buffer) {
    this.#file = file;
    const size = file.readUInt16BE(16);
    this.#pageSize = size === 1 ? 65_536 : size;
    this.#usable = this.#pageSize - file[20]!;
  }

  ofTree(page: number): readonly UsedBytes[] {
    const start = (page - 1) * this.#pageSize;
    const header = start + (page === 1 ? 100 : 0);
    const type = this.#file[header]!;
    const isInterior = type === INTERIOR_INDEX || type === INTERIOR_TABLE;
    const count = this.#file.readUInt16BE(header + 3);
    for (let i = 0; i < count; i += 1) {
      const pointer = header + (isInterior ? 12 : 8) + 2 * i;
      this.#cell(type, start + this.#file.readUInt16BE(pointer));
    }
    if (isInterior) this.ofTree(this.#file.readUInt32BE(header + 8));
    return this.#found;
  }

  #cell(type: number, from: number): void {
    let at = from;
    if (type === INTERIOR_INDEX || type === INTERIOR_TABLE) {
      this.ofTree(this.#file.readUInt32BE(at));
      at += 4;
    }
    if (type === INTERIOR_TABLE) {
      at += this.#varint(at).length;
      this.#found.push({ from, length: at - from });
      return;
    }
    const { value: payload, length } = this.#varint(at);
    at += length;
    if (type === LEAF_TABLE) at += this.#varint(at).length;
    const local = this.#localBytes(payload, type === LEAF_TABLE);
    at += local;
    if (local < payload) {
      this.#overflow(this.#file.readUInt32BE(at), payload - local);
      at += 4;
    }
    this.#found.push({ from, length: at - from });
  }

  #overflow(page: number, bytes: number): void {
    const start = (page - 1) * this.#pageSize;
    const here = Math.min(bytes, this.#usable - 4);
    this.#found.push({ from: start, length: 4 + here });
    if (bytes > here) this.#overflow(this.#file.readUInt32BE(start), bytes - here);
  }

  #localBytes(payload: number, isTable: boolean): number {
    const most = isTable ? this.#usable - 35 : Math.floor(((this.#usable - 12) * 64) / 255) - 23;
    if (payload <= most) return payload;
    const least = Math.floor(((this.#usable - 12) * 32) / 255) - 23;
    const local = least + ((payload - least) % (this.#usable - 4));
    return local <= most ? local : least;
  }

  #varint(at: number): { readonly value: number; readonly length: number } {
    let value = 0;
    for (let i = 0; i < 8; i += 1) {
      const byte = this.#file[at + i]!;
      value = value * 128 + (byte & 0x7f);
      if (byte < 0x80) return { value, length: i + 1 };
    }
    return { value: value * 256 + this.#file[at + 8]!, length: 9 };
  }
}
