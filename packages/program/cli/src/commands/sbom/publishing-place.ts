import type { PlaceOptions } from '@colophon/publishing';
import type { PublicationName } from '@colophon/publishing/publication-rules';
import { dataPaths, readInstallation } from '@colophon/server/data-folder';
import type { Command } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import { dataFolder } from '../../home/home.ts';
import { readInput, unreadableSecret } from '../../input/input.ts';
import { dataFlag, type Session } from '../../program/program.ts';
import { parseServiceUrl } from '../../service-url/service-url.ts';
import { coloursFor, oneLine } from '../../terminal/terminal.ts';
import type { VerifiedResult } from '../verified-result.ts';
import { tellVerified } from '../verifying.ts';

export type PlaceFlags = { readonly s3Endpoint?: string; readonly authorizationFile?: string };

/** What a place is, in the help of every option that names one. */
export const PLACE_HELP = 'a folder, s3://bucket/prefix or https://host/path (default: what `colophon up` serves)';

/** The login of a publisher, in the environment. */
const LOGIN = 'COLOPHON_PUBLISH_AUTHORIZATION';

/** What may be had from a stranger as well: there the publisher's login has no business. */
type Reading = { readonly isAnybodys?: boolean };

/** The flags that a place which is no folder may need. Logins come from the environment or a file. */
export function withPlace(command: Command, { isAnybodys = false }: Reading = {}): Command {
  return command
    .option('--s3-endpoint <url>', 'S3-compatible store (default: $AWS_ENDPOINT_URL_S3, else Amazon)', parseServiceUrl)
    .option(
      '--authorization-file <file>',
      `file with the Authorization header for a web server${isAnybodys ? '' : ` (default: $${LOGIN})`}`,
    );
}

/** The place that is named, else the folder that the server of this data folder serves. */
export function placeOf(address: string | undefined, command: Command, { env }: Session): string {
  return address ?? dataPaths(dataFolder(env, dataFlag(command))).sboms;
}

/** Where the server of this data folder shows what is published into it; undefined where it has never been started. */
export function servedAddress(command: Command, { env }: Session): string | undefined {
  const installation = readInstallation(dataFolder(env, dataFlag(command)));
  return installation && `${installation.issuer_url}/.well-known/sbom/`;
}

export async function placeOptions(
  flags: PlaceFlags,
  { env, signal }: Session,
  { isAnybodys = false }: Reading = {},
): Promise<PlaceOptions> {
  const { s3Endpoint, authorizationFile } = flags;
  const given =
    authorizationFile === undefined
      ? (!isAnybodys && env[LOGIN]) || undefined
      : Buffer.from(
          await readInput(authorizationFile).catch((cause) => {
            throw unreadableSecret('--authorization-file', authorizationFile, cause.cause);
          }),
        ).toString();
  return { env, signal, s3Endpoint, authorization: given === undefined ? undefined : assertHeader(given.trim()) };
}

/** For people: what was fetched from where, what is true of it, and where it was put. */
export function describeFetched(
  record: VerifiedResult &
    PublicationName & { readonly place: string; readonly out?: string; readonly latest?: string },
  flags: { readonly details?: boolean } = {},
): string {
  const { artifact, version, place, out, latest } = record;
  const verified = tellVerified({ ...record, artifact: `${artifact}@${version}` }, flags);
  return `${verified}${oneLine(`from ${place}${out === undefined ? '' : `, written to ${out}`}${latest === undefined ? '' : `; -latest is ${latest}`}`)}\n`;
}

/** Tells people at a terminal what takes its time. */
export function announce({ terminal }: Session, text: string): void {
  if (terminal.stderr.isTTY) terminal.stderr.write(coloursFor(terminal).dim(`${text}…\n`));
}

function assertHeader(text: string): string {
  if (/^[\x21-\x7e][\x20-\x7e]{0,8191}$/.test(text)) return text;
  throw new CliError('cli.usage', 'the Authorization header is no single line of ASCII', {
    checked: `--authorization-file, $${LOGIN}`,
    expected: 'e.g. Bearer …',
  });
}
