export { sortedAttachments } from './image-signature/attachments-result.ts';
export { rejectedSignature } from './image-signature/rejected-result.ts';
export { loggedEntry } from './rekor/log-result.ts';
export { madeSignature } from './sign/signature-result.ts';
export { verifiedSignature } from './verify/verified-result.ts';
