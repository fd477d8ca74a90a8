/** Bytes of attachments that are held at the same time where nobody says otherwise. */
export const DEFAULT_ROOM_BYTES = 256 * 1024 * 1024;
/** How long somebody waits for room where nobody says otherwise. */
export const DEFAULT_ROOM_WAIT_MS = 2_000;
/** Bytes that an image may hold without room: those of an ordinary one never wait for those of a large one. */
export const FREE_BYTES = 1024 * 1024;

export type AttachmentRoomOptions = {
  /** What an image has beyond all of it is never read; no image needs more than 300 MiB. */
  readonly bytes?: number | undefined;
  /** How long an image waits, in all, until others have given room back. What it gets none for counts as not read. */
  readonly waitMs?: number | undefined;
  /** What one asker holds at most, with all images; all of it. */
  readonly shareBytes?: number | undefined;
};

/**
 * Room for what is attached to images, for a process that decides about many at once. An image takes its share of it
 * before anything is fetched, and gives it back once it is decided.
 */
export class AttachmentRoom {
  readonly #waitMs: number;
  readonly #shareBytes: number;
  readonly #waiting = new Set<Waiting>();
  readonly #taken = new Map<string, number>();
  #left: number;

  /** @throws TypeError for a number of bytes or milliseconds that is none */
  constructor(options: AttachmentRoomOptions = {}) {
    const { bytes = DEFAULT_ROOM_BYTES, waitMs = DEFAULT_ROOM_WAIT_MS, shareBytes = bytes } = options;
    if (!(bytes > 0 && waitMs >= 0)) throw new TypeError('a room has bytes, and a time for which somebody waits');
    this.#left = bytes;
    this.#waitMs = waitMs;
    this.#shareBytes = shareBytes;
  }

  /**
   * What one image holds of the room; nothing yet.
   * @param asker of whose share it is
   */
  share(asker = ''): RoomShare {
    const room: Room = {
      take: (bytes, waitMs) => this.#take(asker, bytes, waitMs),
      takeNow: (bytes) => this.#takeNow(asker, bytes),
      giveBack: (bytes) => this.#giveBack(asker, bytes),
    };
    return new RoomShare(room, this.#waitMs);
  }

  #takeNow(asker: string, bytes: number): boolean {
    const taken = this.#taken.get(asker) ?? 0;
    if (bytes > this.#left || taken + bytes > this.#shareBytes) return false;
    this.#left -= bytes;
    this.#taken.set(asker, taken + bytes);
    return true;
  }

  #take(asker: string, bytes: number, waitMs: number): Promise<boolean> {
    if (this.#takeNow(asker, bytes)) return Promise.resolve(true);
    // Nobody waits for what can never be.
    if (bytes > this.#shareBytes) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (hasRoom: boolean) => {
        clearTimeout(timer);
        this.#waiting.delete(waiting);
        resolve(hasRoom);
      };
      const timer = setTimeout(() => end(false), waitMs);
      const waiting = { asker, bytes, end };
      this.#waiting.add(waiting);
    });
  }

  #giveBack(asker: string, bytes: number): void {
    this.#left += bytes;
    const taken = (this.#taken.get(asker) ?? 0) - bytes;
    if (taken > 0) this.#taken.set(asker, taken);
    else this.#taken.delete(asker);
    // Who waits for more than there is does not keep the others waiting.
    for (const { asker: who, bytes: wanted, end } of this.#waiting) if (this.#takeNow(who, wanted)) end(true);
  }
}

type Waiting = { readonly asker: string; readonly bytes: number; readonly end: (hasRoom: boolean) => void };

type Room = {
  readonly take: (bytes: number, waitMs: number) => Promise<boolean>;
  readonly takeNow: (bytes: number) => boolean;
  readonly giveBack: (bytes: number) => void;
};

/** What one image holds of a room, beyond what each may hold without. */
export class RoomShare {
  readonly #room: Room;
  #free = FREE_BYTES;
  #taken = 0;
  #waitLeftMs: number;
  #hasEnded = false;

  constructor(room: Room, waitMs: number) {
    this.#room = room;
    this.#waitLeftMs = waitMs;
  }

  /** Whether so many bytes more may be held until the end; waits for room, as long as the room says for one image. */
  async hold(bytes: number): Promise<boolean> {
    if (this.#hasEnded) return false;
    if (bytes <= this.#free) {
      this.#free -= bytes;
      return true;
    }
    const since = performance.now();
    const hasRoom = await this.#room.take(bytes, this.#waitLeftMs);
    this.#waitLeftMs = hasRoom ? Math.max(0, this.#waitLeftMs - (performance.now() - since)) : 0;
    if (!hasRoom) return false;
    if (this.#hasEnded) {
      this.#room.giveBack(bytes);
      return false;
    }
    this.#taken += bytes;
    return true;
  }

  /** The same without waiting: for what is in memory already, and is let go where there is no room for it. */
  holdNow(bytes: number): boolean {
    if (this.#hasEnded) return false;
    if (bytes <= this.#free) {
      this.#free -= bytes;
      return true;
    }
    if (!this.#room.takeNow(bytes)) return false;
    this.#taken += bytes;
    return true;
  }

  /** Gives everything back: nothing that was held is looked at any more. */
  end(): void {
    this.#hasEnded = true;
    this.#room.giveBack(this.#taken);
    this.#taken = 0;
  }
}
