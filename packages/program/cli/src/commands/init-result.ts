import { having, listOf, oneOf, type ResultOf, resultOf, string } from '@colophon/records/result';
import { SETUP_FILES } from '@colophon/setup';

/** `colophon init`. */
export const initResult = resultOf('files for the services of a company', {
  folder: string('where the files lie'),
  files: listOf(
    'what was written',
    having('a file', { name: oneOf('its name', SETUP_FILES), what: string('what it is for') }),
  ),
  fetched: listOf(
    'keys that the services gave: nobody vouches for them but who compares them',
    having('a key, or the last certificate of a chain', {
      what: string('whose it is'),
      from: string('the address that gave it'),
      sha256: string('SHA-256 of its DER, hex'),
    }),
  ),
});
export type InitResult = ResultOf<typeof initResult>;
