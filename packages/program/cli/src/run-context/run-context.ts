import { existsSync } from 'node:fs';
import { isJsonObject, type JsonObject, parseStrictJson } from '@colophon/json';
import {
  hashPolicyPack,
  hashPrompt,
  hashPromptMessages,
  REQUEST_SHAPES,
  type SourcedClaim,
  TOKEN_PURPOSES,
} from '@colophon/records';
import { type Command, Option } from 'commander';
import { parseAnySha256 } from '../artifact-digest/any-digest.ts';
import { CliError } from '../cli-error/cli-error.ts';
import { readInput } from '../input/input.ts';
import { underHeading } from '../program/help-layout.ts';
import { lacking, type Missing } from '../program/needs.ts';
import { everyValue } from '../program/repeated-flag.ts';

/** Flags that carry the run's context; each sets the token request's field of the same name (contract §2.2). */
const FIELDS = {
  agentName: 'agent_name',
  agentVersion: 'agent_version',
  modelId: 'model_id',
  modelProvider: 'model_provider',
  promptHash: 'prompt_hash',
  policyPackHash: 'policy_pack_hash',
  humanReviewer: 'human_reviewer',
  reviewTimestamp: 'review_timestamp',
  repo: 'repo',
  repoUri: 'repo_uri',
  commitSha: 'commit_sha',
  treeSha: 'tree_sha',
  parentSha: 'parent_sha',
  purpose: 'purpose',
} as const satisfies Readonly<Record<string, SourcedClaim | 'purpose'>>;
type Field = keyof typeof FIELDS;

export type RunContextFlags = { readonly [field in Field]?: string } & {
  readonly callerCredential?: string;
  readonly context?: string;
  readonly prompt?: string;
  readonly promptMessages?: string;
  readonly policyPack?: string[];
  /** The file of one, or one itself. */
  readonly receipt?: string | JsonObject;
};

/** Adds the flags to a command that mints a token. */
export function withRunContext(command: Command): Command {
  return underHeading('signer', underHeading('run', command, addRunContext), (minting) =>
    minting.option(
      '--caller-credential <file>',
      'file with the token or API key that the issuer asks for (default: $COLOPHON_CALLER_CREDENTIAL, or of the GitHub job)',
    ),
  );
}

function addRunContext(command: Command): Command {
  return command
    .option('--context <file>', 'JSON file with the token request (- for standard input); flags win over it')
    .option('--agent-name <name>', 'name of the agent')
    .option('--agent-version <version>', 'version of the agent')
    .option('--model-id <id>', "model identifier, from the provider's response")
    .option('--model-provider <name>', 'provider of the model')
    .option('--prompt <file>', 'file with the exact prompt, hashed here and never sent')
    .option('--prompt-messages <file>', 'JSON file with a prompt of several messages, hashed here and never sent')
    .option('--prompt-hash <hash>', 'SHA-256 of the prompt: hex, base64, sha256:HEX or sha256-BASE64')
    .option(
      '--policy-pack <file>',
      'file of the policy pack, hashed here and never sent; once for each file',
      everyValue,
    )
    .option('--policy-pack-hash <hash>', 'SHA-256 of the policy pack')
    .option('--receipt <file>', "a witness's signed receipt of the run: the issuer takes the model from it")
    .option('--human-reviewer <email>', 'who reviewed')
    .option('--review-timestamp <time>', 'when, RFC 3339 in UTC')
    .option('--repo <org/repo>', 'repository')
    .option('--repo-uri <url>', 'full address of the repository')
    .option('--commit-sha <sha>', 'commit')
    .option('--tree-sha <sha>', 'tree of the commit; its id is known before the commit is made')
    .option('--parent-sha <sha>', 'first parent of the commit')
    .addOption(
      new Option('--purpose <purpose>', 'what is signed; artifact is the default, a review has `colophon review`')
        // A person's own token is none of a run.
        .choices(TOKEN_PURPOSES.filter((purpose) => purpose !== 'review')),
    );
}

/** Whether any flag says something about the run. */
export function hasContext(flags: RunContextFlags): boolean {
  const names = [...Object.keys(FIELDS), 'context', 'prompt', 'promptMessages', 'policyPack', 'receipt'] as Array<
    keyof RunContextFlags
  >;
  return names.some((name) => flags[name] !== undefined);
}

/** The token request as JSON bytes, or undefined where the caller gave no context at all. */
export async function readRunContext(flags: RunContextFlags, env: NodeJS.ProcessEnv): Promise<Uint8Array | undefined> {
  const file = flags.context ?? (env['COLOPHON_CONTEXT'] || undefined);
  const request: Record<string, unknown> = file === undefined ? {} : await readContextFile(file);
  for (const ways of [
    ['prompt', 'promptMessages', 'promptHash'],
    ['policyPack', 'policyPackHash'],
  ] as const) {
    if (ways.filter((way) => flags[way] !== undefined).length < 2) continue;
    throw new CliError('cli.usage', `the same is given as a hash and as a file`, {
      expected: ways[0] === 'prompt' ? '--prompt, or --prompt-hash' : '--policy-pack, or --policy-pack-hash',
      found: 'both',
    });
  }
  for (const [flag, field] of Object.entries(FIELDS)) {
    const value = flags[flag as Field];
    if (value !== undefined) request[field] = (field.endsWith('_hash') && parseAnySha256(value)) || value;
  }
  if (flags.prompt !== undefined) request['prompt_hash'] = await hashPromptFile(flags.prompt);
  if (flags.promptMessages !== undefined) request['prompt_hash'] = await hashPromptMessagesFile(flags.promptMessages);
  if (flags.receipt !== undefined) {
    request['receipt'] = typeof flags.receipt === 'string' ? await readReceiptFile(flags.receipt) : flags.receipt;
  }
  if (flags.policyPack !== undefined) request['policy_pack_hash'] = await hashPolicyPackFiles(flags.policyPack);
  return Object.keys(request).length === 0 ? undefined : new TextEncoder().encode(JSON.stringify(request));
}

/**
 * The hash of the prompt that a file holds. Words that name no file may be the prompt itself, and are in no error.
 * @throws CliError `cli.file_unreadable`
 */
export async function hashPromptFile(file: string): Promise<string> {
  if (/\s/.test(file) && !existsSync(file)) {
    throw new CliError('cli.file_unreadable', 'the prompt is read from a file, and there is no such file', {
      expected: 'the name of a file, or - for standard input',
    });
  }
  return hashPrompt(await readInput(file));
}

/**
 * The hash of a prompt of several messages: a JSON document with everything that the agent was given before its first
 * call of a model, in whatever order its members stand.
 * @throws CliError `cli.file_unreadable`, `cli.context_invalid`
 */
export async function hashPromptMessagesFile(file: string): Promise<string> {
  const parsed = parseStrictJson(await readInput(file), LARGEST_PROMPT);
  if (parsed.ok) return hashPromptMessages(parsed.value);
  // What stands in a prompt is in no error: an issue names its place only.
  throw new CliError('cli.context_invalid', 'the messages of the prompt are not strict JSON', {
    checked: file,
    expected: 'one JSON document, e.g. [{"role":"user","content":"…"}]',
    issues: parsed.issues.map(({ code, message }) => ({ code, message })),
  });
}

const LARGEST_PROMPT = { maxBytes: 64 * 1024 * 1024, maxDepth: 256 };

/**
 * The token request as readRunContext makes it, with every field that an issuer demands.
 * @param also what the caller needs beside them; told where the issuer's are
 * @throws CliError `cli.context_invalid` where one is missing; as readRunContext
 */
export async function readTokenRequest(
  flags: RunContextFlags,
  env: NodeJS.ProcessEnv,
  also: readonly string[] = [],
): Promise<Uint8Array | undefined> {
  const request = await readRunContext(flags, env);
  if (request === undefined) return undefined;
  const fields = JSON.parse(new TextDecoder().decode(request)) as Record<string, unknown>;
  const purpose = TOKEN_PURPOSES.find((one) => one === fields['purpose']) ?? 'artifact';
  const { required } = REQUEST_SHAPES[purpose];
  const isUnsaid = (field: string) => !Object.hasOwn(fields, field);
  const missing = required.filter(isUnsaid);
  if (missing.length === 0) return request;
  throw lacking(
    new CliError('cli.context_invalid', `the context does not say all of the run: ${missing.join(', ')}`),
    [...new Set<string>([...missing, ...also.filter(isUnsaid)])].map(unsaid),
  );
}

/** A field of the run's context that was not given. */
export function unsaid(field: string): Missing {
  return { what: `${field} of the run`, oneOf: waysToSay(field) };
}

function waysToSay(field: string): readonly [string, ...string[]] {
  const flag = `--${field.replaceAll('_', '-')}`;
  return field.endsWith('_hash') ? [flag.replace(/-hash$/, ''), flag] : [flag];
}

/** One file is hashed as it is, several as a sorted list of their hashes and paths. */
export async function hashPolicyPackFiles(paths: readonly string[]): Promise<string> {
  const files = await Promise.all(paths.map(async (path) => ({ path, bytes: await readInput(path) })));
  const [first, ...more] = files;
  if (first !== undefined && more.length === 0) return hashPolicyPack(first.bytes);
  try {
    return hashPolicyPack(files);
  } catch (cause) {
    const { message } = cause as Error;
    throw new CliError('cli.usage', `these files are no policy pack: ${message}`, { cause });
  }
}

/** The largest receipt is half of it. */
const MOST_RECEIPT_BYTES = 64 * 1024;

/** A receipt as it was written: whether it counts is for the issuer to say. */
async function readReceiptFile(file: string): Promise<JsonObject> {
  const parsed = parseStrictJson(await readInput(file), { maxBytes: MOST_RECEIPT_BYTES });
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  throw new CliError('cli.context_invalid', `${file} is no receipt`, {
    checked: file,
    expected: 'the file of colophon run --receipt-out',
  });
}

async function readContextFile(file: string): Promise<Record<string, unknown>> {
  const parsed = parseStrictJson(await readInput(file));
  if (parsed.ok && isJsonObject(parsed.value)) return { ...parsed.value };
  throw new CliError('cli.context_invalid', `${file} is not a JSON object`, {
    checked: file,
    expected: 'one JSON object with the fields of the token request',
    ...(parsed.ok ? { found: 'another JSON value' } : { issues: parsed.issues }),
  });
}
