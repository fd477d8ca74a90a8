import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { WELL_KNOWN_PATH } from '../publication-rules/publication-name.ts';
import { PublishingError } from '../publication-rules/publishing-error.ts';
import type { AwsSettings } from './aws-settings.ts';
import { type Ask, createExchange, type ExchangeOptions, MOST_ANSWER_BYTES, refused } from './exchange.ts';
import type { PublishingTarget } from './publishing-target.ts';
import { webTarget } from './web-target.ts';

const ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/;
const PREFIX = /^[A-Za-z0-9._/-]*$/;

export type S3Options = Omit<ExchangeOptions, 'authorize'> & { readonly settings: AwsSettings };

/**
 * Objects in a bucket of an S3-compatible store. Where the bucket has object lock, what may not change is locked.
 * @throws PublishingError `publishing.target_invalid`, and what the store says when it is asked about its locks
 */
export async function s3Target(address: string, { settings, ...options }: S3Options): Promise<PublishingTarget> {
  const { bucket, prefix } = parseAddress(address);
  const base = bucketUrl(bucket, settings);
  const exchange = createExchange({ ...options, authorize: (ask) => signed(ask, settings) });
  const lockConfiguration = new URL('?object-lock', base);
  const answer = await exchange.send('GET', lockConfiguration, { mostBytes: MOST_ANSWER_BYTES });
  const text = Buffer.from(answer.body).toString();
  const locksObjects = answer.isOk && text.includes('<ObjectLockEnabled>Enabled<');
  // 404 and 501 say that there is no lock, 403 that its state is nobody's business; the bucket may be right all the same.
  if (!answer.isOk && ![403, 404, 501].includes(answer.status)) throw refused(answer);
  if (!answer.isOk && text.includes('<Code>NoSuchBucket</Code>')) {
    throw new PublishingError('publishing.target_refused', `there is no bucket ${bucket}`);
  }
  return webTarget({
    place: address,
    folder: new URL([...prefix, WELL_KNOWN_PATH, ''].join('/'), base),
    exchange,
    locksObjects,
    putHeaders: (bytes, { retainUntil }) => ({
      // The store refuses what was damaged on the way.
      'x-amz-checksum-sha256': createHash('sha256').update(bytes).digest('base64'),
      ...(locksObjects && retainUntil !== undefined
        ? { 'x-amz-object-lock-mode': 'COMPLIANCE', 'x-amz-object-lock-retain-until-date': retainUntil }
        : {}),
    }),
  });
}

/** SigV4 over everything that is sent, the body's digest included. */
async function signed({ method, url, headers, body }: Ask, settings: AwsSettings): Promise<Headers> {
  const { accessKeyId, secretAccessKey, sessionToken, region } = settings;
  const digest = createHash('sha256')
    .update(body ?? '')
    .digest('hex');
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    headers: { ...headers, 'x-amz-content-sha256': digest },
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    region,
    service: 's3',
  });
  return (await signer.sign()).headers;
}

/** A store of one's own has its buckets as paths; Amazon's are hosts, unless dots would break the certificate. */
function bucketUrl(bucket: string, { endpoint, region }: AwsSettings): URL {
  if (endpoint !== undefined) return new URL(`${endpoint.replace(/\/+$/, '')}/${bucket}/`);
  const host = `s3.${region}.amazonaws.com`;
  return new URL(bucket.includes('.') ? `https://${host}/${bucket}/` : `https://${bucket}.${host}/`);
}

function parseAddress(address: string): { bucket: string; prefix: string[] } {
  const [, bucket, path = ''] = ADDRESS.exec(address) ?? [];
  const prefix = path.split('/').filter((part) => part !== '');
  if (
    bucket === undefined ||
    bucket.includes('..') ||
    !PREFIX.test(path) ||
    prefix.some((part) => /^\.+$/.test(part))
  ) {
    throw new PublishingError('publishing.target_invalid', 'this is no address of a bucket', {
      expected: 's3://bucket/prefix, of letters, digits and . _ - /',
      found: address,
    });
  }
  return { bucket, prefix };
}
