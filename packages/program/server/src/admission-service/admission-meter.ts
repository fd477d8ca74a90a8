import type { AdmissionDecisionRecord } from '@colophon/records';
import type { Webhook } from '@colophon/webhook';
import { Counter, Histogram, Registry } from 'prom-client';
import type { Meter, Reloaded } from '../operations/meter.ts';
import type { Readiness } from '../operations/readiness.ts';
import { addReadNumber, addServerNumbers, SECONDS_BUCKETS } from '../operations/server-numbers.ts';

/** The numbers of an admission webhook. Labels are of closed lists: nothing of a request becomes a series. */
export class AdmissionMeter implements Pick<Meter, 'gauge' | 'reloaded'> {
  readonly #registry = new Registry();
  readonly #reviews: Counter<'webhook' | 'answer'>;
  readonly #seconds: Histogram<'webhook'>;
  readonly #images: Counter<'result' | 'cached'>;
  readonly #reasons: Counter<'code'>;
  readonly #exceptions: Counter;
  readonly #reloads: Counter<'file' | 'result'>;
  readonly #failures: Counter<'of'>;

  constructor(readiness: Readiness, version: string) {
    const registers = [this.#registry];
    this.#reviews = new Counter({
      name: 'colophon_admission_reviews_total',
      help: 'Reviews of the API server, by their answer.',
      labelNames: ['webhook', 'answer'],
      registers,
    });
    this.#seconds = new Histogram({
      name: 'colophon_admission_review_seconds',
      help: 'From the body of a review to its answer.',
      labelNames: ['webhook'],
      buckets: SECONDS_BUCKETS,
      registers,
    });
    this.#images = new Counter({
      name: 'colophon_admission_images_total',
      help: 'Decisions about images, and whether they were remembered.',
      labelNames: ['result', 'cached'],
      registers,
    });
    this.#reasons = new Counter({
      name: 'colophon_admission_reasons_total',
      help: 'Reasons of refusals, also of those that an audit would have made.',
      labelNames: ['code'],
      registers,
    });
    this.#exceptions = new Counter({
      name: 'colophon_admission_exceptions_total',
      help: 'Decisions by which an image came in by an exception.',
      registers,
    });
    this.#reloads = new Counter({
      name: 'colophon_reloads_total',
      help: 'Changes of files, by whether they took effect.',
      labelNames: ['file', 'result'],
      registers,
    });
    this.#failures = new Counter({
      name: 'colophon_admission_failures_total',
      help: 'What failed beside a decision, by what it was.',
      labelNames: ['of'],
      registers,
    });
    addServerNumbers(this.#registry, readiness, version);
  }

  answered(webhook: Webhook, answer: 'allowed' | 'refused' | 'malformed', elapsedMs: number): void {
    this.#reviews.inc({ webhook, answer });
    this.#seconds.observe({ webhook }, elapsedMs / 1000);
  }

  decided({ images }: AdmissionDecisionRecord): void {
    for (const image of images) {
      this.#images.inc({ result: image.admitted ? 'admitted' : 'refused', cached: String(image.cached) });
      // Another policy may refuse what one excepts.
      if (image.admitted && image.exception !== undefined) this.#exceptions.inc();
      for (const { code } of [...image.reasons, ...image.warnings]) {
        // That is no reason of a refusal.
        if (code !== 'admission.exception') this.#reasons.inc({ code });
      }
    }
  }

  /** A review was refused that nobody could read. */
  refusedUnread(code: string): void {
    this.#reasons.inc({ code });
  }

  /** Something beside a decision failed, e.g. `decision-log`, `pull-secret`. */
  failed(
    of: 'decision-log' | 'decision' | 'list' | 'pull-secret' | 'event' | 'running-pods' | 'client-certificate',
  ): void {
    this.#failures.inc({ of });
  }

  reloaded(file: 'configuration' | 'certificate' | 'credentials', result: Reloaded): void {
    this.#reloads.inc({ file, result });
  }

  gauge(name: string, value: () => number | undefined | Promise<number | undefined>): void {
    addReadNumber(this.#registry, { name, help: HELP[name] ?? name }, value);
  }

  /** All numbers of this moment. */
  page(): Promise<string> {
    return this.#registry.metrics();
  }
}

const HELP: Readonly<Record<string, string>> = {
  configuration_in_force: '1 while configuration, policies and roots as they are now are in force, else 0.',
  tls_certificate_expires_seconds: 'Seconds until the TLS certificate expires.',
  admission_remembered_decisions: 'Decisions that are remembered.',
  admission_rejected_images_running: 'Rejected images that ran at the last look at all Pods.',
  admission_undecided_images_running:
    'Images that ran at the last look at all Pods, and of which not everything could be read that may reject them.',
  admission_unknown_images_running: 'Images that ran at the last look at all Pods, and whose digest nobody said.',
};
