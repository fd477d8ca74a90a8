import type { AdmissionDecisionRecord } from '@colophon/records';
import type { Webhook } from '@colophon/webhook';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Meter, Reloaded } from '../operations/meter.ts';
import type { Readiness } from '../operations/readiness.ts';

/** Seconds: a remembered decision costs a fraction of a millisecond, a registry far away costs seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The numbers of an admission webhook. Labels are of closed lists: nothing of a request becomes a series. */
export class AdmissionMeter implements Pick<Meter, 'gauge' | 'reloaded'> {
  readonly #registry = new Registry();
  readonly #reviews: Counter<'webhook' | 'answer'>;
  readonly #seconds: Histogram<'webhook'>;
  readonly #images: Counter<'result' | 'cached'>;
  readonly #reasons: Counter<'code'>;
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
      buckets: BUCKETS,
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
    new Gauge({
      name: 'colophon_ready',
      help: '1 for each readiness check that is green, else 0.',
      labelNames: ['check'],
      registers,
      collect() {
        this.reset();
        for (const { name, ok } of readiness.report()) this.set({ check: name }, ok ? 1 : 0);
      },
    });
    new Gauge({
      name: 'colophon_build_info',
      help: 'The version of the program.',
      labelNames: ['version', 'node'],
      registers,
    }).set({ version, node: process.versions.node }, 1);
    new Gauge({
      name: 'process_resident_memory_bytes',
      help: 'Resident memory.',
      registers,
      collect() {
        this.set(process.memoryUsage.rss());
      },
    });
    new Counter({
      name: 'process_cpu_seconds_total',
      help: 'Processor time, user and system.',
      registers,
      collect() {
        const { user, system } = process.cpuUsage();
        this.reset();
        this.inc((user + system) / 1e6);
      },
    });
  }

  answered(webhook: Webhook, answer: 'allowed' | 'refused' | 'malformed', elapsedMs: number): void {
    this.#reviews.inc({ webhook, answer });
    this.#seconds.observe({ webhook }, elapsedMs / 1000);
  }

  decided({ images }: AdmissionDecisionRecord): void {
    for (const image of images) {
      this.#images.inc({ result: image.admitted ? 'admitted' : 'refused', cached: String(image.cached) });
      for (const { code } of [...image.reasons, ...image.warnings]) this.#reasons.inc({ code });
    }
  }

  /** Something beside a decision failed, e.g. `decision-log`, `pull-secret`. */
  failed(of: 'decision-log' | 'decision' | 'pull-secret' | 'event' | 'running-pods'): void {
    this.#failures.inc({ of });
  }

  reloaded(file: 'configuration' | 'certificate', result: Reloaded): void {
    this.#reloads.inc({ file, result });
  }

  gauge(name: string, value: () => number | undefined | Promise<number | undefined>): void {
    new Gauge({
      name: `colophon_${name}`,
      help: HELP[name] ?? name,
      registers: [this.#registry],
      async collect() {
        const read = await Promise.resolve()
          .then(value)
          .catch(() => undefined);
        if (read === undefined) this.remove();
        else this.set(read);
      },
    });
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
};
