import { CREDENTIAL_KINDS, type CredentialKind, TOKEN_REFUSAL_STATUS } from '@colophon/issuer';
import { Counter, Histogram, Registry } from 'prom-client';
import { GAUGES, type GaugeName, type Meter, type Reloaded } from './meter.ts';
import type { Readiness } from './readiness.ts';
import { addReadNumber, addServerNumbers, SECONDS_BUCKETS } from './server-numbers.ts';

/** Prometheus' text format. */
export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** What stands for a text that is in no list: nothing from outside becomes a series of its own. */
const OTHER = 'other';

/** Counts by texts of closed lists, as plain numbers: the library sees them when somebody asks. */
class Counts {
  readonly #allowed: ReadonlySet<string>;
  readonly #counts = new Map<string, number>();

  constructor(allowed: Iterable<string>) {
    this.#allowed = new Set(allowed);
  }

  add(text: string): void {
    const label = this.#allowed.has(text) ? text : OTHER;
    this.#counts.set(label, (this.#counts.get(label) ?? 0) + 1);
  }

  entries(): Iterable<[string, number]> {
    return this.#counts;
  }
}

const ISSUED = 'issued';
const ACCEPTED = 'accepted';
const CALLER_CODES = [...TOKEN_REFUSAL_STATUS.keys()].filter((code) => code.startsWith('caller.'));
/** Of `caller.<fault>`: every fault of a question for keys is a code of the caller's too. */
const KEY_FAULTS = CALLER_CODES.map((code) => code.slice('caller.'.length));

/** The numbers of one server, read over HTTP. Their labels are codes and kinds of closed lists. */
export class PrometheusMeter implements Meter {
  readonly #registry = new Registry();
  readonly #answers = new Counts([ISSUED, ...TOKEN_REFUSAL_STATUS.keys()]);
  readonly #rateLimited = new Counts(['caller', 'address']);
  readonly #credentials = new Map<CredentialKind, Counts>(
    CREDENTIAL_KINDS.map((kind) => [kind, new Counts([ACCEPTED, ...CALLER_CODES])]),
  );
  readonly #keyQuestions = new Counts(['fetched', ...KEY_FAULTS]);
  readonly #ledgerFailures = new Counts(['read', 'write']);
  readonly #reloads = {
    configuration: new Counts(['taken', 'refused']),
    certificate: new Counts(['taken', 'refused']),
  };
  readonly #issuance: Histogram;
  readonly #append: Histogram;

  /** @param version of the program */
  constructor(readiness: Readiness, version: string) {
    const registers = [this.#registry];
    this.#counter('token_requests_total', 'Answers of the token endpoint, by issued or the code of the refusal.', {
      result: this.#answers,
    });
    this.#counter('rate_limited_total', 'Token requests that were refused with issuer.rate_limited.', {
      of: this.#rateLimited,
    });
    this.#counter('key_set_fetches_total', 'Questions to callers’ issuers for their keys, by result.', {
      result: this.#keyQuestions,
    });
    this.#counter('ledger_failures_total', 'Reads and writes of the ledger that failed.', {
      operation: this.#ledgerFailures,
    });
    for (const file of ['configuration', 'certificate'] as const) {
      const help = `Changes of the ${file} file, by whether they took effect.`;
      this.#counter(`${file}_reloads_total`, help, { result: this.#reloads[file] });
    }
    const credentials = this.#credentials;
    new Counter({
      name: 'colophon_caller_credentials_total',
      help: 'Credentials of callers, by kind, and by accepted or the code of the refusal.',
      labelNames: ['kind', 'result'],
      registers,
      collect() {
        this.reset();
        for (const [kind, counts] of credentials)
          for (const [result, count] of counts.entries()) this.inc({ kind, result }, count);
      },
    });
    this.#issuance = new Histogram({
      name: 'colophon_token_issuance_seconds',
      help: 'From the header of a request to its token.',
      buckets: SECONDS_BUCKETS,
      registers,
    });
    this.#append = new Histogram({
      name: 'colophon_ledger_append_seconds',
      help: 'Until a row of the ledger was on the disk.',
      buckets: SECONDS_BUCKETS,
      registers,
    });
    addServerNumbers(this.#registry, readiness, version);
  }

  answered(refusal: Parameters<Meter['answered']>[0], elapsedMs: number): void {
    if (refusal === undefined) {
      this.#answers.add(ISSUED);
      this.#issuance.observe(elapsedMs / 1000);
      return;
    }
    const { code, caller } = refusal;
    this.#answers.add(code);
    if (code === 'issuer.rate_limited') this.#rateLimited.add(caller === undefined ? 'address' : 'caller');
  }

  credential(kind: CredentialKind, code: string | undefined): void {
    this.#credentials.get(kind)?.add(code ?? ACCEPTED);
  }

  appended(elapsedMs: number): void {
    this.#append.observe(elapsedMs / 1000);
  }

  ledgerFailed(operation: 'read' | 'write'): void {
    this.#ledgerFailures.add(operation);
  }

  keysAsked(fault: string | undefined): void {
    this.#keyQuestions.add(fault ?? 'fetched');
  }

  reloaded(file: 'configuration' | 'certificate', result: Reloaded): void {
    this.#reloads[file].add(result);
  }

  gauge(name: GaugeName, value: () => number | undefined | Promise<number | undefined>): void {
    addReadNumber(this.#registry, { name, help: GAUGES[name] }, value);
  }

  /** All numbers of this moment. */
  page(): Promise<string> {
    return this.#registry.metrics();
  }

  #counter(name: string, help: string, labelled: Readonly<Record<string, Counts>>): void {
    const [[label, counts]] = Object.entries(labelled) as [[string, Counts]];
    new Counter({
      name: `colophon_${name}`,
      help,
      labelNames: [label],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const [text, count] of counts.entries()) this.inc({ [label]: text }, count);
      },
    });
  }
}
