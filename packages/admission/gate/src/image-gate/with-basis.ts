import type { PolicyVerdict } from '@colophon/admission';
import { fieldBasis, type VerifiedSignature } from '@colophon/records';
import type { ImageAdmission } from './admission-result.ts';
import type { ImageVerdict } from './judge-image.ts';

/**
 * A decision as it is shown to others: beside each signature what every name and hash in it rests on, which is who
 * vouches for it, and who signed. It has the schema of `imageAdmission`.
 */
export function withBasis(verdict: ImageVerdict): ImageAdmission {
  return { ...verdict, verdicts: verdict.verdicts.map(verdictWithBasis) };
}

function verdictWithBasis({
  provenance,
  human_signatures: human,
  ...verdict
}: PolicyVerdict): ImageAdmission['verdicts'][number] {
  const shown = (signatures: readonly VerifiedSignature[]) =>
    signatures.map((one) => ({ ...one, basis: fieldBasis(one.certificate_identity, one.statement) }));
  return {
    ...verdict,
    agent_signatures: shown(verdict.agent_signatures),
    ...(human === undefined ? {} : { human_signatures: shown(human) }),
    reviews: shown(verdict.reviews),
    requirements: verdict.requirements.map(({ rule, signatures }) => ({ rule, signatures: shown(signatures) })),
    ...(provenance === undefined ? {} : { provenance: shown(provenance) }),
  };
}
