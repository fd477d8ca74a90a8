import { join } from 'node:path';
import { homeFolder, readSettingsFile } from '@colophon/durable-file';
import { PublishingError } from '../publication-rules/publishing-error.ts';

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
/** A file by the names of its sections. */
type Sections = ReadonlyMap<string, Profile>;

const DEFAULT_REGION = 'us-east-1';

/**
 * Login, region and endpoint as AWS's own tools find them: the environment, then the profile in the shared files.
 * Secrets come from nowhere else, and stand in no message. A file that cannot be read, or a profile that is not there, is
 * not taken for none: the store at Amazon's would be asked in place of the user's own.
 * @throws PublishingError `publishing.target_unauthorized` where there is no login, `publishing.settings_invalid`
 */
export function awsSettings(env: Environment, flags: { endpoint?: string | undefined } = {}): AwsSettings {
  const name = env['AWS_PROFILE'] || 'default';
  const files = {
    credentials: readSections('AWS_SHARED_CREDENTIALS_FILE', 'credentials', env),
    config: readSections('AWS_CONFIG_FILE', 'config', env),
  };
  const [credentials, config] = [files.credentials.get(name), files.config.get(name)];
  if (name !== 'default' && credentials === undefined && config === undefined) {
    throw missing(`the profile ${name}`, 'a profile of ~/.aws/config or ~/.aws/credentials');
  }
  // A login is taken whole from one place: half of it from each would be nobody's.
  const login: Profile = env['AWS_ACCESS_KEY_ID']
    ? {
        aws_access_key_id: env['AWS_ACCESS_KEY_ID'],
        aws_secret_access_key: env['AWS_SECRET_ACCESS_KEY'] ?? '',
        aws_session_token: env['AWS_SESSION_TOKEN'] ?? '',
      }
    : credentials !== undefined && 'aws_access_key_id' in credentials
      ? credentials
      : (config ?? {});
  const { aws_access_key_id: id, aws_secret_access_key: secret, aws_session_token: token } = login;
  if (!id || !secret) {
    throw new PublishingError('publishing.target_unauthorized', 'there is no login for the S3 store', {
      expected: `AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY, or the profile ${name} in ~/.aws/credentials`,
      found: id ? 'a key id without its secret' : 'neither',
    });
  }
  const endpoint =
    flags.endpoint ||
    env['AWS_ENDPOINT_URL_S3'] ||
    env['AWS_ENDPOINT_URL'] ||
    serviceEndpoint(config, files.config) ||
    config?.['endpoint_url'] ||
    undefined;
  return {
    accessKeyId: id,
    secretAccessKey: secret,
    ...(token ? { sessionToken: token } : {}),
    region: env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || config?.['region'] || DEFAULT_REGION,
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

/** A profile may name a section `services NAME`, whose `s3` has settings of its own. */
function serviceEndpoint(config: Profile | undefined, sections: Sections): string | undefined {
  const name = config?.['services'];
  if (!name) return undefined;
  const services = sections.get(`services ${name}`);
  if (services === undefined) throw missing(`the section services ${name}`, 'a section of ~/.aws/config');
  return services['s3.endpoint_url'];
}

/** The file that the variable names, else the one at its usual place, which may be missing. */
function readSections(variable: string, usual: string, env: Environment): Sections {
  const named = env[variable] || undefined;
  const file = named ?? join(homeFolder(env), '.aws', usual);
  const read = readSettingsFile(file, { isNamed: named !== undefined });
  if (read.ok) return sectionsOf(read.text);
  throw new PublishingError('publishing.settings_invalid', `${file} cannot be used: ${read.reason}`, {
    expected: named === undefined ? 'a file of AWS settings, or none' : `a file of AWS settings in $${variable}`,
  });
}

/** Of an INI file. An indented `key = value` belongs to the key above it, as `s3.endpoint_url`. */
function sectionsOf(text: string): Sections {
  const sections = new Map<string, Record<string, string>>();
  let section: Record<string, string> = {};
  let above = '';
  for (const line of text.split(/\r?\n/)) {
    const name = /^\s*\[\s*(?:profile\s+)?([^\]]*?)\s*\]/.exec(line)?.[1];
    if (name !== undefined) {
      section = sections.get(name) ?? {};
      sections.set(name, section);
    }
    const [, indent, key, value] = /^([ \t]*)([a-z_0-9]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (key === undefined || value === undefined) continue;
    section[indent ? `${above}.${key}` : key] = value;
    if (!indent) above = key;
  }
  return sections;
}

function missing(what: string, expected: string): PublishingError {
  return new PublishingError('publishing.settings_invalid', `${what} does not exist`, { expected });
}
