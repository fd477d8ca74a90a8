import { randomBytes, randomUUID } from 'node:crypto';
import { openKeyFile } from '@colophon/keys';
import { isLoopback } from '@colophon/peer';
import { isUpstreamAddress, receiptAddress } from '@colophon/records';
import {
  type AskedRun,
  addressOf,
  nameOfAddress,
  type Observation,
  observeHere,
  observeThere,
  PROVIDER_APIS,
  type SentRequest,
  type Upstream,
} from '@colophon/witness';
import { readCredential } from '../caller-credential/caller-credential.ts';
import { CliError } from '../cli-error/cli-error.ts';
import { witnessKeyFile } from '../home/home.ts';
import { isServiceUrl } from '../service-url/service-url.ts';
import type { AgentRunFlags } from './agent-run-flags.ts';

/**
 * Observes a run: by the isolated witness that the flags or the environment name, else in this process.
 * @throws CliError `cli.usage`, `cli.credential_exposed`, `cli.file_unreadable`; KeyError; WitnessError
 */
export async function observe(
  asked: AskedRun,
  flags: Pick<AgentRunFlags, 'witness' | 'witnessCredential' | 'caller'>,
  env: NodeJS.ProcessEnv,
  predicateBase: string,
  keep?: (request: SentRequest) => void,
): Promise<Observation> {
  const address = askedWitness(flags, env);
  if (address === undefined) {
    if (flags.witnessCredential !== undefined) {
      throw new CliError('cli.usage', 'the witness in this process asks for no credential', {
        expected: '--witness ADDRESS with --witness-credential',
        found: '--witness-credential',
      });
    }
    return observeOnThisHost({ ...asked, ...(flags.caller && { caller: flags.caller }) }, env, predicateBase, keep);
  }
  if (flags.caller !== undefined) {
    throw new CliError('cli.usage', 'an isolated witness knows its callers', {
      expected: '--witness, or --caller',
      found: 'both',
    });
  }
  return observeThere(asked, { address: controlAddress(address), credential: await witnessCredential(flags, env) });
}

/** The isolated witness that the flags or the environment name. */
export function askedWitness({ witness }: Pick<AgentRunFlags, 'witness'>, env: NodeJS.ProcessEnv): string | undefined {
  return (witness ?? env['COLOPHON_WITNESS']) || undefined;
}

function controlAddress(address: string): string {
  if (/^unix:\/./.test(address)) return address;
  const isUrl = isServiceUrl(address);
  if (isUrl && (new URL(address).protocol === 'https:' || isLoopback(address))) return address;
  if (isUrl) {
    const message = 'a credential is not sent without TLS to another machine';
    throw new CliError('cli.credential_exposed', message, { checked: address, expected: 'an https address' });
  }
  throw new CliError('cli.usage', '--witness is no address', {
    checked: '--witness, $COLOPHON_WITNESS',
    expected: 'unix:/run/colophon-witness/control.sock, or a URL',
    found: address,
  });
}

async function witnessCredential(
  { witnessCredential: file }: Pick<AgentRunFlags, 'witnessCredential'>,
  env: NodeJS.ProcessEnv,
) {
  const text = file === undefined ? env['COLOPHON_WITNESS_CREDENTIAL']?.trim() : await readCredential(file);
  if (text) return text;
  throw new CliError('cli.usage', 'the witness asks its callers who they are', {
    expected: '--witness-credential FILE, or $COLOPHON_WITNESS_CREDENTIAL',
  });
}

/** What a receipt can name. */
const RECEIPT_WORD = /^[!-~]{1,256}$/;

/**
 * Observes a run in this process: a diary, since whoever runs as this user can read the key and go round it. Its upstreams
 * are what the user's environment names, else the providers' own.
 * @throws CliError `cli.usage`; KeyError
 */
function observeOnThisHost(
  asked: AskedRun,
  env: NodeJS.ProcessEnv,
  predicateBase: string,
  keep: ((request: SentRequest) => void) | undefined,
): Promise<Observation> {
  const unnamed = Object.entries({ '--caller': asked.caller, '--issuer, $COLOPHON_ISSUER': asked.issuer }).find(
    ([, word]) => word !== undefined && !RECEIPT_WORD.test(word),
  );
  if (unnamed !== undefined) {
    throw new CliError('cli.usage', 'a receipt cannot name it', {
      checked: unnamed[0],
      expected: '1 to 256 printable characters without spaces',
      found: unnamed[1]!,
    });
  }
  return observeHere(asked, {
    key: openKeyFile(witnessKeyFile(env), 'ES256'),
    upstreams: PROVIDER_APIS.map((api) => upstreamOf(api, addressOf(api, env))),
    predicateBase,
    keep,
    random: { bytes: (length) => randomBytes(length), uuid: () => randomUUID() },
  });
}

function upstreamOf(slot: string, address: string): Upstream {
  const base = isUpstreamAddress(address) ? new URL(address) : undefined;
  const named = base === undefined ? '' : receiptAddress(base);
  if (base === undefined || !RECEIPT_WORD.test(named)) {
    throw new CliError('cli.usage', `the base URL of ${slot} in the environment is no address`, {
      checked: slot === 'anthropic' ? '$ANTHROPIC_BASE_URL' : '$OPENAI_BASE_URL, $OPENAI_API_BASE',
      expected: 'http(s)://HOST[:PORT][/PATH], without credentials and query, at most 256 characters',
    });
  }
  return { slot, name: nameOfAddress(named), base };
}
