export { PullSecrets } from './pull-secrets/pull-secrets.ts';
export {
  ReviewHandler,
  type Webhook,
  type WebhookRules,
} from './review-handler/review-handler.ts';
