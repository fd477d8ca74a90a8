import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  AuthorityError,
  type AuthorityErrorCode,
} from '../../packages/authority/src/authority-error/authority-error.ts';
import { refusalOf } from '../../packages/authority/src/http/http-status.ts';
import { exitCodeOf } from '../../packages/cli/src/report/report.ts';
import { IMAGE_EXIT_CODES } from '../../packages/sigstore/src/image-signature/image-signature-error.ts';
import { LOG_EXIT_CODES } from '../../packages/sigstore/src/rekor/log-error.ts';
import { VERIFICATION_EXIT_CODES } from '../../packages/sigstore/src/verify/verification-error.ts';
import { documentedCodes } from './error-codes.ts';

const ROWS = documentedCodes(readFileSync(join(import.meta.dirname, '../../docs/errors.md'), 'utf8')).map(
  ({ code, cells: [, place = ''] }) => ({ code, place }),
);

// Thrown as errors of their package, by their code alone; `cli.*` say at the throw how the program ends.
const THROWN =
  /^(?:signing|registry|identity|bundle|certificate|sct|log_entry|timestamp|artifact|signature|key|trusted_root|image|store|server|log|query|inspect)\./;
const OWN_EXITS: Readonly<Record<string, number>> = {
  ...VERIFICATION_EXIT_CODES,
  ...IMAGE_EXIT_CODES,
  ...LOG_EXIT_CODES,
};

test.each(ROWS.filter(({ code, place }) => THROWN.test(code) && /\bexit \d/.test(place)))(
  'the program ends as the page says: $code, $place',
  ({ code, place }) => {
    const exitCode = OWN_EXITS[code];
    const error = Object.assign(new Error('test'), { code }, exitCode === undefined ? {} : { exitCode });
    expect(`exit ${exitCodeOf(error)}`).toBe(/\bexit \d+/.exec(place)?.[0]);
  },
);

test.each(ROWS.filter(({ code, place }) => code.startsWith('authority.') && /^\d/.test(place)))(
  'the authority answers as the page says: $code, $place',
  ({ code, place }) => {
    const { status } = refusalOf(new AuthorityError(code as AuthorityErrorCode, 'test'));
    expect(String(status)).toBe(place.slice(0, 3));
  },
);

test('both kinds of rows were found', () => {
  expect(ROWS.filter(({ code }) => THROWN.test(code)).length).toBeGreaterThan(80);
});
