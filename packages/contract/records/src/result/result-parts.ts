import { SHA256_HEX_PATTERN, SHA256_PATTERN } from '@colophon/notation';
import { BASIS_SOURCES } from '../basis/basis.ts';
import { CLAIM_SOURCES } from '../claim/claim.ts';
import { type PerClaim, SOURCED_CLAIMS, TOKEN_PURPOSES } from '../claim/claim-table.ts';
import { alsoHaving, having, listOf } from '../record-schema/object-schema.ts';
import { count, timestamp } from '../record-schema/record-schema.ts';
import { oneOf, resultOf, string } from './result-schema.ts';

export const digest = {
  type: 'string',
  description: 'sha256: and 64 lower-case hex digits',
  pattern: SHA256_PATTERN,
} as const;

export const digestHex = {
  type: 'string',
  description: '64 lower-case hex digits',
  pattern: SHA256_HEX_PATTERN,
} as const;

/** One problem in a file, or one reason: `path` is a JSON pointer, a file or a flag. */
export const issue = alsoHaving(having('one problem', { code: string('stable'), message: string('for people') }), {
  path: string('where: a JSON pointer, a file, a flag'),
  expected: string('what would do'),
  found: string('what is there'),
  next: string('the command to run next'),
  line: { ...count, description: 'from 1' },
  column: { ...count, description: 'from 1' },
  position: { ...count, description: 'character of a one-line text, from 1' },
});

/** One thing to say about a document that was validated against its standard. */
export const documentIssue = alsoHaving(
  having('one thing to say about a file, and where it stands there', {
    path: string('JSON Pointer'),
    code: issue.properties.code,
    severity: oneOf('whether it makes the file wrong, or is merely worth knowing', ['error', 'warning', 'note']),
    message: issue.properties.message,
  }),
  { line: issue.properties.line, column: issue.properties.column, expected: issue.properties.expected },
);

/** What every command prints instead of its result where it fails. */
export const errorResult = resultOf('error', {
  error: alsoHaving(
    having('what went wrong', { code: string('stable, of docs/errors.md'), message: string('for people') }),
    {
      checked: string('what was looked at'),
      expected: string('what would do'),
      found: string('what is there'),
      trust: string('the trusted root or keys used'),
      next: string('the command to run next'),
      issues: listOf('each problem of several', issue),
    },
  ),
});

const claimSource = oneOf('who vouches for the claim', CLAIM_SOURCES);
const triggerSource = oneOf('who vouches for the event that started the run', CLAIM_SOURCES);

/** What a signing certificate says about its holder. */
export const certificateIdentity = alsoHaving(
  having('what the signing certificate says of its holder', {
    issuer: string('the OIDC issuer'),
    subject: string('the subject alternative name, such as agent:code-writer'),
    claims: {
      type: 'object' as const,
      description: 'claims of the identity token',
      properties: perClaim(string('the value')),
    },
    sources: {
      type: 'object' as const,
      description: 'who vouches for each claim',
      properties: { ...perClaim(claimSource), trigger: triggerSource } as PerClaim<typeof claimSource> & {
        readonly trigger: typeof triggerSource;
      },
    },
  }),
  {
    key: string('sha256: and hex over the SubjectPublicKeyInfo, where a bare key signed and there is no certificate'),
    root: string(
      'name of the trusted root that vouches for the certificate; absent where none was asked, or it has no name',
    ),
    subject_type: oneOf('email where the name is an e-mail address by its type; absent for every other', ['email']),
    purpose: oneOf('what the identity token was for; absent where the certificate names none', TOKEN_PURPOSES),
    trigger: string('the event that started the run'),
    jti: string('id of the identity token'),
    agent_id: string('the id under which the issuer registered the agent'),
    key_thumbprint: string('RFC 7638 thumbprint of the key that the token was bound to'),
  },
);

const entryOfLog = {
  log_index: count,
  log_id: { ...digestHex, description: 'SHA-256 of the log’s key, hex' },
} as const;
const integrated_at = {
  ...timestamp,
  description: 'the time that the log, or a timestamp authority, vouches for',
} as const;

/** Where a transparency log holds a signature. */
export const logEntry = having('where the transparency log holds it', { ...entryOfLog, integrated_at });

/** The same of a bundle. A signature by a bare key needs no time, so there may be none. */
export const bundleLogEntry = alsoHaving(having('where the transparency log holds it', entryOfLog), { integrated_at });

/** What each name and hash in certificate and statement rests on. */
export const fieldBasis = {
  type: 'object',
  description: 'what each name and hash rests on, by the field’s name in the query language',
  additionalProperties: alsoHaving(
    having('who vouches for the value', { source: oneOf('who vouches for it', BASIS_SOURCES) }),
    { signer: string('the certificate’s subject; absent where no certificate is known') },
  ),
} as const;

/** One thing that was checked and held. */
export const check = having('one thing that was checked and held', {
  check: string('its name'),
  detail: string('for people'),
});

function perClaim<const S>(schema: S): PerClaim<S> {
  return Object.fromEntries(SOURCED_CLAIMS.map((claim) => [claim, schema])) as PerClaim<S>;
}
