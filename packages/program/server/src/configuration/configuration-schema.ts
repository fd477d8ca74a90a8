import { AGENT_STATES, CALLER_KINDS, FORGE_CONFIRMS } from '@colophon/issuance';
import { CLAIM_SOURCES, type PerClaim, SOURCED_CLAIMS, type SourcedClaim, WITNESS_PLACES } from '@colophon/records';
import type { XStatic } from 'typebox/schema';
import { port, TLS_FILES, text } from './schema-parts.ts';

/** What one process can serve. */
export const ROLES = ['issuer', 'sboms', 'authority', 'evidence', 'registry'] as const;
export type Role = (typeof ROLES)[number];

/** What names the holder of a token of a further issuer. */
export const CERTIFIED_SUBJECTS = ['uri', 'email'] as const;

/** What a caller's entry may name as purpose. */
const PURPOSES = ['artifact', 'commit', 'review'] as const;

/** How a caller is named in the file, on the command line and in the ledger. */
export const CALLER_NAME = '^[a-z0-9][a-z0-9._-]{0,63}$';
const AGENT_NAME = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$';
/** How a trusted root is named. */
const ROOT_NAME = CALLER_NAME;
const DIGEST = '^(?:sha256:)?[0-9A-Fa-f]{64}$';

const listOf = <const I extends object>(items: I, description: string) =>
  ({ type: 'array', items, minItems: 1, description }) as const;
const whole = (minimum: number, maximum: number, description: string) =>
  ({ type: 'integer', minimum, maximum, description }) as const;
const patterns = (of: string) =>
  listOf(text('A name, or a pattern: * for anything but /, ** for anything.'), `Patterns of ${of}.`);

const acceptedSources = (claim: SourcedClaim) =>
  listOf({ enum: CLAIM_SOURCES } as const, `Who may vouch for ${claim}.`);
const sourceRules = Object.fromEntries(SOURCED_CLAIMS.map((claim) => [claim, acceptedSources(claim)])) as PerClaim<
  ReturnType<typeof acceptedSources>
>;

const tls = {
  ...TLS_FILES,
  properties: {
    ...TLS_FILES.properties,
    key: text('env:NAME or file:PATH with the private key in PEM.'),
  },
  description: 'Read again when they change, both together.',
} as const;

const listen = {
  type: 'object',
  required: ['address', 'port'],
  properties: {
    address: text('IP address to listen on; localhost for both loopback families.'),
    port,
    tls,
    trustedProxies: listOf(
      text('An address, or a network such as 10.0.0.0/8.'),
      'The only peers that are answered, over plain HTTP; they say who asks, in X-Forwarded-For.',
    ),
    drainSeconds: whole(
      0,
      300,
      'For how long it still takes requests after SIGTERM, while /readyz is 503, so that a balancer sees it; 0 where absent.',
    ),
  },
  additionalProperties: false,
  description: 'Beyond loopback: tls or trustedProxies, and callers.',
} as const;

const operations = {
  type: 'object',
  required: ['address', 'port'],
  properties: {
    address: text('IP address for plain HTTP.'),
    port,
  },
  additionalProperties: false,
  description: 'Where /livez, /readyz and /metrics are served; nowhere where it is absent.',
} as const;

const tokens = {
  type: 'object',
  description: 'What it issues.',
  properties: {
    algorithm: { enum: ['RS256', 'ES256'], description: 'One for the life of an issuer; RS256 where absent.' },
    lifetimeSeconds: whole(60, 3_600, 'From iat to exp; 600 where absent.'),
    audiences: listOf(text('A value of aud.'), 'Those that may be asked for; the first is the default. [sigstore].'),
    key: text('file:PATH of the first signing key; in keys/ of the data folder where absent.'),
    keyCacheSeconds: whole(
      1,
      86_400,
      'How long verifiers may keep the key set, so how long a new key is published before it signs; 300 where absent.',
    ),
  },
  additionalProperties: false,
} as const;

const keys = {
  type: 'object',
  description: 'Where its keys are; where its discovery document says, where absent.',
  properties: {
    url: text('Address of the key set, or of a SPIFFE bundle, instead of the one that discovery names.'),
    ca: text('PEM file of the private CA of that address, or of the issuer where there is no url.'),
    bearer: text('file:PATH of a bearer token for that address, e.g. of a service account.'),
    file: text('File with a key set, a SPIFFE bundle, or public keys in PEM.'),
  },
  additionalProperties: false,
} as const;

const trust = {
  type: 'object',
  description: 'Whose signatures are verified, and where to sign; of the embedded services where absent.',
  properties: {
    roots: listOf(
      {
        anyOf: [
          text('trusted_root.json; named as the file.'),
          {
            type: 'object',
            required: ['name', 'file'],
            properties: {
              name: { type: 'string', pattern: ROOT_NAME, description: 'How results call it.' },
              file: text('trusted_root.json.'),
              insecureIgnoreSct: {
                type: 'boolean',
                description: 'Its certificates have no timestamps of a CT log. Only of a root that names no CT log.',
              },
              issuers: listOf(
                text('The iss of tokens, or a pattern: * is one label of the host or one segment of the path.'),
                'Whose certificates count under it: an issuer that a root names counts under no other. One root may be without, and certifies whom no other names. The embedded authority has this issuer, and those of authority, unwritten.',
              ),
            },
            additionalProperties: false,
          },
        ],
      } as const,
      'Trusted roots. All of a signature holds under one of them that is for its issuer, or it does not count.',
    ),
    signingConfig: text('signing_config.json: certificate authority, log and timestamp authority that sign.'),
  },
  additionalProperties: false,
} as const;

const oidc = {
  type: 'object',
  description: 'Which tokens are this caller’s.',
  required: ['issuer', 'audience', 'where'],
  properties: {
    issuer: text('Exactly the iss of its tokens; of SPIFFE spiffe://<trust domain>.'),
    audience: text("This issuer's own URL: a token that names another audience is no credential here."),
    where: {
      type: 'object',
      minProperties: 1,
      additionalProperties: {
        anyOf: [text('The whole value.'), listOf(text('A whole value.'), 'One of these values.')],
      },
      description: 'Claims that all have their value. A name that begins with / is a JSON Pointer into the claims.',
    },
    singleUse: { type: 'boolean', description: 'Each token counts once; true for GitHub where absent, else false.' },
    maxAgeSeconds: whole(30, 86_400, 'Longest time since iat; 3600 where absent.'),
    confirms: listOf(
      { enum: FORGE_CONFIRMS } as const,
      'Of github and gitlab: the claims that its tokens confirm, where not all.',
    ),
    claims: {
      type: 'object',
      properties: {
        repo: text('Claim with <org>/<repo>.'),
        repo_uri: text("Claim with the repository's address."),
        commit_sha: text('Claim with the commit.'),
        trigger: text('Claim with the event.'),
        human_reviewer: text('Claim with the e-mail address of a person who signed in, for a reviewer’s token.'),
      },
      additionalProperties: false,
      description: 'Of oidc: which claim of the token confirms which of ours. Nothing where absent.',
    },
    keys,
  },
  additionalProperties: false,
} as const;

const caller = {
  type: 'object',
  required: ['name', 'may'],
  properties: {
    name: {
      type: 'string',
      pattern: CALLER_NAME,
      description: '1 to 64 of a-z 0-9 . _ -, the first a letter or digit.',
    },
    kind: { enum: CALLER_KINDS, description: 'Whose tokens they are, with oidc.' },
    oidc,
    apiKey: { type: 'boolean', description: 'API keys may be made for it: colophon callers key create.' },
    may: {
      type: 'object',
      required: ['agents'],
      properties: {
        agents: { type: 'array', items: text('A name, or a pattern.'), description: 'Agents that it may speak for.' },
        models: patterns('model identifiers'),
        policyPacks: patterns('names of policy packs'),
        repositories: patterns('repositories: <org>/<repo>, or addresses'),
        audiences: patterns('audiences'),
        purposes: listOf({ enum: PURPOSES } as const, '[artifact, commit] where absent.'),
        decisions: {
          type: 'boolean',
          description: 'It may send decisions of an admission webhook to the evidence store; false where absent.',
        },
      },
      additionalProperties: false,
      description: 'What is absent is not limited.',
    },
  },
  additionalProperties: false,
} as const;

const witness = {
  type: 'object',
  required: ['name', 'key', 'place'],
  properties: {
    name: { type: 'string', pattern: CALLER_NAME, description: 'How the ledger calls it.' },
    key: text('file:PATH of its public key in PEM: colophon witness public-key.'),
    place: {
      enum: WITNESS_PLACES,
      description: 'What its word is worth at most: same-host counts as declared wherever a policy does not name it.',
    },
    callers: listOf(text('A name among callers.'), 'Who may show its receipts. Needed where callers are asked.'),
    upstreams: {
      type: 'object',
      minProperties: 1,
      additionalProperties: text('An http or https address.'),
      description: 'Addresses by name; the name becomes model_provider. Needed for isolated.',
    },
  },
  additionalProperties: false,
} as const;

const agent = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', pattern: AGENT_NAME, description: 'Its name, in this spelling.' },
    id: text('Identifier that is never given to another agent; the issuer makes one where absent.'),
    owner: text('Who answers for it.'),
    versions: patterns('versions'),
    state: { enum: AGENT_STATES, description: 'active where absent; the others get no tokens.' },
  },
  additionalProperties: false,
} as const;

/** The configuration file: one declaration for the type, for the check and for the published JSON Schema. */
export const CONFIGURATION_SCHEMA = {
  type: 'object',
  required: ['issuer', 'listen', 'data'],
  properties: {
    issuer: text('iss of every token, byte for byte; whatever address and proxy serve it.'),
    listen,
    operations,
    data: text('Data folder: ledger, keys, published SBOMs.'),
    pins: text(
      'Folder for the newest checkpoints, outside of data and of its backups, so that an older copy of data is refused; the user’s configuration folder where absent.',
    ),
    roles: listOf(
      { enum: ROLES } as const,
      '[issuer] where absent. authority, evidence and registry serve loopback only.',
    ),
    trust,
    tokens,
    authority: {
      type: 'object',
      description: 'Of the role authority.',
      properties: {
        issuers: listOf(
          {
            type: 'object',
            required: ['issuer', 'subject'],
            properties: {
              issuer: text('Exactly the iss of its tokens, whose aud must be sigstore.'),
              subject: {
                enum: CERTIFIED_SUBJECTS,
                description: 'What names the holder: sub, which must be a URI, or a verified e-mail address.',
              },
            },
            additionalProperties: false,
          } as const,
          'Further issuers whose tokens it certifies. They name no agent, no reviewer and no review service.',
        ),
      },
      additionalProperties: false,
    },
    predicateBase: text('Base of the predicate types.'),
    claimArc: text('OID arc of the claims in certificates of the embedded authority.'),
    callers: { type: 'array', items: caller, description: 'Who may ask for tokens.' },
    witnesses: {
      type: 'array',
      items: witness,
      description: 'Witnesses whose receipts of agent runs are taken.',
    },
    agents: {
      type: 'array',
      items: agent,
      description: 'Agents that get tokens; any name, its first user’s, where absent.',
    },
    models: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'provider'],
        properties: { id: text('Model identifier, or a pattern.'), provider: text('Who serves it.') },
        additionalProperties: false,
      } as const,
      description: 'Who serves which model.',
    },
    policyPacks: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'hash'],
        properties: {
          name: { type: 'string', pattern: CALLER_NAME, description: 'What rights call it.' },
          hash: { type: 'string', pattern: DIGEST, description: 'colophon hash policy FILE.' },
        },
        additionalProperties: false,
      } as const,
      description: 'Policy packs by hash.',
    },
    claims: {
      type: 'object',
      description: 'What a token of an agent must say, as far as its purpose has the claim.',
      properties: {
        required: listOf({ enum: SOURCED_CLAIMS } as const, 'Claims without which no token is issued.'),
        sources: {
          type: 'object',
          properties: sourceRules,
          additionalProperties: false,
          description: 'Accepted sources of claims; a token whose claim has another, or lacks it, is not issued.',
        },
      },
      additionalProperties: false,
    },
    policies: {
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: 4096 },
      maxItems: 100,
      description:
        'Admission policies that are in force, files and folders of them: colophon review reject says which of them hear it. They admit nothing here.',
    },
    reviews: {
      type: 'object',
      description: 'How people review.',
      properties: {
        login: {
          type: 'object',
          required: ['issuer', 'clientId'],
          properties: {
            issuer: text(
              'The company’s OpenID Connect provider: colophon review logs in there, and the evidence store takes e-mail certificates of its people for theirs.',
            ),
            clientId: text(
              'Client that is registered there for programs, without a secret; the authority’s client-id.',
            ),
          },
          additionalProperties: false,
          description: 'Login of reviewers; where absent, only this issuer names them.',
        },
      },
      additionalProperties: false,
    },
    limits: {
      type: 'object',
      description: 'Of requests and keys.',
      properties: {
        requestsPerSecond: whole(1, 100_000, 'Of one caller, and of one address beyond loopback; 20 where absent.'),
        burst: whole(1, 1_000_000, 'Requests at once; ten seconds’ worth where absent.'),
        bodyBytes: whole(1_024, 1_048_576, 'Of a token request; 65536 where absent.'),
        headerSeconds: whole(1, 60, 'Until the header of a request has arrived; 10 where absent.'),
        requestSeconds: whole(1, 300, 'Until all of a request has arrived; 15 where absent.'),
        apiKeyDays: whole(1, 3_650, 'Longest life of an API key; 90 where absent.'),
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
} as const;

/** The file as it is written. */
export type ConfigurationFile = XStatic<typeof CONFIGURATION_SCHEMA>;
