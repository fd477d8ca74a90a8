import type { Issue, ParseResult } from '@colophon/json';
import type { CvssIssueCode } from './cvss-issue.ts';
import { CVSS_METRICS, CVSS_VERSIONS, type CvssMetrics, type CvssVersion } from './cvss-metrics.ts';

/** A vector with every metric that its version asks for. */
export type CvssVector = {
  readonly version: CvssVersion;
  /** In the standard's own case, without parentheses; v2 without prefix. */
  readonly text: string;
  /** The base metrics alone, in the standard's order: one text for all vectors with the same base score. */
  readonly base: string;
  /** It says more than the base: threat, environment. */
  readonly hasMore: boolean;
};

/** Characters; the longest vector of v4.0 has 250. */
const LONGEST_VECTOR = 400;

/**
 * Reads a vector of CVSS v2.0, v3.0, v3.1 or v4.0. Each metric of the base must be there, none twice, and nothing that the
 * version does not have. Case and order say nothing in any version, so both may be another; v2 may stand in parentheses
 * and have the prefix `CVSS:2.0/`, and the others may be without theirs.
 *
 * A score is never made of a vector that is refused here: what a calculator makes of one is 0.
 *
 * @returns the vector, or every issue with codes `cvss.*`.
 */
export function parseCvssVector(text: string): ParseResult<CvssVector> {
  const trimmed = text.trim();
  if (trimmed.length > LONGEST_VECTOR) return refused('cvss.malformed', 'The vector is too long to be one.');
  const unwrapped = /^\((.*)\)$/.exec(trimmed)?.[1] ?? trimmed;
  const [, stated, rest = unwrapped] = /^CVSS:([^/]*)\/(.*)$/i.exec(unwrapped) ?? [];
  const version = stated === undefined ? versionOf(rest) : CVSS_VERSIONS.find((known) => known === stated);
  if (version === undefined) {
    return refused('cvss.version_unknown', 'The vector is of no known version of CVSS.', CVSS_VERSIONS.join(', '));
  }
  return new VectorReader(version).read(rest);
}

/**
 * The version of a vector without a prefix, by metrics that it alone has; without any, v2, which has no prefix. Of v3 it
 * is 3.1: the base metrics of 3.0 are the same.
 */
function versionOf(metrics: string): CvssVersion {
  if (/(?:^|\/)Au:/i.test(metrics)) return '2.0';
  if (/(?:^|\/)(?:AT|VC|VI|VA):/i.test(metrics)) return '4.0';
  return /(?:^|\/)(?:PR|UI|S):/i.test(metrics) ? '3.1' : '2.0';
}

class VectorReader {
  readonly #version: CvssVersion;
  readonly #metrics: CvssMetrics;
  readonly #values = new Map<string, string>();
  readonly #issues: Issue[] = [];

  constructor(version: CvssVersion) {
    this.#version = version;
    this.#metrics = CVSS_METRICS[version];
  }

  read(rest: string): ParseResult<CvssVector> {
    for (const part of rest.split('/')) this.#readPart(part);
    const base = Object.keys(this.#metrics.base);
    // What is broken otherwise is told by that alone: everything would be missing from what is no vector at all.
    if (this.#issues.length === 0) {
      const missing = base.filter((metric) => !this.#values.has(metric));
      for (const metric of missing) this.#note('cvss.metric_missing', `The metric ${metric} is missing.`);
    }
    if (this.#issues.length > 0) return { ok: false, issues: this.#issues };
    const prefix = this.#version === '2.0' ? '' : `CVSS:${this.#version}/`;
    const write = (metrics: Iterable<string>) =>
      `${prefix}${Array.from(metrics, (metric) => `${metric}:${this.#values.get(metric)}`).join('/')}`;
    const vector = {
      version: this.#version,
      text: write(this.#values.keys()),
      base: write(base),
      hasMore: this.#values.size > base.length,
    };
    return { ok: true, value: vector };
  }

  #readPart(part: string): void {
    const [, name, value] = /^([A-Za-z]{1,4}):([A-Za-z]{1,5})$/.exec(part) ?? [];
    const { base, others } = this.#metrics;
    const metric = name && spelled([...Object.keys(base), ...Object.keys(others)], name);
    const values = metric === undefined ? [] : (base[metric] ?? others[metric] ?? []);
    const known = value && spelled(values, value);
    if (name === undefined) this.#note('cvss.malformed', 'A part of the vector is not METRIC:VALUE.');
    else if (metric === undefined) this.#note('cvss.metric_unknown', `CVSS v${this.#version} has no metric ${name}.`);
    else if (this.#values.has(metric)) this.#note('cvss.metric_repeated', `The metric ${metric} stands twice.`);
    else if (known !== undefined) this.#values.set(metric, known);
    else this.#note('cvss.value_unknown', `The metric ${metric} has no value ${value}.`, values.join(', '));
  }

  #note(code: CvssIssueCode, message: string, expected?: string): void {
    this.#issues.push({ path: '', code, message, ...(expected === undefined ? {} : { expected }) });
  }
}

/** The standard's own spelling of a word in any case. */
function spelled(words: readonly string[], word: string): string | undefined {
  if (words.includes(word)) return word;
  const lower = word.toLowerCase();
  return words.find((known) => known.toLowerCase() === lower);
}

function refused(code: CvssIssueCode, message: string, expected?: string): ParseResult<never> {
  return { ok: false, issues: [{ path: '', code, message, ...(expected === undefined ? {} : { expected }) }] };
}
