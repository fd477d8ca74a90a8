/** A file that was read, with what says later whether it is still the same. */
export type StoredFile = {
  readonly bytes: Uint8Array;
  /** Entity tag, where the store has them. */
  readonly tag?: string;
  /** When it was written, where the store says so. */
  readonly modifiedAt?: Date;
};

/** How a file is meant. */
export type FileTerms = {
  /** Locks the object until then (RFC 3339), where the store can. */
  readonly retainUntil?: string;
};

/** Where published files can be read: names are those below `.well-known/sbom/`. */
export type PublishingSource = {
  /** For people: a folder or an address. */
  readonly place: string;
  /**
   * The file, or undefined where there is none.
   * @throws PublishingError `publishing.too_large`, and what the store refuses
   */
  read(file: string, maxBytes: number): Promise<StoredFile | undefined>;
};

/** Where files can be published. A reader of a name gets one of the contents written under it, whole, at every moment. */
export type PublishingTarget = PublishingSource & {
  /** Whether deletion before the end of retention is refused by the store itself. */
  readonly locksObjects: boolean;
  /** Writes a file under a name that is free. @returns false where it is taken; that file stays as it is */
  create(file: string, bytes: Uint8Array, terms?: FileTerms): Promise<boolean>;
  /** Puts a file in the place of the one that was read, or of none. @returns false where that has changed since */
  replace(file: string, bytes: Uint8Array, read: StoredFile | undefined, terms?: FileTerms): Promise<boolean>;
  /** Deletes a file; one that is not there is fine. */
  remove(file: string): Promise<void>;
  /** Does `work` while no other publisher on this target does, where the target can tell; else at once. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** Clears away what an interrupted publisher left under names that nobody reads. */
  clearDrafts(): Promise<void>;
  /** Asked after writing: whether the store kept the promise that `create` makes. A sentence for people where not. */
  weakness(file: string, bytes: Uint8Array): Promise<string | undefined>;
};
