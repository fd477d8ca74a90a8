import { isJsonObject, parseStrictJson } from '@colophon/json';
import { askLog } from '@colophon/pins';
import { readBounded } from '../input/bounded-input.ts';
import { isServiceUrl } from '../service-url/service-url.ts';

/** What help says of `--checkpoint <file-or-url>`. */
export const CHECKPOINT_HELP = 'checkpoint that was kept elsewhere, which the history must continue';

/** A note has at most 64 Ki characters; an answer of a Rekor v1 has one for each of its trees. */
const MOST_CHECKPOINT_BYTES = 1024 * 1024;

/**
 * The text of a checkpoint in a file or at an address; of what a Rekor v1 answers at /api/v1/log, the checkpoint in it.
 * Nothing of it is verified.
 * @throws CliError `cli.file_unreadable`, `cli.file_too_large`; PinError `pin.log_unavailable`, `pin.log_refused`
 */
export async function givenCheckpoint(place: string): Promise<string> {
  const bytes = isServiceUrl(place) ? await askLog(place) : await readBounded(place, MOST_CHECKPOINT_BYTES);
  const answer = parseStrictJson(bytes);
  const isAnswer = answer.ok && isJsonObject(answer.value) && typeof answer.value['signedTreeHead'] === 'string';
  return isAnswer ? String(answer.value['signedTreeHead']) : new TextDecoder().decode(bytes);
}
