import { isPythonName } from './pypi-name.ts';
import { isPath } from './requirement-address.ts';
import { wordsOf } from './requirement-lines.ts';

/** What a line of a requirements file says, or a part of it. */
export type RequirementPart =
  | { readonly kind: 'file'; readonly path: string; readonly isConstraint: boolean }
  | Requirement
  /** Says where packages come from or how they are installed. */
  | { readonly kind: 'option' }
  /** Nothing that pip knows. */
  | { readonly kind: 'unknown' };

export type Requirement = {
  readonly kind: 'package';
  readonly name?: string;
  /** Stated by `==` or `===`. */
  readonly version?: string;
  /** As it is written. */
  readonly address?: string;
  /** It is needed only where a marker holds. */
  readonly isConditional: boolean;
};

/** Signs; neither a path nor an address is longer. */
const LONGEST = 16 * 1024;
const WITH_VALUE = [
  ...['-i', '--index-url', '--extra-index-url', '-f', '--find-links', '--no-binary', '--only-binary', '--trusted-host'],
  ...['--use-feature', '--global-option', '--config-settings', '--config-setting', '-C', '--hash', '--pypi-url'],
];
const ALONE = ['--no-index', '--prefer-binary', '--require-hashes', '--pre'];

/** The parts of one line without its comment; never none. */
export function parseRequirementLine(text: string): readonly RequirementPart[] {
  // What follows is for pip: hashes, and how it is built.
  const [requirement = ''] = text.startsWith('-') ? [text] : text.split(/\s-/, 1);
  if (requirement.length > LONGEST) return [{ kind: 'unknown' }];
  if (text.startsWith('-')) return optionsOf(wordsOf(text));
  return [parseRequirement(requirement.trim())];
}

function optionsOf(words: readonly string[]): RequirementPart[] {
  const parts: RequirementPart[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const [, name = word, joined] = /^(--[^=]+)=(.*)$/s.exec(word) ?? /^(-[A-Za-z])(.+)$/s.exec(word) ?? [];
    const value = () => joined ?? words[++at] ?? '';
    if (ALONE.includes(word)) parts.push({ kind: 'option' });
    else if (WITH_VALUE.includes(name)) {
      value();
      parts.push({ kind: 'option' });
    } else if (name === '-r' || name === '--requirement') {
      parts.push({ kind: 'file', path: value(), isConstraint: false });
    } else if (name === '-c' || name === '--constraint') {
      parts.push({ kind: 'file', path: value(), isConstraint: true });
    } else if (name === '-e' || name === '--editable') {
      const editable = parseRequirement(value());
      // A name alone is nothing that could be edited.
      const isPlaced = editable.kind === 'package' && editable.address !== undefined;
      parts.push(isPlaced ? editable : { kind: 'unknown' });
    } else if (!parts.some(({ kind }) => kind === 'unknown')) parts.push({ kind: 'unknown' });
  }
  return parts;
}

function parseRequirement(text: string): RequirementPart {
  const isUrl = /^(?:[a-z][a-z0-9.-]*\+)?[a-z][a-z0-9.-]*:\/\/|^file:|^(?:git|hg|svn|bzr)\+/i.test(text);
  if (isUrl) return placed(undefined, text);
  const [head = ''] = /^[A-Za-z0-9._-]*/.exec(text) ?? [];
  const afterName = text.slice(head.length).trimStart();
  const rest = afterName.startsWith('[') ? afterName.slice(afterName.indexOf(']') + 1).trimStart() : afterName;
  const hasOpenExtras = afterName.startsWith('[') && !afterName.includes(']');
  if (isPythonName(head) && !hasOpenExtras && rest.startsWith('@')) return placed(head, rest.slice(1).trim());
  const [beforeMarker = ''] = text.split(';', 1);
  if (isPath(beforeMarker.trim())) return placed(undefined, text);
  if (!isPythonName(head) || hasOpenExtras) return { kind: 'unknown' };
  const [condition = '', ...marker] = rest.split(';');
  const specifiers = condition
    .trim()
    .replace(/^\((.*)\)$/s, '$1')
    .split(',')
    .map((specifier) => /^(===|[=<>~!]=|[<>])\s*([A-Za-z0-9.!+_*-]+)$/.exec(specifier.trim()));
  if (condition.trim() !== '' && specifiers.includes(null)) return { kind: 'unknown' };
  const version = specifiers.find((one) => one?.[1]?.startsWith('==') && !one[2]!.includes('*'))?.[2];
  return { kind: 'package', name: head, ...(version && { version }), isConditional: marker.length > 0 };
}

function placed(name: string | undefined, text: string): RequirementPart {
  // A semicolon may stand in an address; a marker begins after a blank.
  const [address = '', ...marker] = text.split(/\s+;?\s*|;\s+/);
  if (address === '') return { kind: 'unknown' };
  return { kind: 'package', ...(name && { name }), address, isConditional: marker.length > 0 };
}
