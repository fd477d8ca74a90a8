import { SigningError, signBlob } from '@colophon/sigstore';
import { type Examined, FULCIO_FILE, rootsOf } from './examined.ts';
import { type Fault, type Finding, fault, fine } from './finding.ts';

const PROBE = new TextEncoder().encode('colophon doctor\n');

/** Signs a few bytes, has them logged, and verifies the bundle: the way of every signature. */
export async function probeSignature(
  examined: Examined,
  identityToken: (keyThumbprint: string) => Promise<string>,
  fetch: typeof globalThis.fetch | undefined,
): Promise<readonly Finding[]> {
  const { services, trust } = examined;
  try {
    const { identity } = await signBlob({ ...services, trust, artifact: PROBE, identityToken, fetch, retries: 0 });
    return [fine('signature', `signed, logged and verified, for ${identity.subject} of ${identity.issuer}`)];
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    return [fault('signature', explained(error, examined))];
  }
}

/** The reason behind a refusal of a whole bundle is more than that it was refused. */
function explained(error: Error, examined: Examined): Fault {
  const { cause } = error as { readonly cause?: { readonly code?: unknown; readonly message?: string } };
  const isInner = error instanceof SigningError && typeof cause?.code === 'string' && cause.code.includes('.');
  const refusal = isInner ? (cause.code as string) : (error as unknown as { code: string }).code;
  const message = (isInner ? cause.message : undefined) ?? error.message;
  const common = { refusal, message };
  const namesCtLogs = examined.trust.roots.some(({ library }) => library.ctlogs.length > 0);
  const roots = rootsOf(examined);
  if (refusal === 'sct.missing' || message.endsWith('sct.missing')) {
    return {
      ...common,
      refusal: 'sct.missing',
      code: 'doctor.ct_log_missing',
      file: namesCtLogs ? roots : (examined.configurationFile ?? roots),
      advice: namesCtLogs
        ? 'start Fulcio with --ct-log-url, or take ctlogs out of the trusted root and say insecureIgnoreSct'
        : 'insecureIgnoreSct: true of this root, or --insecure-ignore-sct; better: a CT log for Fulcio',
    };
  }
  if (refusal === 'sct.invalid') {
    return {
      ...common,
      code: 'doctor.ct_log_unknown',
      file: roots,
      advice: 'name the CT log of this Fulcio in ctlogs',
    };
  }
  if (
    refusal === 'certificate.mapping_conflict' ||
    refusal === 'signing.certificate_not_ours' ||
    refusal === 'certificate.identity_missing'
  ) {
    return {
      ...common,
      code: 'doctor.certificate_mapping',
      file: FULCIO_FILE,
      advice: 'use the file as colophon init wrote it',
    };
  }
  if (refusal === 'log_entry.untrusted_log' || refusal === 'log_entry.checkpoint_invalid') {
    return {
      ...common,
      code: 'doctor.log_not_pinned',
      file: roots,
      advice: 'give the trusted root this log’s key, and its host as baseUrl',
    };
  }
  if (refusal === 'certificate.untrusted') {
    return {
      ...common,
      code: 'doctor.authority_not_pinned',
      file: roots,
      advice: 'give the trusted root this authority’s certificates',
    };
  }
  if (refusal === 'timestamp.outside_certificate' || refusal === 'certificate.expired') {
    return {
      ...common,
      code: 'doctor.clock_differs',
      advice: 'set the clocks of authority, log and timestamp authority, e.g. by NTP',
    };
  }
  if (refusal === 'timestamp.invalid') {
    return {
      ...common,
      code: 'doctor.timestamps_not_pinned',
      file: roots,
      advice: 'give the trusted root this authority’s certificates',
    };
  }
  if (refusal === 'signing.ca_refused') {
    return { ...common, code: 'doctor.signature_refused', file: FULCIO_FILE, advice: 'Fulcio’s own log says why' };
  }
  return { ...common, code: 'doctor.signature_refused', advice: `see ${refusal} in docs/errors.md` };
}
