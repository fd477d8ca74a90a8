export {
  type AdmissionRequest,
  MOST_REVIEW_BYTES,
  type ParsedReview,
  parseAdmissionReview,
} from './admission-review/admission-review.ts';
export { formatReviewAnswer, type PatchStep, type ReviewAnswer } from './admission-review/review-answer.ts';
export { type FoundImages, type ImagePlace, imagesOf } from './image-places/image-places.ts';
export { apiVersionOf, POD_KINDS, type PodKind, podKindOf } from './image-places/pod-kind.ts';
export { type JudgedPart, judgedPart, nameOf, ownerOf, pullSecretsOf } from './judged-part/judged-part.ts';
export { type ManifestObject, manifestObjects } from './manifest/manifest.ts';
export { isPinned, pinnedImage, pinPatch } from './pinned-pod/pinned-pod.ts';
export {
  KUBERNETES_REASON_CODES,
  type KubernetesReason,
  type KubernetesReasonCode,
} from './reason/kubernetes-reason.ts';
