import type { NegativesView } from '@colophon/admission';
import { kindOf as kindOfError } from '@colophon/fault';
import type { RejectedSignature } from '@colophon/records';
import {
  digestOf,
  type HashedArtifact,
  type LoggedEntry,
  readBundleClaim,
  type TrustMaterial,
  verifyBundle,
} from '@colophon/sigstore';
import { explainEvidence } from './explain-evidence.ts';
import { serialOf } from './explain-image.ts';
import { commitsOf, type ExplainedSubject, type FoundSignature, namesSubject } from './explained-documents.ts';
import type { AskedPlace, EvidenceExplanation, EvidencePlace } from './explanation-result.ts';

/** A bundle as it was found; nothing of it is verified. */
export type FoundBundle = {
  readonly bytes: Uint8Array;
  readonly found_in: EvidencePlace;
  /** For people: its file or address. */
  readonly name: string;
};

export type ExplainArtifactOptions = {
  readonly kind: 'file' | 'digest';
  readonly name: string;
  readonly artifact: HashedArtifact;
  readonly trust: TrustMaterial;
  readonly bundles: readonly FoundBundle[];
  /** Where reviews of commits are, which name the artifact itself or nothing but its commit. */
  reviewsOf(commits: readonly string[]): Promise<readonly FoundBundle[]>;
  readonly lists: readonly NegativesView[];
  readonly logEntries: readonly LoggedEntry[];
  /** Asked last: what could not be reached is known then. */
  places(): readonly AskedPlace[];
};

/** Explains a file or a digest by the bundles that were found, each verified here; whose signature counts nobody asks. */
export async function explainArtifact(options: ExplainArtifactOptions): Promise<EvidenceExplanation> {
  const { kind, name, artifact, trust, lists, logEntries } = options;
  const digest = `sha256:${artifact.sha256}`;
  const subject: ExplainedSubject = { kind, name, digest, digests: new Set([digest]) };
  const verified = new VerifiedBundles(artifact, trust);
  for (const bundle of options.bundles) verified.add(bundle);
  const commits = verified.signatures.filter((one) => namesSubject(one, subject)).flatMap(commitsOf);
  for (const bundle of await options.reviewsOf([...new Set(commits)].sort())) verified.add(bundle);
  return explainEvidence({
    subject,
    signatures: verified.signatures,
    unverified: verified.refused,
    unread: [],
    lists,
    logEntries,
    places: options.places(),
  });
}

/** Bundles of one artifact, each verified once, wherever it was found. */
class VerifiedBundles {
  readonly #found = new Map<string, FoundSignature>();
  readonly #refused = new Map<string, RejectedSignature>();
  readonly #artifact: HashedArtifact;
  readonly #trust: TrustMaterial;

  constructor(artifact: HashedArtifact, trust: TrustMaterial) {
    this.#artifact = artifact;
    this.#trust = trust;
  }

  get signatures(): readonly FoundSignature[] {
    return [...this.#found.values()];
  }

  get refused(): readonly RejectedSignature[] {
    return [...this.#refused.values()];
  }

  add({ bytes, found_in, name }: FoundBundle): void {
    const digest = digestOf(bytes);
    const known = this.#found.get(digest);
    if (known !== undefined) {
      this.#found.set(digest, { ...known, found_in: [...new Set([...known.found_in, found_in])] });
      return;
    }
    try {
      this.#found.set(digest, { ...this.#verify(bytes), bundle_digest: digest, found_in: [found_in] });
    } catch (error) {
      if (kindOfError(error) === undefined) throw error;
      const { code, message } = error as { readonly code: string; readonly message: string };
      this.#refused.set(digest, { code, message: `${name}: ${message}` });
    }
  }

  #verify(bundle: Uint8Array) {
    // A statement may be about the commit alone: what it names is looked at later.
    const artifact = readBundleClaim(bundle).signs === 'statement' ? {} : { artifact: this.#artifact };
    const { signature } = verifyBundle({
      bundle,
      ...artifact,
      trust: this.#trust,
      policy: 'gated-elsewhere',
      purpose: 'document',
    });
    return { ...signature, certificate_serial: serialOf(bundle)[1] };
  }
}
