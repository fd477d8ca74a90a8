import { isUpstreamAddress, receiptAddress } from '@colophon/records';
import type { WitnessEntry } from './configuration.ts';
import type { IssueNotes } from './configuration-issue.ts';
import type { ConfigurationFile } from './configuration-schema.ts';

type Entry = NonNullable<ConfigurationFile['witnesses']>[number];
type Path = readonly (string | number)[];

/**
 * Reads the entry `witnesses`. What an operator believes of a witness has to be said: whose receipts it may vouch for,
 * and which servers it stands before.
 */
export function readWitnesses(
  { witnesses = [], callers = [] }: Pick<ConfigurationFile, 'witnesses' | 'callers'>,
  notes: IssueNotes,
  resolve: (path: string) => string,
): readonly WitnessEntry[] {
  const names = new Set<string>();
  const known = new Set(callers.map(({ name }) => name));
  return witnesses.map((entry, index) => {
    const path = ['witnesses', index];
    if (names.has(entry.name)) {
      notes.note([...path, 'name'], 'configuration.name_repeated', 'another entry has it already');
    }
    names.add(entry.name);
    noteCallers(entry, known, path, notes);
    noteUpstreams(entry, path, notes);
    const { name, key, place, callers: shownBy, upstreams } = entry;
    return {
      name,
      keyFile: resolve(readKeyPlace(key, [...path, 'key'], notes)),
      place,
      ...(shownBy === undefined ? {} : { callers: shownBy }),
      ...(upstreams === undefined ? {} : { upstreams: asReceiptsWrite(upstreams) }),
    };
  });
}

function noteCallers({ callers }: Entry, known: ReadonlySet<string>, path: Path, notes: IssueNotes): void {
  if (callers === undefined && known.size > 0) {
    const message = 'it is not said whose receipts the witness vouches for';
    notes.note(path, 'configuration.witness_invalid', message, 'callers: [ NAME ]');
  }
  callers?.forEach((name, at) => {
    if (known.has(name)) return;
    notes.note([...path, 'callers', at], 'configuration.name_unknown', 'callers has no such name');
  });
}

function noteUpstreams({ place, upstreams }: Entry, path: Path, notes: IssueNotes): void {
  if (upstreams === undefined && place === 'isolated') {
    const message = 'it is not said which servers of models the witness stands before';
    const expected = 'upstreams: { anthropic: https://api.anthropic.com }';
    notes.note(path, 'configuration.witness_invalid', message, expected);
  }
  for (const [name, address] of Object.entries(upstreams ?? {})) {
    if (!isUpstreamName(name)) {
      notes.note(
        [...path, 'upstreams', name],
        'configuration.witness_invalid',
        'no name of an upstream',
        'e.g. anthropic',
      );
    }
    if (isUpstreamAddress(address)) continue;
    const expected = 'an http or https address, without credentials and query';
    notes.note([...path, 'upstreams', name], 'configuration.witness_invalid', 'no address of an upstream', expected);
  }
}

/** Whether an operator may call a server of models so. */
export function isUpstreamName(name: string): boolean {
  return /^[a-z0-9][a-z0-9._-]{0,63}$/.test(name);
}

/** So it is compared, however a person spells it. */
function asReceiptsWrite(upstreams: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const written = ([name, address]: [string, string]) =>
    isUpstreamAddress(address) ? [name, receiptAddress(new URL(address))] : [name, address];
  return Object.fromEntries(Object.entries(upstreams).map(written));
}

/** The key is no secret, but it is in a file. */
function readKeyPlace(key: string, path: Path, notes: IssueNotes): string {
  if (key.startsWith('file:') && key.length > 'file:'.length) return key.slice('file:'.length);
  notes.note(path, 'configuration.reference_invalid', 'the public key is in a file', 'file:PATH');
  return key;
}
