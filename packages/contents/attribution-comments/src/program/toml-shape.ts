import { parse, TomlDate, TomlError } from 'smol-toml';
import type { ProgramReading } from '../comment/program-reading.ts';

/**
 * Reads a TOML document: its tables and values, in order.
 * @returns undefined where it has an error
 */
export function readToml(text: string): ProgramReading | undefined {
  try {
    return { shape: JSON.stringify(shapeOf(parse(text, { integersAsBigInt: true }))) };
  } catch (error) {
    if (error instanceof TomlError || error instanceof RangeError) return undefined;
    throw error;
  }
}

function shapeOf(value: unknown): unknown {
  if (value instanceof TomlDate) return ['date', value.toISOString()];
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value === 'object' && value !== null) {
    return ['table', ...Object.entries(value).map(([key, one]) => [key, shapeOf(one)])];
  }
  return [typeof value, String(value)];
}
