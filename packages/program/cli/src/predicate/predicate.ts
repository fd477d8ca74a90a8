import { type Issue, isJsonObject, type JsonObject, parseStrictJson } from '@colophon/json';
import {
  agentRunType,
  claimOfRunField,
  completeAgentRun,
  OWN_PREDICATES,
  parseAgentRun,
  parseBuildProvenance,
  parseStatement,
  predicateParsers,
  SLSA_PROVENANCE_TYPE,
  STATEMENT_TYPE,
  type Statement,
  typesUnder,
} from '@colophon/records';
import { assertRunAgrees, type RunWitness } from '@colophon/sigstore';
import { Option } from 'commander';
import { CliError, type ReportedIssue } from '../cli-error/cli-error.ts';
import { readInput } from '../input/input.ts';
import { lacking, type Need } from '../program/needs.ts';
import { unsaid } from '../run-context/run-context.ts';
import type { SignerIdentity } from '../signing-flags/signing-flags.ts';

const LARGEST = { maxBytes: 32 * 1024 * 1024, maxDepth: 256 };

/** The short names that cosign knows. */
const OTHERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    custom: 'https://cosign.sigstore.dev/attestation/v1',
    slsaprovenance: 'https://slsa.dev/provenance/v0.2',
    slsaprovenance02: 'https://slsa.dev/provenance/v0.2',
    slsaprovenance1: SLSA_PROVENANCE_TYPE,
    link: 'https://in-toto.io/Link/v1',
    spdx: 'https://spdx.dev/Document',
    spdxjson: 'https://spdx.dev/Document',
    cyclonedx: 'https://cyclonedx.org/bom',
    vuln: 'https://cosign.sigstore.dev/attestation/vuln/v1',
    openvex: 'https://openvex.dev/ns',
  }),
);

/** The predicate types that `--type` asks for, the one to write first: a URI as it is, or those of a short name. */
export function predicateTypes(type: string, predicateBase: string): readonly [string, ...string[]] {
  if (isOwn(type)) return typesUnder(predicateBase, OWN_PREDICATES[type].typeOf) as [string, ...string[]];
  const known = OTHERS.get(type);
  if (known !== undefined) return [known];
  if (/^[a-z][a-z0-9+.-]*:\S+$/i.test(type)) return [type];
  throw new CliError('cli.usage', `${type} is no predicate type`, {
    expected: `a URI, or one of ${shortTypes().join(', ')}`,
  });
}

/** The short names of all types that have one. */
export function shortTypes(): readonly string[] {
  return [...Object.keys(OWN_PREDICATES), ...OTHERS.keys()];
}

function isOwn(type: string): type is keyof typeof OWN_PREDICATES {
  return Object.hasOwn(OWN_PREDICATES, type);
}

/** What help says of `--type <type>`. */
export const TYPE_HELP = 'predicate type: a URI, or a short name such as agent-run or slsaprovenance1';

/** What a command needs that attests. */
export const PREDICATE_NEED: Need = {
  what: 'what is attested',
  oneOf: ['--predicate', '--statement', '--type=agent-run'],
  toldLater: true,
};

/** What the context of a run has to say where it is all that an agent run is made from. */
export function claimsOfPredicate(flags: {
  readonly type: string;
  readonly predicate?: string;
  readonly statement?: string;
}): readonly string[] {
  const isFilled = flags.type === 'agent-run' && flags.predicate === undefined && flags.statement === undefined;
  return isFilled ? ['model_provider', 'commit_sha'] : [];
}

/** `--predicate`: needed for every type but agent-run, which the run's context fills. */
export function predicateOption(): Option {
  return new Option(
    '--predicate <file>',
    "JSON file with the predicate (- for standard input); for agent-run only what the run's context does not say",
  );
}

/**
 * The predicate of a new statement with its type. `identity` is absent where a key signs, or nobody.
 * @throws CliError `cli.usage`, `cli.predicate_invalid`; SigningError, see readRunPredicate
 */
export async function readAttestedPredicate(
  file: string | undefined,
  type: string,
  identity: SignerIdentity | undefined,
  predicateBase: string,
): Promise<{ readonly predicateType: string; readonly predicate: JsonObject }> {
  const [uri] = predicateTypes(type, predicateBase);
  const isRun = typesUnder(predicateBase, agentRunType).includes(uri);
  if (isRun && identity !== undefined) {
    return { predicateType: uri, predicate: await readRunPredicate(file, uri, identity) };
  }
  if (file === undefined) {
    throw lacking(
      isRun ? noRunContext() : new CliError('cli.usage', 'nothing to attest', { expected: '--predicate FILE' }),
    );
  }
  return { predicateType: uri, predicate: await readPredicate(file, uri, predicateBase) };
}

/** Nobody signs yet, or a key, which says nothing of a run. */
function noRunContext(): CliError {
  const message = "nothing to attest: an agent-run is filled from the run's context";
  return new CliError('cli.usage', message, {
    expected: '--context FILE, --agent-name NAME …, or --identity-token TOKEN; with --key, --predicate FILE',
  });
}

/** Reads a predicate; one of a type that we define, or whose meaning we rely on, must be what its type promises. */
export async function readPredicate(file: string, type: string, predicateBase: string): Promise<JsonObject> {
  const predicate = await readObject(file);
  const checked = parserOf(type, predicateBase)?.(predicate);
  if (checked !== undefined && !checked.ok) throw invalid(file, checked.issues);
  return predicate;
}

/**
 * The predicate of an agent run: what the file says, and from the signer's identity what it leaves out. Without a file
 * all of it is the identity's.
 * @throws CliError `cli.predicate_invalid`; SigningError
 * `signing.run_contradicted`, before a token is spent
 */
async function readRunPredicate(
  file: string | undefined,
  predicateType: string,
  { said, witness }: Pick<SignerIdentity, 'said' | 'witness'>,
): Promise<JsonObject> {
  const signer = said();
  const predicate = completeAgentRun(file === undefined ? {} : await readObject(file), signer);
  const checked = parseAgentRun(predicate);
  if (!checked.ok) throw withMissingClaims(invalid(file ?? `the ${witness}`, checked.issues), checked.issues, witness);
  assertRunAgrees({ _type: STATEMENT_TYPE, subject: [], predicateType, predicate }, signer, witness);
  return predicate;
}

function parserOf(type: string, predicateBase: string) {
  return type === SLSA_PROVENANCE_TYPE ? parseBuildProvenance : predicateParsers(predicateBase)[type];
}

async function readObject(file: string): Promise<JsonObject> {
  const parsed = parseStrictJson(await readInput(file), LARGEST);
  if (!parsed.ok) throw invalid(file, parsed.issues);
  if (!isJsonObject(parsed.value)) throw invalid(file, []);
  return parsed.value;
}

/** Where the context leaves fields out, and nothing else is wrong, names the flags that say them. */
function withMissingClaims(error: CliError, issues: readonly Issue[], witness: RunWitness): CliError {
  const missing = issues.flatMap(({ code, path }) => {
    const claim = code.endsWith('.field_missing') ? claimOfRunField(path) : undefined;
    return claim === undefined ? [] : [unsaid(claim)];
  });
  return witness === 'context' && missing.length === issues.length ? lacking(error, missing) : error;
}

/** Reads a whole Statement v1. */
export async function readStatementFile(file: string, predicateBase: string): Promise<Statement> {
  const parsed = parseStatement(await readInput(file));
  if (!parsed.ok) throw invalid(file, parsed.issues);
  const { _type, predicateType: type, predicate } = parsed.value;
  if (_type !== STATEMENT_TYPE) {
    throw new CliError('cli.predicate_invalid', `${file} is a statement of another version`, {
      checked: file,
      expected: STATEMENT_TYPE,
      found: _type,
    });
  }
  const checked = parserOf(type, predicateBase)?.(predicate);
  if (checked !== undefined && !checked.ok) {
    throw invalid(
      file,
      checked.issues.map((issue) => ({ ...issue, path: `/predicate${issue.path}` })),
    );
  }
  return parsed.value;
}

function invalid(file: string, issues: readonly ReportedIssue[]): CliError {
  return new CliError('cli.predicate_invalid', `${file} is not what its type promises`, {
    checked: file,
    ...(issues.length === 0 ? { expected: 'one JSON object' } : { issues }),
  });
}
