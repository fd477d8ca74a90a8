import { closeSync, fchmodSync, fstatSync, writeSync } from 'node:fs';
import { systemReason } from '@colophon/durable-file';
import type { SentRequest } from '@colophon/witness';
import { openOutput, unwritable } from '../input/input.ts';

/**
 * The requests of a run to its models, each a line of JSON with its time; for this user alone. They hold what the agent
 * was told and what it read. A file that cannot be written any more keeps no request from its model.
 */
export class KeptPrompts {
  readonly #path: string;
  readonly #file: number;
  #failure: unknown;

  /** @throws CliError `cli.file_unwritable` */
  constructor(path: string) {
    this.#path = path;
    this.#file = openOutput(path, 0o600);
    try {
      if (fstatSync(this.#file).isFile()) fchmodSync(this.#file, 0o600);
    } catch (cause) {
      throw unwritable(path, systemReason(cause), cause);
    }
  }

  readonly add = (request: SentRequest): void => {
    if (this.#failure !== undefined) return;
    try {
      // Of lists in lists without end no text can be made.
      const line = Buffer.from(`${JSON.stringify({ time: new Date().toISOString(), ...request })}\n`);
      for (let at = 0; at < line.length; ) at += writeSync(this.#file, line, at);
    } catch (cause) {
      this.#failure = cause;
    }
  };

  /** @throws CliError `cli.file_unwritable` where a request was not kept */
  close(): void {
    closeSync(this.#file);
    if (this.#failure !== undefined) throw unwritable(this.#path, systemReason(this.#failure), this.#failure);
  }
}
