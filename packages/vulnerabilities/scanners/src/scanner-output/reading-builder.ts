import type { ExploitationClaim, ReportedVulnerability, ScannerReading, StatedScore } from '@colophon/findings';
import { jsonPointer } from '@colophon/json';
import type { FindingComponent, NamedBom, Scanner, UnreadEntry } from '@colophon/records';
import { isObject, type Members, textOf } from './members.ts';
import type { ScanEntryCode } from './scan-issue.ts';
import { utcTime } from './utc-time.ts';
import { aliasesOf } from './vulnerability-alias.ts';

/** A place in the document; each segment a member's name or an index. */
export type Path = readonly (string | number)[];

/** One vulnerability as it stands there: of members that come from outside nothing is certain. */
export type Entry = {
  readonly id: unknown;
  readonly name: unknown;
  readonly version?: unknown;
  /** As the scanner has it, or made of what it says. */
  readonly purl?: unknown;
  /** Names of the same vulnerability, among others; see `aliasesOf`. */
  readonly aliases?: readonly unknown[];
  readonly severity?: unknown;
  readonly scores?: readonly StatedScore[];
  readonly fixedInVersions?: readonly string[];
  readonly description?: unknown;
  readonly published?: unknown;
  readonly suppressed?: string | undefined;
  readonly exploited?: readonly ExploitationClaim[];
};

/** What an output says of its scan, as it stands there. */
export type ScanFacts = {
  readonly version?: unknown;
  readonly databaseBuiltAt?: unknown;
  readonly scannedAt?: unknown;
  readonly target?: unknown;
  readonly namedBoms?: readonly NamedBom[];
};

/** Entries of one code that are listed one by one; the rest is counted. */
const LISTED_ENTRIES = 100;
/** Of other names, of scores and of fixed versions of one entry: a document may say thousands for thousands of components. */
const MOST_OF_ONE_KIND = 100;
/** Characters of what something is called, of a version, a package URL, a vector: longer ones were made to be. */
const LONGEST_NAME = 8_192;
/** Characters of a description, which an output may have once and for thousands of components. */
const LONGEST_DESCRIPTION = 65_536;
/** Of a name in a message. */
const SHOWN_LENGTH = 80;

/** Gathers what a reader finds in one output: every entry ends as a finding or in `unread`, none is dropped. */
export class ReadingBuilder {
  readonly #scanner: string;
  readonly #reported: ReportedVulnerability[] = [];
  readonly #unread: UnreadEntry[] = [];
  readonly #listed = new Map<ScanEntryCode, number>();
  readonly #rest = new Map<ScanEntryCode, number>();

  /** @param scanner in lower case, e.g. `grype` */
  constructor(scanner: string) {
    this.#scanner = scanner;
  }

  get reportedCount(): number {
    return this.#reported.length;
  }

  /** Keeps a vulnerability; without an id or a component it is listed as unread. */
  add(path: Path, entry: Entry): void {
    const id = textOf(entry.id);
    if (id === undefined) {
      const component = textOf(entry.name)?.slice(0, SHOWN_LENGTH);
      const where = component === undefined ? '' : ` in ${component}`;
      this.skip(path, 'scan.id_missing', `The entry does not say which vulnerability${where} it is.`);
      return;
    }
    const name = textOf(entry.name);
    if (name === undefined) {
      const message = `The entry does not name the component that has ${id.slice(0, SHOWN_LENGTH)}.`;
      this.skip(path, 'scan.component_missing', message);
      return;
    }
    if (Math.max(id.length, name.length) > LONGEST_NAME) {
      const message = `The name of the component or vulnerability has more than ${LONGEST_NAME} characters.`;
      this.skip(path, 'scan.entry_invalid', message);
      return;
    }
    const version = this.#text(path, 'version', entry.version);
    const purl = this.#text(path, 'purl', entry.purl);
    const severity = this.#text(path, 'severity', entry.severity);
    const description = this.#description(path, entry.description);
    // Dependency-Track's API writes milliseconds since 1970.
    const date = typeof entry.published === 'number' ? String(entry.published) : entry.published;
    const published = this.#text(path, 'date of publication', date);
    this.#reported.push({
      scanner: this.#scanner,
      id,
      aliases: aliasesOf(id, this.#bounded(path, 'other names', entry.aliases)),
      ...(severity !== undefined && { severity }),
      scores: this.#bounded(path, 'scores', entry.scores),
      component: { name, ...(version !== undefined && { version }), ...(purl !== undefined && { purl }) },
      fixedInVersions: [...new Set(this.#bounded(path, 'fixed versions', entry.fixedInVersions))],
      ...(description !== undefined && { description }),
      ...(published !== undefined && { published }),
      ...(entry.suppressed !== undefined && { suppressed: entry.suppressed }),
      ...this.#exploited(path, entry.exploited),
    });
  }

  /** The members of an entry; what is no object is listed as unread. */
  object(value: unknown, path: Path): Members | undefined {
    if (isObject(value)) return value;
    this.skip(path, 'scan.entry_invalid', `This is ${kindOf(value)}, not an object.`);
    return undefined;
  }

  /** The entries of a list inside the output; missing or `null` is an empty one, anything else is listed as unread. */
  list(value: unknown, path: Path): readonly unknown[] {
    if (Array.isArray(value)) return value;
    if (value !== undefined && value !== null) {
      this.skip(path, 'scan.entry_invalid', `This is ${kindOf(value)}, not a list.`);
    }
    return [];
  }

  /** Lists what is no finding; `about` says of how many entries it speaks, or of which component. */
  skip(path: Path, code: ScanEntryCode, message: string, about: number | FindingComponent = 1): void {
    const [count, component] = typeof about === 'number' ? [about, undefined] : [1, about];
    if (count < 1) return;
    const listed = this.#listed.get(code) ?? 0;
    // By a component it is told whether the silence is about it.
    if (listed >= LISTED_ENTRIES && component === undefined) {
      this.#rest.set(code, (this.#rest.get(code) ?? 0) + count);
      return;
    }
    this.#listed.set(code, listed + 1);
    this.#unread.push({
      path: jsonPointer(path),
      code,
      message,
      ...(component && { component }),
      ...(count > 1 && { count }),
    });
  }

  /** The reading; times are normalised to UTC. */
  done({ version, databaseBuiltAt, scannedAt, target, namedBoms = [] }: ScanFacts): ScannerReading {
    const versionText = textOf(version);
    const builtAt = utcTime(databaseBuiltAt);
    const at = utcTime(scannedAt);
    const what = textOf(target);
    const scanner: Scanner = {
      name: this.#scanner,
      ...(versionText !== undefined && { version: versionText }),
      ...(builtAt !== undefined && { databaseBuiltAt: builtAt }),
    };
    return {
      scanner,
      ...(at !== undefined && { scannedAt: at }),
      ...(what !== undefined && { target: what }),
      ...(namedBoms.length > 0 && { namedBoms }),
      reported: this.#reported,
      unread: [...this.#unread, ...this.#notListed()],
    };
  }

  #notListed(): UnreadEntry[] {
    const message = `Further entries like the first ${LISTED_ENTRIES} of this code.`;
    return [...this.#rest].map(([code, count]) => ({ path: '', code, message, ...(count > 1 && { count }) }));
  }

  #bounded<T>(path: Path, what: string, list: readonly T[] = []): readonly T[] {
    const short = list.every((one) => lengthOf(one) <= LONGEST_NAME)
      ? list
      : list.filter((one) => lengthOf(one) <= LONGEST_NAME);
    if (short.length < list.length) this.#leaveOut(path, `Some of its ${what} have`);
    if (short.length <= MOST_OF_ONE_KIND) return short;
    const message = `It has ${short.length} ${what}; the first ${MOST_OF_ONE_KIND} are read.`;
    this.skip(path, 'scan.member_invalid', message);
    return short.slice(0, MOST_OF_ONE_KIND);
  }

  #exploited(path: Path, claims: readonly ExploitationClaim[] = []): { exploited?: readonly ExploitationClaim[] } {
    return claims.length === 0 ? {} : { exploited: this.#bounded(path, 'claims of exploitation', claims) };
  }

  #text(path: Path, what: string, value: unknown, longest = LONGEST_NAME): string | undefined {
    if (value !== undefined && value !== null && typeof value !== 'string') {
      this.skip(path, 'scan.member_invalid', `The ${what} is ${kindOf(value)}, not text; it is left out.`);
    }
    const text = textOf(value);
    if (text === undefined || text.length <= longest) return text;
    this.#leaveOut(path, `The ${what} has`);
    return undefined;
  }

  #leaveOut(path: Path, what: string): void {
    this.skip(path, 'scan.member_invalid', `${what} more than ${LONGEST_NAME} characters: left out.`);
  }

  #description(path: Path, value: unknown): string | undefined {
    const text = this.#text(path, 'description', value, Number.POSITIVE_INFINITY);
    if (text === undefined || text.length <= LONGEST_DESCRIPTION) return text;
    const message = `The description has ${text.length} characters; the first ${LONGEST_DESCRIPTION} are read.`;
    this.skip(path, 'scan.member_invalid', message);
    return text.slice(0, LONGEST_DESCRIPTION);
  }
}

/** Of a text, or of the texts in a score or a claim. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (!isObject(value)) return 0;
  const texts = Object.values(value).filter((text) => typeof text === 'string');
  return Math.max(0, ...texts.map((text) => text.length));
}

/** What a value is, for a message: never the value itself. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  const kind = typeof value;
  return kind === 'object' ? 'an object' : kind === 'string' ? 'text' : `a ${kind}`;
}
