import exceptions from 'spdx-exceptions/index.json' with { type: 'json' };
import currentIds from 'spdx-license-ids/index.json' with { type: 'json' };
import list from 'spdx-license-list';

/** Lower-case id → the id as SPDX writes it; the deprecated ones too. */
const IDS = new Map([...Object.keys(list), ...currentIds].map((id) => [id.toLowerCase(), id]));
const EXCEPTIONS = new Map(exceptions.map((id) => [id.toLowerCase(), id]));
const IDS_BY_NAME = new Map<string, string>();
for (const [id, { name }] of Object.entries(list)) {
  // Deprecated ids share a name with the one that follows them, which is the one to say.
  const key = nameKey(name);
  const isDeprecated = IDS.has(`${id}-only`.toLowerCase()) || id.endsWith('+');
  if (!IDS_BY_NAME.has(key) || !isDeprecated) IDS_BY_NAME.set(key, id);
}

/** The id as SPDX writes it, whatever case it came in; undefined for what SPDX does not list. */
export function spdxId(text: string): string | undefined {
  return IDS.get(text.toLowerCase());
}

/** Whether the official schemas of CycloneDX allow it as an id: they follow the list some months behind. */
export function isSchemaId(id: string): boolean {
  return Object.hasOwn(list, id);
}

/** The exception's id as SPDX writes it. */
export function spdxException(text: string): string | undefined {
  return EXCEPTIONS.get(text.toLowerCase());
}

/** The id of a licence by its full name in the SPDX list, e.g. `Apache License 2.0`; no other name is guessed at. */
export function spdxIdOfName(name: string): string | undefined {
  return IDS_BY_NAME.get(nameKey(name));
}

/** What is longer is no misspelt id. */
const MOST_GUESSED_LENGTH = 40;
const LETTERS = [...IDS.values()].map((id) => ({ id, key: letters(id) }));

/** The listed id that was probably meant, to be shown to a person and never to be decided by. */
export function similarSpdxId(text: string): string | undefined {
  if (text.length > MOST_GUESSED_LENGTH) return undefined;
  const wanted = letters(text);
  // Of three letters, another one makes another licence: GPL is not NGPL.
  const most = wanted.length < 6 ? 0.5 : wanted.length / 4;
  let best: { id: string; distance: number } | undefined;
  for (const { id, key } of wanted === '' ? [] : LETTERS) {
    if (Math.abs(key.length - wanted.length) > most + 1) continue;
    // `Apache2` means `Apache-2.0`: what a version leaves out is no typing error.
    const distance = Math.min(editDistance(wanted, key), editDistance(`${wanted}0`, key) + 0.5);
    const isBetter = best === undefined || distance < best.distance || (distance === best.distance && id < best.id);
    if (distance <= most && isBetter) best = { id, distance };
  }
  return best?.id;
}

function nameKey(name: string): string {
  return name.toLowerCase().replace(/\s+/g, ' ').trim();
}

function letters(text: string): string {
  return text
    .toLowerCase()
    .replace(/\b(?:the|licen[cs]e|version)\b/g, '')
    .replace(/[^a-z0-9+]/g, '');
}

function editDistance(left: string, right: string): number {
  let above = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const replaced = above[column - 1]! + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, above[column]! + 1, current[column - 1]! + 1));
    }
    above = current;
  }
  return above[right.length]!;
}
