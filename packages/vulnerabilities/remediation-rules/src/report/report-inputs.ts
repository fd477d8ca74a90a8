import { isJsonObject } from '@colophon/json';
import { compareTexts } from '@colophon/notation';
import type { NotedInput, ReportNotes } from '@colophon/records';
import { differencesOf } from './report-difference.ts';
import type { ReportDifference } from './report-difference-result.ts';

/** The files that a report is counted from, each once and by name. */
export function notedInputs(files: readonly NotedInput[]): readonly NotedInput[] {
  const byName = new Map(files.map(({ file, digest }) => [file, { file, digest }] as const));
  return [...byName.values()].sort((a, b) => compareTexts(a.file, b.file));
}

/**
 * What the notes of a folder say, against what follows from it: each input by its digest, then everything else.
 * @param found the notes as they lie there, of whatever form
 * @param path the file that they are in
 */
export function notesDifferences(expected: ReportNotes, found: Partial<ReportNotes>, path: string): ReportDifference[] {
  const inputs = inputDifferences(expected, found, path);
  if (inputs.length === 0) return differencesOf(expected, found, 'report.note_differs');
  return [...inputs, ...differencesOf(withoutDigests(expected), withoutDigests(found), 'report.note_differs')];
}

function inputDifferences(expected: ReportNotes, found: Partial<ReportNotes>, path: string): ReportDifference[] {
  const there = new Map(expected.inputs.map(({ file, digest }) => [file, digest]));
  const all: unknown[] = Array.isArray(found.inputs) ? [...found.inputs] : [undefined];
  // Where one side has no catalog, the notes differ in that.
  if (expected.catalog !== null && isJsonObject(found.catalog)) {
    const { file, digest } = expected.catalog;
    there.set(file, digest);
    all.push({ file, digest: found.catalog['digest'] });
  }
  if (!all.every(isInput)) {
    const expected = 'the digest of every file that it was counted from';
    return [{ code: 'report.inputs_missing', path, expected, found: 'not of every one' }];
  }
  const stated = new Map(all.map(({ file, digest }) => [file, digest]));
  return [...new Set([...stated.keys(), ...there.keys()])].sort(compareTexts).flatMap((file): ReportDifference[] => {
    const [wanted, actual] = [stated.get(file), there.get(file)];
    if (wanted === actual) return [];
    const none = 'no digest: the notes do not name it';
    const gone = 'no such file, or none that the report names';
    return [{ code: 'report.input_differs', path: file, expected: wanted ?? none, found: actual ?? gone }];
  });
}

function isInput(value: unknown): value is NotedInput {
  return isJsonObject(value) && typeof value['file'] === 'string' && typeof value['digest'] === 'string';
}

function withoutDigests({ inputs: _, ...notes }: Partial<ReportNotes>): object {
  if (!isJsonObject(notes.catalog)) return notes;
  const { digest: __, ...catalog } = notes.catalog;
  return { ...notes, catalog };
}
