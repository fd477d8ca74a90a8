import { type AdmissionInput, publicKeyName } from '@colophon/admission';
import {
  type CertificateIdentity,
  keyIdentity,
  OWN_PREDICATES,
  type RejectedSignature,
  STATEMENT_TYPE,
  type Statement,
  type VerifiedSignature,
} from '@colophon/records';
import type { PolicyCaseFile, WrittenEvidence, WrittenSignature } from './policy-case-schema.ts';

/** What a decision is made from, where nobody signed anything: facts that verification would have handed on. */
export type EvidenceFacts = Pick<AdmissionInput, 'image' | 'signatures' | 'rejected' | 'incomplete'> & {
  readonly now: Date;
  readonly negatives: PolicyCaseFile['negatives'];
};

type Written = {
  readonly evidence: WrittenEvidence;
  readonly reference: string;
  /** `sha256:<hex>` of the image. */
  readonly digest: string;
  readonly now: Date;
  readonly negatives: PolicyCaseFile['negatives'];
  readonly predicateBase: string;
};

const NO_LOG = '0'.repeat(64);

/** Evidence that is written out, as verification would hand it on. */
export function evidenceFacts({ evidence, reference, digest, now, negatives, predicateBase }: Written): EvidenceFacts {
  const { signatures = [], rejected = [], incomplete = [], manifests = [] } = evidence;
  return {
    image: { reference, digest, manifests },
    signatures: signatures.map((one, index) => verifiedSignature(one, { digest, predicateBase, index })),
    rejected: rejected.map(refused),
    incomplete: incomplete.map(refused),
    now,
    negatives,
  };
}

type Around = { readonly digest: string; readonly predicateBase: string; readonly index: number };

function verifiedSignature(written: WrittenSignature, { digest, predicateBase, index }: Around): VerifiedSignature {
  const { time, certified_at, format, predicateType, predicate, subjects, id } = written;
  const about = subjects ?? [{ digest: { sha256: digest.slice('sha256:'.length) } }];
  const statement = (type: string): Statement => ({
    _type: STATEMENT_TYPE,
    subject: about,
    predicateType: wholeType(type, predicateBase),
    predicate: predicate ?? {},
  });
  return {
    certificate_identity: identityOf(written),
    ...(predicateType === undefined
      ? { artifact_digest: `sha256:${about[0]?.digest['sha256']}` }
      : { statement: statement(predicateType) }),
    ...(format === undefined ? {} : { format }),
    ...(id === undefined ? {} : { bundle_digest: `sha256:${id}` }),
    certified_at: certified_at ?? time,
    log_entry: { log_index: index, log_id: NO_LOG, integrated_at: time },
  };
}

function identityOf(written: WrittenSignature): CertificateIdentity {
  const { issuer = '', subject = '', key, subject_type, purpose, claims = {}, sources = {} } = written;
  if (key !== undefined) return keyIdentity(publicKeyName(key) ?? '');
  return {
    issuer,
    subject,
    ...(subject_type === undefined ? {} : { subject_type: 'email' }),
    ...(purpose === undefined ? {} : { purpose }),
    claims: claims as CertificateIdentity['claims'],
    sources: sources as CertificateIdentity['sources'],
  };
}

function wholeType(type: string, predicateBase: string): string {
  return Object.hasOwn(OWN_PREDICATES, type)
    ? OWN_PREDICATES[type as keyof typeof OWN_PREDICATES].typeOf(predicateBase)
    : type;
}

function refused({
  code,
  message = code,
  predicate_type,
}: NonNullable<WrittenEvidence['rejected']>[number]): RejectedSignature {
  return { code, message, ...(predicate_type === undefined ? {} : { predicate_type }) };
}
