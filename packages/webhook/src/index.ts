export { PullSecrets } from './pull-secrets/pull-secrets.ts';
export { type DecisionReason, WEBHOOK_REASON_CODES } from './reason/webhook-reason.ts';
export {
  type HandledReview,
  ReviewHandler,
  type ReviewHandlerOptions,
  type Webhook,
  type WebhookRules,
} from './review-handler/review-handler.ts';
