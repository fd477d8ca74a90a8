/**
 * The largest sequence that was ever seen of each list, kept where the server of the list cannot reach it. Without it an
 * older list, from before a rejection, would be as good as the newest.
 */
export type SequencePins = {
  /** The largest sequence seen of a list. @throws Error where what was kept cannot be read: then nothing is known. */
  seen(list: string): Promise<number | undefined>;
  /** Keeps a sequence unless a larger one was seen meanwhile. @throws Error where it cannot be kept */
  keep(list: string, sequence: number): Promise<void>;
};
