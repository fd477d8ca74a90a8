import type { JsonValue } from '@colophon/json';
import { BASIS_SOURCES, type Basis, formatBasis } from '@colophon/records';
import type { Inspection } from './inspection.ts';

/** The lines that a person reads. Text from the document is printable ASCII, whatever stood in it. */
export function formatInspection({ kind, notes, content }: Inspection): readonly string[] {
  return [`${kind} (not verified)`, ...notes.map((note) => `! ${printable(note)}`), ...linesOf(content, '')];
}

function linesOf(value: JsonValue, indent: string): string[] {
  if (value === null || typeof value !== 'object') return [`${indent}${printable(`${value}`)}`];
  const pairs = Array.isArray(value) ? value.map((item) => ['-', item] as const) : Object.entries(value);
  return pairs.flatMap(([name, item]) => {
    const label = name === '-' ? '-' : `${printable(name)}:`;
    if (isBasis(item)) return [`${indent}${label} ${printable(formatBasis(item))}`];
    if (isExtension(item)) return [`${indent}- ${extensionLine(item)}`];
    if (item === null || typeof item !== 'object') return [`${indent}${label} ${printable(`${item}`)}`];
    return [`${indent}${label}`, ...linesOf(item, `${indent}  `)];
  });
}

function isBasis(item: JsonValue): item is Basis {
  return (
    typeof item === 'object' && item !== null && 'source' in item && BASIS_SOURCES.some((one) => one === item.source)
  );
}

type Extension = { readonly oid: string; readonly name: string; readonly critical: boolean; readonly value: string };

function isExtension(item: JsonValue): item is Extension {
  return typeof item === 'object' && item !== null && 'oid' in item && 'critical' in item;
}

/** A certificate has dozens of them: a line each. */
function extensionLine({ oid, name, critical, value }: Extension): string {
  return printable(`${name}${critical ? ' (critical)' : ''}: ${value}   [${oid}]`);
}

/** Control, bidirectional and other characters that could forge a line or hide one are written as escapes. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
