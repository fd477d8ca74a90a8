import { alsoHaving, issue, string } from '@colophon/records/result';

/** A signature of an image that was found and does not count, and why. */
export const rejectedSignature = alsoHaving(issue, { predicate_type: string('which the signature claims to have') });
