import { type AdmissionReasonCode, publicKeyName } from '@colophon/admission';
import { isTimestamp, parseImageReference } from '@colophon/notation';
import { type PolicyDocument, readPolicyFile } from '@colophon/policy-file';
import { DEFAULT_PREDICATE_BASE, OWN_PREDICATES } from '@colophon/records';
import type { PolicyCaseIssue, PolicyCaseIssueCode } from './policy-case-issue.ts';
import {
  POLICY_CASE_SCHEMA,
  type PolicyCaseFile,
  type WrittenEvidence,
  type WrittenSignature,
} from './policy-case-schema.ts';
import { type EvidenceFacts, evidenceFacts } from './written-evidence.ts';

/** Largest case, in UTF-16 units. */
export const MAX_CASE_LENGTH = 1024 * 1024;

/** What has to be decided. */
export type ExpectedDecision = {
  readonly decision: 'admitted' | 'refused';
  /** The whole set; empty where the image is to be admitted. */
  readonly reasons: readonly AdmissionReasonCode[];
  /** The whole set; whatever they are where absent. */
  readonly warnings?: readonly AdmissionReasonCode[];
  /** RFC 3339 with Z; whenever it is where absent. */
  readonly valid_until?: string;
};

/** A case of a policy. */
export type PolicyCase = {
  /** Files, as the case names them. */
  readonly policies: readonly string[];
  readonly evidence:
    | {
        readonly kind: 'pack';
        readonly file: string /** When the pack says that it was made where absent. */;
        readonly now?: Date;
      }
    | ({ readonly kind: 'written' } & EvidenceFacts);
  readonly expected: ExpectedDecision;
};

/** A case, or everything that is wrong with its file. */
export type ParsedPolicyCase =
  | { readonly ok: true; readonly value: PolicyCase }
  | { readonly ok: false; readonly issues: readonly PolicyCaseIssue[] };

type Path = readonly (string | number)[];

/**
 * Reads a case of a policy: YAML as data only, closed keys. Every problem is reported at once, with its line and column.
 * Never throws.
 * @param predicateBase what short names of our predicate types stand under
 */
export function parsePolicyCase(
  text: string,
  { predicateBase = DEFAULT_PREDICATE_BASE }: { readonly predicateBase?: string } = {},
): ParsedPolicyCase {
  const document = readPolicyFile(text, POLICY_CASE_SCHEMA, { mostCharacters: MAX_CASE_LENGTH });
  if ('issues' in document) return { ok: false, issues: document.issues };
  return new CaseReader(document, predicateBase).read(document.data as PolicyCaseFile);
}

class CaseReader {
  readonly #document: PolicyDocument;
  readonly #predicateBase: string;
  readonly #issues: PolicyCaseIssue[] = [];

  constructor(document: PolicyDocument, predicateBase: string) {
    this.#document = document;
    this.#predicateBase = predicateBase;
  }

  read(file: PolicyCaseFile): ParsedPolicyCase {
    this.#checkTimes(file, []);
    const expected = this.#expected(file);
    const { evidence } = file;
    const found = typeof evidence === 'string' ? this.#pack(evidence, file) : this.#written(evidence, file);
    if (this.#issues.length > 0 || found === undefined) return { ok: false, issues: this.#issues };
    return { ok: true, value: { policies: [file.policy].flat(), evidence: found, expected } };
  }

  #note(path: Path, code: PolicyCaseIssueCode, message: string, expected?: string): undefined {
    this.#issues.push(this.#document.issueAt(path, code, message, expected));
  }

  /** Times are checked by their form already; the calendar has not all of them. */
  #checkTimes(value: unknown, path: Path): void {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, member] of Object.entries(value as Readonly<Record<string, unknown>>)) {
      // What somebody signed may hold any time.
      if (key === 'predicate') continue;
      const at = [...path, Array.isArray(value) ? Number(key) : key];
      if (TIMES.has(key) && typeof member === 'string' && !isTimestamp(member)) {
        this.#note(at, 'policy_case.time_invalid', 'not a time that the calendar has', 'RFC 3339 in UTC');
      }
      this.#checkTimes(member, at);
    }
  }

  #expected({ expect, reasons, warnings, valid_until }: PolicyCaseFile): ExpectedDecision {
    if (expect === 'refused' && (reasons === undefined || reasons.length === 0)) {
      this.#note(['reasons'], 'policy.field_missing', 'a refusal has reasons', 'the whole set of codes');
    }
    if (expect === 'admitted' && reasons !== undefined && reasons.length > 0) {
      this.#note(['reasons'], 'policy_case.reasons_unused', 'an admitted image has no reasons');
    }
    if (expect === 'refused' && valid_until !== undefined) {
      this.#note(['valid_until'], 'policy_case.reasons_unused', 'a refusal has no end');
    }
    return {
      decision: expect,
      reasons: reasons ?? [],
      ...(warnings === undefined ? {} : { warnings }),
      ...(valid_until === undefined ? {} : { valid_until }),
    };
  }

  #pack(pack: string, { now, ...file }: PolicyCaseFile): PolicyCase['evidence'] {
    for (const key of ['image', 'negatives'] as const) {
      if (file[key] !== undefined) this.#note([key], 'policy_case.not_for_pack', 'the pack says it');
    }
    return { kind: 'pack', file: pack, ...(now === undefined ? {} : { now: new Date(now) }) };
  }

  #written(evidence: WrittenEvidence, { image, now, negatives }: PolicyCaseFile): PolicyCase['evidence'] | undefined {
    for (const [index, signature] of (evidence.signatures ?? []).entries()) {
      this.#checkSignature(signature, ['evidence', 'signatures', index]);
    }
    const digest = image === undefined ? undefined : parseImageReference(image)?.digest;
    const form = 'registry/repository[:tag]@sha256:…';
    if (image === undefined) this.#note(['image'], 'policy.field_missing', 'is missing', form);
    else if (digest === undefined) {
      this.#note(['image'], 'policy_case.image_invalid', 'not an image reference with a digest', form);
    }
    if (now === undefined) this.#note(['now'], 'policy.field_missing', 'is missing', 'RFC 3339 in UTC');
    if (this.#issues.length > 0 || image === undefined || digest === undefined || now === undefined) return undefined;
    const facts = {
      evidence,
      reference: image,
      digest,
      now: new Date(now),
      negatives,
      predicateBase: this.#predicateBase,
    };
    return { kind: 'written', ...evidenceFacts(facts) };
  }

  #checkSignature({ issuer, subject, key, ...signature }: WrittenSignature, path: Path): void {
    if (key === undefined) {
      if (issuer === undefined) this.#note([...path, 'issuer'], 'policy.field_missing', 'is missing', 'or key');
      if (subject === undefined) this.#note([...path, 'subject'], 'policy.field_missing', 'is missing', 'or key');
    } else {
      const { claims, sources, purpose, subject_type } = signature;
      if ([issuer, subject, claims, sources, purpose, subject_type].some((one) => one !== undefined)) {
        this.#note([...path, 'key'], 'policy_case.signer_choice', 'a bare key has no certificate that says more');
      }
      if (publicKeyName(key) === undefined) {
        this.#note([...path, 'key'], 'policy_case.key_invalid', 'no public key', 'PUBLIC KEY in PEM');
      }
    }
    if (signature.predicateType !== undefined) {
      if (!isPredicateType(signature.predicateType)) {
        const message = 'is neither whole nor the short name of one of ours';
        const expected = `an address such as https://acme.example/review/v1, or ${Object.keys(OWN_PREDICATES).join(', ')}`;
        this.#note([...path, 'predicateType'], 'policy_case.predicate_type_unknown', message, expected);
      }
      return;
    }
    if (signature.predicate !== undefined) {
      this.#note([...path, 'predicate'], 'policy_case.predicate_unused', 'there is no predicateType to it');
    }
    if (
      signature.subjects?.some(({ digest }) => digest['sha256'] === undefined) ||
      (signature.subjects?.length ?? 0) > 1
    ) {
      const message = 'a plain signature is about one image';
      this.#note([...path, 'subjects'], 'policy_case.predicate_unused', message, 'one subject with its sha256');
    }
  }
}

/** A statement of a type that nobody has is no evidence: a refusal that was expected would come for the wrong reason. */
function isPredicateType(type: string): boolean {
  return Object.hasOwn(OWN_PREDICATES, type) || /^[a-z][a-z0-9+.-]*:\S+$/i.test(type);
}

const TIMES: ReadonlySet<string> = new Set(['now', 'time', 'certified_at', 'valid_until']);
