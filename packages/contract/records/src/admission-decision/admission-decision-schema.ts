import { SHA256_PATTERN } from '@colophon/notation';
import { listOf } from '../record-schema/object-schema.ts';
import { type RecordSchema, text, timestamp } from '../record-schema/record-schema.ts';

/** Images that one decision may be about. */
export const MOST_DECIDED_IMAGES = 256;
/** Of any text of a decision. */
export const LONGEST_DECISION_TEXT = 4096;

/** What asked: the webhook that decides, or the one that writes digests into objects. */
export const DECISION_WEBHOOKS = ['validate', 'mutate'] as const;
/** Whether a refusal refuses, or is only written down. */
export const DECISION_MODES = ['enforce', 'audit'] as const;
export const DECISION_OPERATIONS = ['CREATE', 'UPDATE'] as const;

const named = (description: string) => ({ ...text, description, maxLength: LONGEST_DECISION_TEXT }) as const;
/** As it stands in the object of somebody else: it may be empty. */
const foreign = (description: string) => ({ type: 'string', description, maxLength: LONGEST_DECISION_TEXT }) as const;
const flag = (description: string) => ({ type: 'boolean', description }) as const;
const few = <const I extends object>(description: string, items: I) =>
  ({ ...listOf(`${description}, at most 256`, items), maxItems: 256 }) as const;

const reason = {
  type: 'object',
  description: 'a rule that does not hold',
  required: ['code'],
  properties: {
    code: named('stable, of docs/errors.md'),
    message: foreign('one sentence for a person'),
    expected: foreign('what would do'),
    found: foreign('what stood there instead'),
    policy: named('the policy whose rule it is'),
  },
} as const;

const image = {
  type: 'object',
  description: 'one image, and what was decided about it',
  required: ['place', 'image', 'admitted', 'reasons', 'warnings', 'policies', 'agents', 'reviewers', 'cached'],
  properties: {
    place: named('where it stands in the object, such as spec.containers[web]'),
    image: foreign('as it stands in the object'),
    digest: {
      type: 'string',
      description: 'sha256: and 64 lower-case hex digits; absent where no registry gave one',
      pattern: SHA256_PATTERN,
    },
    admitted: flag('whether the policies let it pass'),
    reasons: few('why they do not', reason),
    warnings: few('what is worth knowing of it all the same', reason),
    policies: few('names of the policies that cover it', named('the name of a policy')),
    agents: few('subjects of agents by which it passes', named('a certificate identity')),
    reviewers: few('subjects of reviewers by which it passes', named('a certificate identity')),
    exception: {
      type: 'object',
      description: 'the exception by which it passes',
      required: ['owner', 'reason', 'until'],
      properties: {
        owner: named('who answers for it'),
        reason: foreign('why it was made'),
        until: timestamp,
      },
    },
    valid_until: timestamp,
    cached: flag('whether the decision was made before'),
  },
} as const;

/**
 * What an admission webhook decided about one request, in its own word and without a signature; published as
 * docs/json/admission-decision.v1.json. Members that it does not name are allowed.
 */
export const admissionDecisionSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'admission decision, version 1',
  type: 'object',
  description: 'a decision of an admission webhook',
  required: ['id', 'time', 'webhook', 'operation', 'object', 'mode', 'admitted', 'enforced', 'images'],
  properties: {
    id: named('uid of the AdmissionReview'),
    time: timestamp,
    webhook: { type: 'string', description: DECISION_WEBHOOKS.join(' or '), enum: DECISION_WEBHOOKS },
    operation: { type: 'string', description: DECISION_OPERATIONS.join(' or '), enum: DECISION_OPERATIONS },
    object: {
      type: 'object',
      description: 'what was to be written',
      required: ['kind', 'namespace', 'name'],
      properties: {
        kind: named('its kind'),
        namespace: foreign('its namespace'),
        name: foreign('its name; generateName where it has none yet'),
        owner: foreign('kind and name of what owns it, such as ReplicaSet/web-7c9'),
      },
    },
    user: foreign('who asked, as the API server names them'),
    mode: { type: 'string', description: DECISION_MODES.join(' or '), enum: DECISION_MODES },
    admitted: flag('whether the policies let all of it pass, in audit mode too'),
    enforced: flag('whether a refusal refused'),
    images: {
      ...listOf(`what was decided about each image, at most ${MOST_DECIDED_IMAGES}`, image),
      maxItems: MOST_DECIDED_IMAGES,
    },
  },
} as const satisfies RecordSchema;
