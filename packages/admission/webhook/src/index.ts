export { decisionOccurrences } from './events/decision-occurrences.ts';
export { EventPoster } from './events/event-poster.ts';
export { PullSecrets } from './pull-secrets/pull-secrets.ts';
export {
  ReviewHandler,
  type Unread,
  type Webhook,
  type WebhookRules,
} from './review-handler/review-handler.ts';
export {
  findRejectedPods,
  type LookedAtPods,
  type RejectedRun,
  type RejectionAnswer,
  rejectedRunOccurrence,
} from './running-pods/find-rejected-pods.ts';
