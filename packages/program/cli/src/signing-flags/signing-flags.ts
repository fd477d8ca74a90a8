import { existsSync, readFileSync, statSync } from 'node:fs';
import { requestToken } from '@colophon/oidc';
import { type RunSigner, runSignerOf } from '@colophon/records';
import { dataPaths } from '@colophon/server/data-folder';
import { loadSigningConfig, type RunWitness, readIdentityToken, type SigningServices } from '@colophon/sigstore';
import { type Command, Option } from 'commander';
import { callerCredential } from '../caller-credential/caller-credential.ts';
import { CliError, withFacts } from '../cli-error/cli-error.ts';
import { dataFolder } from '../home/home.ts';
import { issuerUrl } from '../home/issuer-url.ts';
import { upLine } from '../home/up-line.ts';
import { readInput } from '../input/input.ts';
import { underHeading } from '../program/help-layout.ts';
import { lacking, type Need } from '../program/needs.ts';
import { dataFlag, type Session } from '../program/program.ts';
import { parseSwitch } from '../program/switch.ts';
import { hasContext, type RunContextFlags, readTokenRequest, withRunContext } from '../run-context/run-context.ts';
import { parseServiceUrl } from '../service-url/service-url.ts';
import { coloursFor } from '../terminal/terminal.ts';
import { type TrustFlags, withTrust } from '../trust/trust.ts';

const TOKEN = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+){2}$/;
const MOST_TOKEN_BYTES = 64 * 1024;

export type SigningFlags = RunContextFlags &
  TrustFlags & {
    readonly identityToken?: string;
    readonly issuer?: string;
    readonly oidcIssuer?: string;
    readonly fulcioUrl?: string;
    readonly rekorUrl?: string;
    readonly timestampServerUrl?: string;
    readonly signingConfig?: string;
    readonly useSigningConfig?: boolean;
    readonly allowPublicLog?: boolean;
    readonly evidence: boolean;
  };

/** Ways to name the agent that signs. */
export const SIGNER_WAYS = ['--context', '--agent-name', '--identity-token'] as const;

/** What a command needs that signs for an agent, or with what `others` names. */
export function signerNeed(...others: readonly string[]): Need {
  return {
    what: 'who signs',
    oneOf: [...SIGNER_WAYS, ...others, '$COLOPHON_CONTEXT', '$SIGSTORE_ID_TOKEN'],
    toldLater: true,
  };
}

/** The flags of every command that signs for an agent: cosign's names, and the run's context to mint a token from. */
export function withSigning(
  command: Command,
  token = 'identity token, or a file with one (default: $SIGSTORE_ID_TOKEN, or minted from the context)',
): Command {
  return underHeading('signer', withServices(withRunContext(command)), (signed) =>
    signed.option('--identity-token <token>', token),
  );
}

/** The flags that say where to sign. */
export function withServices(command: Command): Command {
  return underHeading('services', command, (signing) =>
    withTrust(addServices(signing), 'trusted root that the answers of the services are checked against'),
  );
}

function addServices(command: Command): Command {
  return command
    .option(
      '--issuer <url>',
      'issuer to mint from (default: $COLOPHON_ISSUER, else the one of the data folder)',
      parseServiceUrl,
    )
    .addOption(
      new Option('--oidc-issuer <url>', 'the same, under its cosign name')
        .argParser(parseServiceUrl)
        // Two names for one thing are one flag given twice.
        .conflicts('issuer'),
    )
    .option('--fulcio-url <url>', 'certificate authority', parseServiceUrl)
    .option('--rekor-url <url>', 'transparency log (Rekor v1)', parseServiceUrl)
    .option(
      '--timestamp-server-url <url>',
      'RFC 3161 timestamp authority (default: of the signing config)',
      parseServiceUrl,
    )
    .option(
      '--signing-config <file>',
      'services to use, as cosign writes it (default: of the configuration, else of the data folder)',
    )
    .option('--use-signing-config [bool]', 'false with --fulcio-url and --rekor-url, as cosign wants it', parseSwitch)
    .option('--new-bundle-format [bool]', 'accepted: bundles are always written in the new format', parseSwitch)
    .option('-y, --yes [bool]', 'accepted: nothing is ever asked', parseSwitch)
    .option('--allow-public-log', 'sign to a public log, where the reviewer and the hashes stay readable permanently')
    .option('--no-evidence', 'do not hand the signed statement to the evidence store');
}

/** Where certificates come from and where signatures are logged: `--signing-config`, the two URLs, or the data folder. */
export async function signingServices(
  flags: SigningFlags,
  command: Command,
  { env }: Session,
): Promise<SigningServices> {
  const services = await chooseServices(flags, command, env);
  if (services.rekorUrl !== undefined && isPublicLog(services.rekorUrl) && !flags.allowPublicLog) {
    throw new CliError('cli.public_log_refused', `${services.rekorUrl} is a public log`, {
      expected: '--allow-public-log, once you know that the reviewer and the hashes stay readable there permanently',
    });
  }
  return services;
}

async function chooseServices(flags: SigningFlags, command: Command, env: NodeJS.ProcessEnv): Promise<SigningServices> {
  const { fulcioUrl, rekorUrl, timestampServerUrl: tsaUrl } = flags;
  if (flags.signingConfig !== undefined && (fulcioUrl ?? rekorUrl ?? tsaUrl) !== undefined) {
    throw new CliError('cli.usage', '--signing-config and service URLs exclude each other');
  }
  const withTsa = tsaUrl === undefined ? {} : { tsaUrl };
  if (fulcioUrl !== undefined || rekorUrl !== undefined) {
    if (fulcioUrl === undefined || rekorUrl === undefined) {
      const absent = fulcioUrl === undefined ? '--fulcio-url' : '--rekor-url';
      throw lacking(new CliError('cli.usage', '--fulcio-url and --rekor-url go together'), [
        { what: 'the other one of the two services', oneOf: [absent] },
      ]);
    }
    return { fulcioUrl, rekorUrl, rekorMajorVersion: 1, ...withTsa };
  }
  const ofDataFolder = dataPaths(dataFolder(env, dataFlag(command))).signingConfig;
  const file =
    (flags.signingConfig ?? env['COLOPHON_SIGNING_CONFIG']) || (existsSync(ofDataFolder) ? ofDataFolder : undefined);
  if (file !== undefined) {
    const config = await readInput(file);
    return withFacts({ checked: file }, async () => ({ ...loadSigningConfig(config, new Date()), ...withTsa }));
  }
  throw new CliError('cli.no_signing_services', 'no certificate authority and log are known', {
    checked: `--signing-config, --fulcio-url with --rekor-url, ${ofDataFolder}`,
    next: upLine(dataFlag(command)),
  });
}

function isPublicLog(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'sigstore.dev' || hostname.endsWith('.sigstore.dev');
}

/** Who signs: by a token that exists, or by the context that a token is minted from. */
export type SignerIdentity = {
  /** What it says of the run. @throws SigningError `signing.token_malformed` */
  readonly said: () => RunSigner;
  /** What said it, for messages. */
  readonly witness: RunWitness;
  /**
   * A token that was handed in is used as it is; otherwise one is minted from the context at the moment that it is
   * wanted, a new one for each artifact (contract §8), and bound to the key that signs it.
   */
  readonly token: (keyThumbprint: string) => Promise<string>;
};

/**
 * Reads who signs; `also` is what the context has to say beside what an issuer wants: `--identity-token`, else the context, else $SIGSTORE_ID_TOKEN; undefined where there is none of them.
 * @throws CliError `cli.usage` for a token and a context, `cli.file_unreadable`, `cli.context_invalid`; SigningError
 */
export async function readSignerIdentity(
  flags: SigningFlags,
  command: Command,
  session: Session,
  also: readonly string[] = [],
): Promise<SignerIdentity | undefined> {
  if (flags.identityToken !== undefined && hasContext(flags)) {
    throw new CliError('cli.usage', 'an identity token already contains the context', {
      expected: '--identity-token, or the context to mint one from',
      found: 'both',
    });
  }
  if (flags.identityToken !== undefined) return identityOfToken(readHandedToken(flags.identityToken), session);
  const request = await readTokenRequest(flags, session.env, also);
  if (request !== undefined) {
    const issuer = issuerUrl(session.env, dataFlag(command), flags.issuer ?? flags.oidcIssuer);
    const said = () => runSignerOf(JSON.parse(new TextDecoder().decode(request)));
    const token = async (jkt: string) => {
      const credential = await callerCredential(issuer, session.env, flags.callerCredential);
      return requestToken(issuer, boundTo(jkt, request), { credential });
    };
    return { said, witness: 'context', token };
  }
  const ambient = session.env['SIGSTORE_ID_TOKEN'];
  return ambient ? identityOfToken(readHandedToken(ambient), session) : undefined;
}

/** The same request for a token that no other key can use; one that names a key keeps its own. */
export function boundTo(keyThumbprint: string, request: Uint8Array): Uint8Array {
  const fields = JSON.parse(new TextDecoder().decode(request)) as Record<string, unknown>;
  return new TextEncoder().encode(JSON.stringify({ dpop_jkt: keyThumbprint, ...fields }));
}

/** @throws CliError `cli.context_invalid` where nobody signs */
export function assertSigner(identity: SignerIdentity | undefined): SignerIdentity {
  if (identity !== undefined) return identity;
  throw lacking(
    new CliError('cli.context_invalid', 'there is no identity token, and no context to mint one from', {
      expected: '--identity-token, $SIGSTORE_ID_TOKEN, or --agent-name … (--context FILE)',
    }),
  );
}

function identityOfToken(token: string, session: Session): SignerIdentity {
  const said = () => {
    const { subject, payload } = readIdentityToken(token);
    return runSignerOf(payload, subject);
  };
  return { said, witness: 'identity token', token: once(token, session) };
}

/**
 * An identity token as it was handed in: itself, or a file that holds it.
 * @throws CliError `cli.file_unreadable`
 */
export function readHandedToken(value: string): string {
  const text = value.trim();
  if (TOKEN.test(text)) return text;
  // The value may be a token that lost a character: it is never repeated.
  const fromFile = text.length <= 1024 ? readTokenFile(text) : undefined;
  if (fromFile !== undefined && TOKEN.test(fromFile)) return fromFile;
  throw new CliError(
    'cli.file_unreadable',
    fromFile === undefined
      ? 'the identity token is neither a token nor the name of a file'
      : 'the file of the identity token holds none',
    { checked: '--identity-token, $SIGSTORE_ID_TOKEN', next: 'colophon token' },
  );
}

function readTokenFile(path: string): string | undefined {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= MOST_TOKEN_BYTES ? readFileSync(path, 'utf8').trim() : undefined;
  } catch {
    // The system's reason quotes the path, which may be half a token.
    return undefined;
  }
}

function once(token: string, { terminal }: Session): () => Promise<string> {
  let uses = 0;
  return async () => {
    uses += 1;
    if (uses === 2) {
      const colours = coloursFor(terminal);
      terminal.stderr.write(
        colours.yellow(
          'note: one identity token signs several artifacts; give the context instead, and each gets its own\n',
        ),
      );
    }
    return token;
  };
}
