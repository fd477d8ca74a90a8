import {
  agentReviewType,
  agentRunType,
  type Issue,
  isJsonObject,
  type JsonObject,
  type ParseResult,
  parseAgentReview,
  parseAgentRun,
  parseReviewWithdrawal,
  parseStandingNegatives,
  parseStatement,
  parseStrictJson,
  reviewWithdrawalType,
  STATEMENT_TYPE,
  type Statement,
  standingNegativesType,
} from '@colophon/records';
import { CliError } from '../cli-error/cli-error.ts';
import { EXIT } from '../exit-code/exit-code.ts';
import { readInput } from '../input/input.ts';

const LARGEST = { maxBytes: 32 * 1024 * 1024, maxDepth: 256 };

// The short names that cosign knows, and our own.
const SHORT_NAMES = new Map<string, string>(
  Object.entries({
    'agent-run': agentRunType(),
    'agent-review': agentReviewType(),
    'review-withdrawal': reviewWithdrawalType(),
    'standing-negatives': standingNegativesType(),
    custom: 'https://cosign.sigstore.dev/attestation/v1',
    slsaprovenance: 'https://slsa.dev/provenance/v0.2',
    slsaprovenance02: 'https://slsa.dev/provenance/v0.2',
    slsaprovenance1: 'https://slsa.dev/provenance/v1',
    link: 'https://in-toto.io/Link/v1',
    spdx: 'https://spdx.dev/Document',
    spdxjson: 'https://spdx.dev/Document',
    cyclonedx: 'https://cyclonedx.org/bom',
    vuln: 'https://cosign.sigstore.dev/attestation/vuln/v1',
    openvex: 'https://openvex.dev/ns',
  }),
);

/** What a predicate of these types must look like; it has no other members, whatever a type is called. */
export const PREDICATE_PARSERS: Readonly<Record<string, (predicate: unknown) => ParseResult<unknown>>> = Object.assign(
  Object.create(null),
  {
    [agentRunType()]: parseAgentRun,
    [agentReviewType()]: (predicate: unknown) => parseAgentReview(predicate),
    [reviewWithdrawalType()]: parseReviewWithdrawal,
    [standingNegativesType()]: parseStandingNegatives,
  },
);

/** A predicate type: a URI as it is, or one of the short names. */
export function predicateType(type: string): string {
  const known = SHORT_NAMES.get(type);
  if (known !== undefined) return known;
  if (/^[a-z][a-z0-9+.-]*:\S+$/i.test(type)) return type;
  throw new CliError('cli.usage', `${type} is no predicate type`, EXIT.usage, {
    expected: `a URI, or one of ${[...SHORT_NAMES.keys()].join(', ')}`,
  });
}

/** Reads a predicate; one of a type that we define must be what its type promises. */
export async function readPredicate(file: string, type: string): Promise<JsonObject> {
  const parsed = parseStrictJson(await readInput(file), LARGEST);
  if (!parsed.ok) throw invalid(file, parsed.issues);
  if (!isJsonObject(parsed.value)) throw invalid(file, []);
  const checked = PREDICATE_PARSERS[type]?.(parsed.value);
  if (checked !== undefined && !checked.ok) throw invalid(file, checked.issues);
  return parsed.value;
}

/** Reads a whole Statement v1. */
export async function readStatementFile(file: string): Promise<Statement> {
  const parsed = parseStatement(await readInput(file));
  if (!parsed.ok) throw invalid(file, parsed.issues);
  const { _type, predicateType: type, predicate } = parsed.value;
  if (_type !== STATEMENT_TYPE) {
    throw new CliError('cli.predicate_invalid', `${file} is a statement of another version`, EXIT.refused, {
      checked: file,
      expected: STATEMENT_TYPE,
      found: _type,
    });
  }
  const checked = PREDICATE_PARSERS[type]?.(predicate);
  if (checked !== undefined && !checked.ok) {
    throw invalid(
      file,
      checked.issues.map((issue) => ({ ...issue, path: `/predicate${issue.path}` })),
    );
  }
  return parsed.value;
}

function invalid(file: string, issues: readonly Issue[]): CliError {
  return new CliError('cli.predicate_invalid', `${file} is not what its type promises`, EXIT.refused, {
    checked: file,
    ...(issues.length === 0 ? { expected: 'one JSON object' } : { issues }),
  });
}
