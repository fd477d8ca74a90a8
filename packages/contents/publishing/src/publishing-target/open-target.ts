import { PublishingError } from '../publication-rules/publishing-error.ts';
import { awsSettings } from './aws-settings.ts';
import { folderTarget } from './folder-target.ts';
import type { PublishingSource, PublishingTarget } from './publishing-target.ts';
import { s3Target } from './s3-target.ts';
import { httpSource, httpTarget } from './web-target.ts';

export type PlaceOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly s3Endpoint?: string | undefined;
  /** The whole `Authorization` header of a web server. */
  readonly authorization?: string | undefined;
  readonly signal?: AbortSignal | undefined;
};

/**
 * The target that an address names: `s3://bucket/prefix`, `https://host/…`, else a folder.
 * @throws PublishingError `publishing.target_invalid`, `publishing.target_unauthorized` and what an S3 store says
 */
export async function openTarget(address: string, options: PlaceOptions): Promise<PublishingTarget> {
  const { env, s3Endpoint, authorization, signal } = options;
  switch (schemeOf(address)) {
    case 's3':
      return s3Target(address, { settings: awsSettings(env, { endpoint: s3Endpoint }), signal });
    case 'web':
      return httpTarget(address, { authorization, signal });
    default:
      return folderTarget(address);
  }
}

/** The same for reading, which a web server may allow that takes no files. @throws as openTarget */
export async function openSource(address: string, options: PlaceOptions): Promise<PublishingSource> {
  const { authorization, signal } = options;
  return schemeOf(address) === 'web' ? httpSource(address, { authorization, signal }) : openTarget(address, options);
}

function schemeOf(address: string): 's3' | 'web' | 'folder' {
  if (address.startsWith('s3://')) return 's3';
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(address)) return 'folder';
  const url = /^https?:\/\//i.test(address) && URL.canParse(address) ? new URL(address) : undefined;
  if (url !== undefined && !url.username && !url.password && !url.search && !url.hash) return 'web';
  throw new PublishingError('publishing.target_invalid', 'this is no place to publish to', {
    expected: 'a folder, s3://bucket/prefix, or https://host/path without login, query and fragment',
  });
}
