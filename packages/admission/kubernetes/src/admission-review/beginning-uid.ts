/** Bytes of a review's beginning in which the API server has written its uid. */
export const REVIEW_BEGINNING_BYTES = 1024;

/**
 * Its two first members in any order, and then the request, whose first member is the uid: the API server's encoder keeps
 * to the order of the type's fields. No text from outside stands before it.
 * @see AdmissionReview, AdmissionRequest of k8s.io/api/admission/v1
 */
const BEGINNING =
  /^\{(?:"kind":"AdmissionReview",|"apiVersion":"admission\.k8s\.io\/v1",){2}"request":\{"uid":"([-0-9A-Za-z]{1,128})"/;

/**
 * The uid of a review of which no more is read than its beginning, e.g. because it is too large: by it the review can be
 * refused. Without an answer the API server lets the object in where its failure policy is `Ignore`.
 * @returns undefined where the bytes do not begin as an API server writes a review
 */
export function beginningUid(bytes: Uint8Array): string | undefined {
  return BEGINNING.exec(new TextDecoder().decode(bytes.subarray(0, REVIEW_BEGINNING_BYTES)))?.[1];
}
