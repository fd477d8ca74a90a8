import { type RecordSchema, text, timestamp } from '../record-schema/record-schema.ts';
import { digestSet } from '../statement/statement-schema.ts';

/**
 * The predicate of a SLSA 1.0 build provenance, as far as anything here relies on it: BuildProvenance is its type, and it
 * is published as docs/json/build-provenance.v1.json. Members that it does not name are allowed, as in-toto
 * asks of readers. That `externalParameters` has a member or none is the build type's matter.
 * @see https://slsa.dev/spec/v1.0/provenance
 */
export const buildProvenanceSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'SLSA build provenance predicate, version 1, as Colophon reads it',
  type: 'object',
  description: 'a SLSA build provenance predicate',
  required: ['buildDefinition', 'runDetails'],
  properties: {
    buildDefinition: {
      type: 'object',
      description: 'what was built, from what',
      required: ['buildType', 'externalParameters'],
      properties: {
        buildType: { ...text, description: 'a URI: how the build is described' },
        externalParameters: { type: 'object', description: 'an object: what was asked of the build' },
        resolvedDependencies: {
          type: 'array',
          description: 'an array of what the build fetched, the source among it',
          items: {
            type: 'object',
            description: 'something that was fetched',
            properties: {
              uri: {
                ...text,
                description: 'a URI, for a source such as git+https://github.com/acme/webshop@refs/heads/main',
              },
              name: text,
              digest: digestSet,
            },
          },
        },
      },
    },
    runDetails: {
      type: 'object',
      description: 'by whom and when it was built',
      required: ['builder'],
      properties: {
        builder: {
          type: 'object',
          description: 'the build runner',
          required: ['id'],
          properties: { id: { ...text, description: 'a URI: who runs the build' } },
        },
        metadata: {
          type: 'object',
          description: 'this one run',
          properties: { invocationId: text, startedOn: timestamp, finishedOn: timestamp },
        },
      },
    },
  },
} as const satisfies RecordSchema;
