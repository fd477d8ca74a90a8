import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { CliError } from '../cli-error/cli-error.ts';
import { withNeeds } from '../program/needs.ts';
import { everyValue } from '../program/repeated-flag.ts';
import { type SigningFlags, withServices } from '../signing-flags/signing-flags.ts';

/** What `colophon run` is told. */
export type AgentRunFlags = Omit<SigningFlags, 'prompt' | 'promptMessages' | 'policyPack'> & {
  readonly agent: string;
  readonly agentVersion: string;
  readonly policyPack: string[];
  readonly prompt?: string;
  readonly promptMessages?: string;
  readonly modelId?: string;
  readonly sign?: string[];
  readonly predicate?: string;
  readonly predicateOut?: string;
  readonly receiptOut?: string;
  readonly promptsOut?: string;
  readonly witness?: string;
  readonly witnessCredential?: string;
  readonly caller?: string;
  readonly timeout?: number;
  readonly quiet?: boolean;
};

/** Adds the flags that say what runs, what is written of it, and where it is signed. */
export function withAgentRun(command: Command): Command {
  const observed = withNeeds(command, { what: 'who reviewed', oneOf: ['--human-reviewer'], when: '--sign' })
    .requiredOption('--agent <name>', 'name of the agent')
    .option('--agent-version <version>', 'version of the agent', UNSTATED)
    .requiredOption('--policy-pack <file>', 'file of the policy pack; once for each file', everyValue)
    .option('--prompt <file>', 'file with the exact prompt; - hands standard input on to the command')
    .option('--prompt-messages <file>', 'JSON file with a prompt of several messages')
    .option('--model-id <id>', 'model that is meant to answer; a run that another one answered is not signed')
    .option(
      '--predicate <file>',
      'JSON file with what cannot be seen: context files, rules, review; read after the run',
    )
    .option('--predicate-out <file>', 'where the agent-run predicate goes')
    .option('--receipt-out <file>', 'where the signed receipt goes')
    .option('--prompts-out <file>', 'keep the requests to models there, each a line of JSON (default: not kept)')
    .option('--sign <artifact>', 'what the run made: sign it, and attest the run; once for each file', everyValue)
    .option('--human-reviewer <email>', 'with --sign: who reviewed')
    .option('--review-timestamp <time>', 'with --sign: when, RFC 3339 in UTC')
    .option('--repo <org/repo>', 'with --sign: repository')
    .option('--repo-uri <url>', 'with --sign: full address of the repository')
    .option('--caller-credential <file>', 'with --sign: token or API key for the issuer, as of colophon token')
    .option(
      '--witness <address>',
      'isolated witness: unix:PATH or URL of its control (default: $COLOPHON_WITNESS, else one in this process)',
    )
    .option(
      '--witness-credential <file>',
      'file with the secret that it asks for (default: $COLOPHON_WITNESS_CREDENTIAL)',
    )
    .option('--caller <name>', 'who will show the receipt, as the issuer calls it; an isolated witness knows it')
    .option('--timeout <seconds>', 'end the command after so long', parseSeconds)
    .option('--quiet', 'say nothing where all is well');
  return withServices(observed);
}

/** Flags for what is signed, which say nothing of a run that is not. */
const OF_SIGNING = {
  humanReviewer: '--human-reviewer',
  reviewTimestamp: '--review-timestamp',
  repo: '--repo',
  repoUri: '--repo-uri',
  callerCredential: '--caller-credential',
} as const satisfies { readonly [flag in keyof AgentRunFlags]?: string };

/**
 * Refuses flags that would be ignored, and a file that would be written twice.
 * @throws CliError `cli.usage`
 */
export function refuseIgnored(
  flags: AgentRunFlags,
  receiptFile: string | undefined,
  witness: string | undefined,
): void {
  const { sign, predicate, predicateOut, promptsOut } = flags;
  if (sign === undefined) {
    const ignored = Object.entries(OF_SIGNING).filter(([flag]) => flags[flag as keyof AgentRunFlags] !== undefined);
    const names = ignored.map(([, name]) => name).join(', ');
    if (names !== '') {
      throw new CliError('cli.usage', 'nothing is signed', { expected: `--sign ARTIFACT with ${names}`, found: names });
    }
    if (predicate !== undefined && predicateOut === undefined) {
      throw new CliError('cli.usage', 'no predicate is made', {
        expected: '--predicate-out FILE or --sign ARTIFACT with --predicate',
        found: '--predicate',
      });
    }
  }
  if (promptsOut !== undefined && witness !== undefined) {
    throw new CliError('cli.usage', 'an isolated witness hands out no prompts', {
      expected: '--prompts-out without a witness of its own',
      found: `--prompts-out, and ${witness}`,
    });
  }
  const written = [predicateOut, receiptFile, promptsOut].filter((file) => file !== undefined);
  const repeated = written.find((file, index) =>
    written.some((other, at) => at < index && resolve(other) === resolve(file)),
  );
  if (repeated !== undefined) {
    throw new CliError('cli.usage', 'two records of the run would be written into the same file', {
      checked: repeated,
      expected: 'one file for each',
    });
  }
}

/** What stands where nobody said the agent's version. */
const UNSTATED = 'unstated';

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (/^\d{1,7}$/.test(text) && seconds > 0) return seconds;
  throw new InvalidArgumentError('A number of seconds, 1 or more.');
}
