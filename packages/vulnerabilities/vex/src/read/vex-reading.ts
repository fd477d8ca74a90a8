import { type Issue, isJsonObject, type JsonObject, type JsonValue } from '@colophon/json';
import { VEX_JUSTIFICATIONS, VEX_STATUSES, type VexJustification, type VexStatus } from '@colophon/records';
import { nearestOf } from '../validate/nearest-word.ts';
import type { VexNote, VexNoteCode } from '../vex-document/vex-document.ts';
import { normaliseTime } from '../vex-time/vex-time.ts';
import { below, type Place, pointerTo } from './place.ts';
import type { VexIssueCode } from './vex-issue.ts';

/** A document of 36,000 statements must not become a report of as many issues. */
const MOST_ISSUES = 100;
/** Different ones; a document with as many unknown members as it has bytes must not become as many notes. */
const MOST_NOTES = 100;
const LONGEST_QUOTE = 60;
/** What a document may say beyond what it writes out: by groups, and by products in products. No vendor's comes near. */
const MOST_EXPANDED = 1_000_000;
/** Names of one vulnerability; vendors give three. */
const MOST_NAMES = 256;

/**
 * What is found out while a document is read. Issues refuse it as a whole: a statement that was passed over could be
 * the latest one, and then an older one would count. The same note in many places is one note with a count.
 */
export class VexReading {
  private readonly found: Issue[] = [];
  private omitted = 0;
  /** Where each statement of the document stands, in their order. */
  readonly places: Place[] = [];
  private readonly noted = new Map<string, VexNote & { place_count: number }>();
  private room = MOST_EXPANDED;
  private more: (VexNote & { place_count: number }) | undefined;

  get issues(): readonly Issue[] {
    if (this.omitted === 0) return this.found;
    const message = `More issues were found than are listed: ${this.omitted}.`;
    return [...this.found, { path: '', code: 'vex.more_issues', message }];
  }

  get notes(): readonly VexNote[] {
    return [...this.noted.values(), ...(this.more === undefined ? [] : [this.more])];
  }

  refuse(place: Place | undefined, code: VexIssueCode, message: string, expected?: string): void {
    if (this.found.length >= MOST_ISSUES) this.omitted += 1;
    else this.found.push({ path: pointerTo(place), code, message, ...(expected !== undefined && { expected }) });
  }

  /**
   * Whether the document may say so many things more that it does not write out each by itself. Where it may not, it is
   * refused: a few megabytes of groups in groups would otherwise be more than any machine holds.
   */
  expand(count: number, place: Place | undefined): boolean {
    const isFirst = this.room >= 0;
    this.room -= count;
    if (this.room >= 0) return true;
    if (isFirst) {
      const message = 'The document says more by groups and relationships than is held.';
      this.refuse(place, 'vex.too_large', message, `at most ${MOST_EXPANDED} products beyond those that it writes out`);
    }
    return false;
  }

  /** The names of a vulnerability; one that goes by hundreds is none. */
  names(names: readonly string[], place: Place | undefined): readonly string[] {
    if (names.length <= MOST_NAMES) return names;
    this.refuse(place, 'vex.too_large', `A vulnerability has ${names.length} names.`, `at most ${MOST_NAMES}`);
    return names.slice(0, MOST_NAMES);
  }

  note(place: Place | undefined, code: VexNoteCode, message: string): void {
    const key = `${code} ${message}`;
    const before = this.noted.get(key);
    if (before !== undefined) before.place_count += 1;
    else if (this.noted.size < MOST_NOTES)
      this.noted.set(key, { path: pointerTo(place), code, message, place_count: 1 });
    else if (this.more === undefined)
      this.more = { path: pointerTo(place), code, message: 'There is more to note than is listed.', place_count: 1 };
    else this.more.place_count += 1;
  }

  /** Notes the members that the model has no place for. */
  noteOthers(object: JsonObject, known: ReadonlySet<string>, place: Place | undefined, owner: string): void {
    for (const name in object) {
      if (known.has(name) || isNothing(object[name])) continue;
      this.note(below(place, name), 'vex.not_held', `"${quoted(name)}" of ${owner} has no place in a VEX statement.`);
    }
  }

  /** A text that says something; null and the empty text are what generators write for nothing. */
  text(object: JsonObject, name: string, place: Place | undefined): string | undefined {
    const value = object[name];
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value === 'string') return value;
    this.refuse(below(place, name), 'vex.field_type', `"${name}" is not a text.`, 'a string');
    return undefined;
  }

  /** The items of a list; none where it is absent or null. */
  list(object: JsonObject, name: string, place: Place | undefined): readonly JsonValue[] {
    const value = object[name];
    if (value === undefined || value === null) return [];
    if (Array.isArray(value)) return value as readonly JsonValue[];
    this.refuse(below(place, name), 'vex.field_type', `"${name}" is not a list.`, 'an array');
    return [];
  }

  /** The texts of a list, without empty ones. */
  texts(object: JsonObject, name: string, place: Place | undefined): readonly string[] {
    return this.list(object, name, place).flatMap((item, index) => {
      if (typeof item === 'string') return item === '' ? [] : [item];
      this.refuse(below(below(place, name), index), 'vex.field_type', 'This is not a text.', 'a string');
      return [];
    });
  }

  /** The objects of a list, each with its place. */
  objects(object: JsonObject, name: string, place: Place | undefined): ReadonlyArray<readonly [JsonObject, Place]> {
    const list = below(place, name);
    return this.list(object, name, place).flatMap((item, index) => {
      const at = below(list, index);
      if (isJsonObject(item)) return [[item, at] as const];
      this.refuse(at, 'vex.field_type', 'This is not an object.', 'an object');
      return [];
    });
  }

  object(object: JsonObject, name: string, place: Place | undefined): JsonObject | undefined {
    const value = object[name];
    if (value === undefined || value === null) return undefined;
    if (isJsonObject(value)) return value;
    this.refuse(below(place, name), 'vex.field_type', `"${name}" is not an object.`, 'an object');
    return undefined;
  }

  /** A time, in UTC. */
  time(object: JsonObject, name: string, place: Place | undefined): string | undefined {
    const text = this.text(object, name, place);
    if (text === undefined) return undefined;
    const time = normaliseTime(text);
    if (time !== undefined) return time;
    this.refuse(
      below(place, name),
      'vex.timestamp_invalid',
      `"${quoted(text)}" is not a time.`,
      'RFC 3339, e.g. 2026-11-21T12:00:00Z',
    );
    return undefined;
  }

  status(text: string, place: Place): VexStatus | undefined {
    return this.wordOf(VEX_STATUSES, text, place, 'vex.status_unknown', 'status');
  }

  justification(text: string, place: Place): VexJustification | undefined {
    return this.wordOf(VEX_JUSTIFICATIONS, text, place, 'vex.justification_unknown', 'justification');
  }

  /** A word of a closed list, or the one that was probably meant. */
  wordOf<Word extends string>(
    words: readonly Word[],
    text: string,
    place: Place,
    code: 'vex.status_unknown' | 'vex.justification_unknown',
    thing: string,
  ): Word | undefined {
    if (words.includes(text as Word)) return text as Word;
    const nearest = nearestOf(words, text);
    const meant = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
    this.refuse(place, code, `"${quoted(text)}" is no ${thing}.${meant}`, words.join(', '));
    return undefined;
  }
}

/** Text from outside inside a sentence. */
export function quoted(text: string): string {
  return text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text;
}

function isNothing(value: JsonValue | undefined): boolean {
  return (
    value === undefined ||
    value === null ||
    value === '' ||
    (Array.isArray(value) ? value.length === 0 : isJsonObject(value) && Object.keys(value).length === 0)
  );
}
