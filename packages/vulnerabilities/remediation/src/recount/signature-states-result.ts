import { alsoHaving, count, digest, having, listOf, oneOf, type ResultOf, string } from '@colophon/records/result';

/** What is known of the signatures over one VEX document. */
export const signedStatement = alsoHaving(
  having('a VEX document that records rest on', {
    digest,
    state: oneOf('`unchecked`: no flag says whose signature counts, or they are by somebody else', [
      'verified',
      'unsigned',
      'unchecked',
      'broken',
    ]),
  }),
  {
    signer: string('who signed it, where that was verified'),
    code: string('why it was not checked, or does not hold'),
  },
);
export type SignedStatement = ResultOf<typeof signedStatement>;

/** What is known of the signatures with which records were closed. */
export const signedClosings = having('the signatures over closed and voided records', {
  verified_count: count,
  unchecked_count: { ...count, description: 'by others than the flags name, or no flag names anybody' },
  unsigned_count: count,
  broken: listOf(
    'those that do not hold',
    having('one of them', { record_id: string('the id of the record'), code: string('why it does not hold') }),
  ),
});
export type SignedClosings = ResultOf<typeof signedClosings>;
