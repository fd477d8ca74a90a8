import { parseSha256, parseTimestamp, TIMESTAMP_PATTERN } from '@colophon/notation';
import { AGENT_NAME_PATTERN, parseAgentName } from '../agent-name/agent-name.ts';
import { COMMIT_ID_PATTERN, parseCommitId } from '../commit-id/commit-id.ts';
import { EMAIL_ADDRESS_PATTERN, LONGEST_EMAIL_ADDRESS } from '../email-address/email-address.ts';
import { isKeyThumbprint, KEY_THUMBPRINT_PATTERN } from '../key-thumbprint/key-thumbprint.ts';
import {
  PATH_SEGMENT_PATTERN,
  PRINTABLE_WORD_PATTERN,
  parsePathSegment,
  parsePrintableWord,
} from '../printable-word/printable-word.ts';
import {
  LONGEST_REPOSITORY,
  parseRepository,
  parseRepositoryUri,
  REPOSITORY_PATTERN,
  REPOSITORY_URI_PATTERN,
} from '../repository/repository.ts';
import { isPersonAddress } from '../reviewer/machine-address.ts';

/** What the value of a claim looks like (contract §2.1, §2.2). */
export type ClaimForm = {
  /** The value as it goes on, or undefined when it is none. */
  readonly read: (text: string) => string | undefined;
  readonly expected: string;
  /** The same rule for JSON Schema, as far as a pattern can say it. */
  readonly schema: { readonly pattern: string; readonly maxLength?: number };
  /** Reads a value in any spelling that others write, where there are several; undefined for one that cannot be read. */
  readonly oneSpelling?: (text: string) => string | undefined;
};

export const word: ClaimForm = {
  read: parsePrintableWord,
  expected: '1 to 256 printable ASCII characters without spaces, and not "unknown"',
  schema: { pattern: PRINTABLE_WORD_PATTERN },
};

export const pathSegment: ClaimForm = {
  read: parsePathSegment,
  expected: '1 to 256 printable ASCII characters without spaces and "/", and not "unknown"',
  schema: { pattern: PATH_SEGMENT_PATTERN },
};

export const agentName: ClaimForm = {
  read: parseAgentName,
  expected: '1 to 64 of A-Z a-z 0-9 . _ -, the first a letter or digit, and not "unknown"',
  schema: { pattern: AGENT_NAME_PATTERN },
};

export const digest: ClaimForm = {
  read: parseSha256,
  expected: 'SHA-256 as 64 hex digits, with or without "sha256:" before them',
  schema: { pattern: '^(?:sha256:)?[0-9A-Fa-f]{64}$' },
  oneSpelling: parseSha256,
};

export const person: ClaimForm = {
  read: (text) => (isPersonAddress(text) ? text : undefined),
  expected: 'the e-mail address of a person, in ASCII, at most 254 characters',
  schema: { pattern: EMAIL_ADDRESS_PATTERN, maxLength: LONGEST_EMAIL_ADDRESS },
};

export const time: ClaimForm = {
  read: parseTimestamp,
  expected: 'a time in UTC such as 2026-01-31T12:00:00Z (RFC 3339)',
  schema: { pattern: TIMESTAMP_PATTERN },
  oneSpelling: parseTimestamp,
};

export const repository: ClaimForm = {
  read: parseRepository,
  expected: '<org>/<repo>, two segments of A-Z a-z 0-9 . _ -',
  schema: { pattern: REPOSITORY_PATTERN, maxLength: LONGEST_REPOSITORY },
};

export const repositoryUri: ClaimForm = {
  read: parseRepositoryUri,
  expected: 'an absolute https URL without user, query and fragment, at most 256 characters',
  schema: { pattern: REPOSITORY_URI_PATTERN, maxLength: LONGEST_REPOSITORY },
};

export const commitId: ClaimForm = {
  read: parseCommitId,
  expected: 'a full git commit id, 40 or 64 lower-case hex digits',
  schema: { pattern: COMMIT_ID_PATTERN },
  oneSpelling: (text) => parseCommitId(text.toLowerCase()),
};

/** RFC 7638: SHA-256 of a public key as JWK. 256 bits leave two unused in the last character, and those are zero. */
export const keyThumbprint: ClaimForm = {
  read: (text) => (isKeyThumbprint(text) ? text : undefined),
  expected: "SHA-256 thumbprint of the signing key's JWK: 43 characters of base64url",
  schema: { pattern: KEY_THUMBPRINT_PATTERN },
};

/** The content of a commit; its id has the form of a commit's. */
export const treeId: ClaimForm = { ...commitId, expected: 'a full git tree id, 40 or 64 lower-case hex digits' };
