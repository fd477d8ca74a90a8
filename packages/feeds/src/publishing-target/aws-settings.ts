import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { homeFolder } from '@colophon/durable-file';
import { PublishingError } from '@colophon/sbom';

/** Who asks an S3-compatible store, and where it is. */
export type AwsSettings = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly region: string;
  /** Of a store that is not Amazon's. */
  readonly endpoint?: string;
};

type Environment = Readonly<Record<string, string | undefined>>;
type Profile = Readonly<Record<string, string>>;

const DEFAULT_REGION = 'us-east-1';

/**
 * Login, region and endpoint as AWS's own tools find them: the environment, then the profile in the shared files.
 * Secrets come from nowhere else, and stand in no message.
 * @throws PublishingError `publishing.target_unauthorized` where there is no login
 */
export function awsSettings(env: Environment, flags: { endpoint?: string | undefined } = {}): AwsSettings {
  const name = env['AWS_PROFILE'] || 'default';
  const folder = join(homeFolder(env), '.aws');
  const credentials = readProfile(env['AWS_SHARED_CREDENTIALS_FILE'] || join(folder, 'credentials'), name);
  const config = readProfile(env['AWS_CONFIG_FILE'] || join(folder, 'config'), name);
  // A login is taken whole from one place: half of it from each would be nobody's.
  const login: Profile = env['AWS_ACCESS_KEY_ID']
    ? {
        aws_access_key_id: env['AWS_ACCESS_KEY_ID'],
        aws_secret_access_key: env['AWS_SECRET_ACCESS_KEY'] ?? '',
        aws_session_token: env['AWS_SESSION_TOKEN'] ?? '',
      }
    : 'aws_access_key_id' in credentials
      ? credentials
      : config;
  const { aws_access_key_id: id, aws_secret_access_key: secret, aws_session_token: token } = login;
  if (!id || !secret) {
    throw new PublishingError('publishing.target_unauthorized', 'there is no login for the S3 store', {
      expected: `AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY, or the profile ${name} in ~/.aws/credentials`,
      found: id ? 'a key id without its secret' : 'neither',
    });
  }
  const endpoint =
    flags.endpoint || env['AWS_ENDPOINT_URL_S3'] || env['AWS_ENDPOINT_URL'] || config['endpoint_url'] || undefined;
  return {
    accessKeyId: id,
    secretAccessKey: secret,
    ...(token ? { sessionToken: token } : {}),
    region: env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || config['region'] || DEFAULT_REGION,
    ...(endpoint === undefined ? {} : { endpoint: assertEndpoint(endpoint) }),
  };
}

function assertEndpoint(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && !url.username && !url.search && !url.hash) return endpoint;
  throw new PublishingError('publishing.target_invalid', 'the S3 endpoint is no address', {
    expected: 'https://host, or http:// on a network of your own',
  });
}

/** One section of an INI file; a file that is not there has none. */
function readProfile(file: string, name: string): Profile {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return {};
  }
  const profile: Record<string, string> = {};
  let isWanted = false;
  for (const line of text.split(/\r?\n/)) {
    const section = /^\s*\[\s*(?:profile\s+)?([^\]]*?)\s*\]/.exec(line)?.[1];
    if (section !== undefined) isWanted = section === name;
    const [, key, value] = /^([a-z_0-9]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (isWanted && key !== undefined && value !== undefined) profile[key] = value;
  }
  return profile;
}
