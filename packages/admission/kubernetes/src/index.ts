export {
  type AdmissionAnswer,
  allowedAnswer,
  refusedAnswer,
  unreadableAnswer,
} from './admission-review/admission-answer.ts';
export {
  type AdmissionRequest,
  MAX_REVIEW_BYTES,
  MAX_REVIEW_VALUES,
  parseAdmissionReview,
  readAdmissionReview,
} from './admission-review/admission-request.ts';
export { beginningUid, REVIEW_BEGINNING_BYTES } from './admission-review/beginning-uid.ts';
export { mostJsonValues } from './api-json/json-values.ts';
export { COVERED_KINDS, type CoveredKind } from './covered-kind/covered-kind.ts';
export { UNCOVERED_IMAGE_FIELDS } from './covered-kind/uncovered-fields.ts';
export { type ImagePlace, imagePlaces, MOST_IMAGES } from './image-places/image-places.ts';
export { type ManifestObject, manifestImages } from './manifest/manifest-images.ts';
export { MAX_MANIFEST_BYTES, readManifest } from './manifest-file/manifest-file.ts';
export { controllerOf, metadataOf, nameOf, ownerOf } from './object/object-name.ts';
export { accountSecretsOf, podSecretsOf, templateAccountOf } from './object/pod-secrets.ts';
export { type ImagePin, imagePatch, type PatchOperation } from './pin/image-patch.ts';
export { imageOfDigest, isPinned, pinnedImage } from './pin/pinned-image.ts';
export {
  type KubernetesReason,
  malformedReason,
  tooManyImagesReason,
  uncoveredKindReason,
  uncoveredReason,
} from './reason/kubernetes-reason.ts';
export { type JudgedPart, judgedPart } from './scope/judged-part.ts';
