import { VEX_JUSTIFICATIONS, VEX_STATUSES } from '@colophon/records';
import { OPENVEX_CONTEXT } from '../write/openvex-writer.ts';
import {
  filledText,
  iri,
  listOf,
  object,
  oneOf,
  packageUrl,
  productId,
  setOf,
  text,
  textsBy,
  time,
  timeInUtc,
  type ValueRule,
  wholeNumber,
} from './value-rule.ts';

const HASHES = [
  ...['md5', 'sha1', 'sha-256', 'sha-384', 'sha-512', 'sha3-224', 'sha3-256', 'sha3-384', 'sha3-512'],
  ...['blake2s-256', 'blake2b-256', 'blake2b-512'],
];

const context = oneOf([OPENVEX_CONTEXT], 'vex.version_unsupported', '@context of OpenVEX v0.2.0');
const status = oneOf(VEX_STATUSES, 'vex.status_unknown', 'status');
const justification = oneOf(VEX_JUSTIFICATIONS, 'vex.justification_unknown', 'justification');

const subject = {
  '@id': productId,
  identifiers: object({
    members: { purl: packageUrl, cpe22: text, cpe23: text },
    required: [],
    oneOf: ['purl', 'cpe22', 'cpe23'],
    others: 'error',
  }),
  hashes: textsBy(HASHES),
};

const IDENTIFIED = ['@id', 'identifiers'];

/** The members of OpenVEX v0.2.0; nothing else may stand there, and no list says the same twice. */
export const OPENVEX_DOCUMENT: ValueRule = object({
  members: {
    '@context': context,
    '@id': iri,
    author: filledText,
    role: text,
    timestamp: time,
    last_updated: time,
    version: wholeNumber(1),
    tooling: text,
    statements: setOf(
      object({
        members: {
          '@id': iri,
          version: wholeNumber(1),
          vulnerability: object({
            members: { '@id': iri, name: filledText, description: text, aliases: setOf(text, true) },
            required: ['name'],
            others: 'error',
          }),
          timestamp: time,
          last_updated: time,
          products: setOf(
            object({
              members: {
                ...subject,
                subcomponents: setOf(
                  object({ members: subject, required: [], oneOf: IDENTIFIED, others: 'error' }),
                  true,
                ),
              },
              required: [],
              oneOf: IDENTIFIED,
              others: 'error',
            }),
          ),
          status,
          supplier: text,
          status_notes: text,
          justification,
          impact_statement: text,
          action_statement: text,
          action_statement_timestamp: time,
        },
        // Nothing encloses the document that the products could be inherited from.
        required: ['vulnerability', 'products', 'status'],
        others: 'error',
      }),
    ),
  },
  required: ['@context', '@id', 'author', 'timestamp', 'version', 'statements'],
  others: 'error',
});

/** The members of the contract's shape (§2.6), which does not say that others may not stand there. */
export const SPEC_DOCUMENT: ValueRule = object({
  members: {
    '@context': context,
    tooling: text,
    statements: listOf(
      object({
        members: {
          vulnerability: object({ members: { id: filledText }, required: ['id'], others: 'warning' }),
          timestamp: timeInUtc,
          components: listOf(
            object({
              members: {
                identifiers: object({ members: { purl: packageUrl }, required: ['purl'], others: 'warning' }),
              },
              required: ['identifiers'],
              others: 'warning',
            }),
          ),
          status,
          justification,
          details: text,
        },
        required: ['vulnerability', 'timestamp', 'components', 'status'],
        others: 'warning',
      }),
    ),
  },
  required: ['@context', 'statements'],
  others: 'warning',
});
