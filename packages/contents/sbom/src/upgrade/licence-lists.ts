import { type LicenseChoice, spdxId } from '@colophon/licences';
import type { Loss } from '../profile/loss.ts';

/**
 * Writes every list of licences so that 1.5 and 1.6 take it: only licences, or one expression alone. An expression that
 * stands beside others becomes a licence by its id, or by its text as a name.
 */
export function separateLicences<T>(document: T, losses: Loss[]): T {
  return walk(document, '') as T;

  function walk(value: unknown, path: string): unknown {
    if (typeof value !== 'object' || value === null) return value;
    let result: unknown = value;
    if (Array.isArray(value)) {
      value.forEach((item, index) => {
        const next = walk(item, `${path}/${index}`);
        if (next === item) return;
        if (result === value) result = [...value];
        (result as unknown[])[index] = next;
      });
      return result;
    }
    for (const [name, part] of Object.entries(value)) {
      const at = `${path}/${name}`;
      const next = name === 'licenses' && isMixed(part) ? licencesOf(part, at, losses) : walk(part, at);
      if (next !== part) result = { ...(result as object), [name]: next };
    }
    return result;
  }
}

function isMixed(value: unknown): value is readonly LicenseChoice[] {
  return Array.isArray(value) && value.length > 1 && value.some((choice) => typeof choice?.expression === 'string');
}

function licencesOf(choices: readonly LicenseChoice[], path: string, losses: Loss[]): readonly LicenseChoice[] {
  return choices.map((choice, index) => {
    const { expression, ...rest } = choice ?? {};
    if (expression === undefined) return choice;
    if (spdxId(expression) === expression) return { license: { id: expression, ...rest } };
    const why = 'an expression cannot stand beside other licences: it is written as the name of a licence';
    losses.push({ path: `${path}/${index}`, what: expression, why });
    return { license: { name: expression, ...rest } };
  });
}
