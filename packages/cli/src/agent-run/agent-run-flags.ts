import { type Command, InvalidArgumentError } from 'commander';
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

/** What stands where nobody said the agent's version. */
const UNSTATED = 'unstated';

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (/^\d{1,7}$/.test(text) && seconds > 0) return seconds;
  throw new InvalidArgumentError('A number of seconds, 1 or more.');
}
