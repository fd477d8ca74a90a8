import { canonicalJson, type JsonObject, type JsonValue } from '@colophon/json';
import { digestOf } from '@colophon/records';
import { isPurl } from '../purl-version/purl-version.ts';
import {
  UNKNOWN_TIME,
  type VexDocument,
  type VexProduct,
  type VexStatement,
  type VexSubject,
} from '../vex-document/vex-document.ts';
import { compareTimes } from '../vex-time/vex-time.ts';
import { contentKey } from './content-key.ts';
import type { VexLosses } from './vex-loss.ts';

export const OPENVEX_CONTEXT = 'https://openvex.dev/ns/v0.2.0';
/** The namespace that OpenVEX has for documents of everybody. */
const PUBLIC_ID = 'https://openvex.dev/docs/public/vex-';
/** What go-vex writes in these places, too. */
export const NO_AUTHOR = 'Unknown Author';
export const NO_ACTION = 'No action statement provided';

const IRI = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`]+$/;

/** True for an absolute IRI, as far as its characters show. */
export function isIri(text: string): boolean {
  return IRI.test(text);
}

/** What a document gets that has none of its own. */
export type WritingDefaults = { readonly author?: string; readonly at?: string };

/** OpenVEX v0.2.0 with its members in the order of the standard, and an `@id` made from the content where there is none. */
export function toOpenVex(document: VexDocument, defaults: WritingDefaults, losses: VexLosses): JsonObject {
  const timestamp = document.timestamp ?? defaults.at ?? latestTime(document.statements) ?? UNKNOWN_TIME;
  const id = document.id !== undefined && isIri(document.id) ? document.id : undefined;
  if (document.id !== undefined && id === undefined)
    losses.add('/@id', `@id ${document.id}`, 'it is no IRI, and another is made from the content');
  const rest = {
    author: document.author ?? defaults.author ?? NO_AUTHOR,
    ...optional('role', document.role),
    timestamp,
    ...optional('last_updated', document.last_updated),
    version: Math.max(document.version ?? 1, 1),
    ...optional('tooling', document.tooling),
    statements: once(
      document.statements.map((one, index) => openVexStatement(one, `/statements/${index}`, losses)),
      (index) => `/statements/${index}`,
      losses,
    ),
  };
  return { '@context': OPENVEX_CONTEXT, '@id': id ?? contentId(rest), ...rest };
}

/** The same for the same content, whoever writes it. */
export function contentId(content: JsonObject): string {
  return `${PUBLIC_ID}${digestOf(canonicalJson(content)).replace('sha256:', '')}`;
}

function latestTime(statements: readonly VexStatement[]): string | undefined {
  let latest: string | undefined;
  for (const { timestamp } of statements)
    if (timestamp !== UNKNOWN_TIME && (latest === undefined || compareTimes(timestamp, latest) > 0)) latest = timestamp;
  return latest;
}

/** The entries without those that are there already: the standard wants each once. */
function once<Entry extends JsonValue>(
  entries: readonly Entry[],
  pathOf: (index: number) => string,
  losses: VexLosses,
): Entry[] {
  if (entries.length < 2) return [...entries];
  const seen = new Set<string>();
  return entries.filter((entry, index) => {
    const content = contentKey(entry);
    if (seen.has(content)) losses.add(pathOf(index), 'that the same is said twice', 'OpenVEX has every entry once');
    return seen.size !== seen.add(content).size;
  });
}

/** An id that is an IRI; what is none says nothing to anybody else. */
function iriOf(id: string | undefined, path: string, losses: VexLosses): string | undefined {
  if (id === undefined || isIri(id)) return id;
  losses.add(`${path}/@id`, `@id ${id}`, 'it is no IRI');
  return undefined;
}

function openVexStatement(statement: VexStatement, path: string, losses: VexLosses): JsonObject {
  const { vulnerability, timestamp, status, version } = statement;
  const texts = fittingTexts(statement, path, losses);
  if (version !== undefined && version < 1) losses.add(`${path}/version`, `version ${version}`, 'versions begin at 1');
  const aliases = once(vulnerability.aliases ?? [], (index) => `${path}/vulnerability/aliases/${index}`, losses);
  const products = statement.products.flatMap((one, index) => openVexProduct(one, `${path}/products/${index}`, losses));
  return {
    ...optional('@id', iriOf(statement.id, path, losses)),
    ...(version !== undefined && version >= 1 && { version }),
    vulnerability: {
      ...optional('@id', iriOf(vulnerability.id, `${path}/vulnerability`, losses)),
      name: vulnerability.name,
      ...optional('description', vulnerability.description),
      ...(aliases.length > 0 && { aliases }),
    },
    // Also where it is the document's: whoever changes that one must not change this.
    timestamp,
    ...optional('last_updated', statement.last_updated),
    ...(products.length > 0 && { products: once(products, (index) => `${path}/products/${index}`, losses) }),
    status,
    ...optional('supplier', statement.supplier),
    ...optional('status_notes', texts.status_notes),
    ...optional('justification', texts.justification),
    ...optional('impact_statement', texts.impact_statement),
    ...optional('action_statement', texts.action_statement),
    ...optional('action_statement_timestamp', texts.action_statement_timestamp),
  };
}

type Texts = Pick<
  VexStatement,
  'status_notes' | 'justification' | 'impact_statement' | 'action_statement' | 'action_statement_timestamp'
>;

/** Consumers refuse a statement with a text that does not belong to its status: such a text goes to the notes. */
function fittingTexts(statement: VexStatement, path: string, losses: VexLosses): Texts {
  const { status, status_notes, justification, impact_statement, action_statement, action_statement_timestamp } =
    statement;
  const isNotAffected = status === 'not_affected';
  const isAffected = status === 'affected';
  const notes = status_notes === undefined ? [] : [status_notes];
  const move = (member: string, text: string | undefined) => {
    if (text === undefined) return;
    notes.push(text);
    losses.add(`${path}/${member}`, `${member} as such`, `where it is ${status} it has to be in status_notes`);
  };
  if (!isNotAffected) move('impact_statement', impact_statement);
  if (!isAffected) move('action_statement', action_statement);
  if (!isNotAffected && justification !== undefined)
    losses.add(`${path}/justification`, `justification ${justification}`, `nothing is justified where it is ${status}`);
  if (action_statement_timestamp !== undefined && (!isAffected || action_statement === undefined))
    losses.add(`${path}/action_statement_timestamp`, 'action_statement_timestamp', 'there is no action statement');
  if (isAffected && action_statement === undefined)
    losses.add(`${path}/action_statement`, 'that nobody said what to do', `OpenVEX needs a text: "${NO_ACTION}"`);
  return {
    ...(notes.length > 0 && { status_notes: notes.join('\n') }),
    ...(isNotAffected && justification !== undefined && { justification }),
    ...(isNotAffected && impact_statement !== undefined && { impact_statement }),
    ...(isAffected && { action_statement: action_statement ?? NO_ACTION }),
    ...(isAffected &&
      action_statement !== undefined &&
      action_statement_timestamp !== undefined && { action_statement_timestamp }),
  };
}

function openVexProduct(product: VexProduct, path: string, losses: VexLosses): JsonObject[] {
  const { subcomponents = [], ...subject } = product;
  const pathOf = (index: number) => `${path}/subcomponents/${index}`;
  const all = subcomponents.flatMap((one, index) => openVexSubject(one, pathOf(index), losses));
  const written = once(all, pathOf, losses);
  return openVexSubject(subject, path, losses).map((one) => ({
    ...one,
    ...(written.length > 0 && { subcomponents: written }),
  }));
}

/** One entry, or one for each version where the versions are apart from the identifier. */
function openVexSubject(subject: VexSubject, path: string, losses: VexLosses): JsonObject[] {
  const { purl, cpe22, cpe23, hashes, name, versions } = subject;
  if (name !== undefined) losses.add(`${path}/name`, 'names of products', 'OpenVEX has identifiers alone');
  const identifiers = { ...optional('purl', purl), ...optional('cpe22', cpe22), ...optional('cpe23', cpe23) };
  const rest = {
    ...(Object.keys(identifiers).length > 0 && { identifiers }),
    ...optional('hashes', hashes),
  };
  // Some scanners look at @id alone, and hashes alone are no name to the standard.
  const id = subject.id ?? (isPurl(purl) ? purl : isHashAlone(subject) ? hashIri(hashes) : undefined);
  if (versions === undefined || versions.length === 0) return [{ ...optional('@id', id), ...rest }];
  losses.add(path, 'versions apart from the identifier', 'OpenVEX has no place for them: they follow an @ in @id');
  return versions.map((version) => ({ '@id': `${id ?? ''}@${encodeURIComponent(version)}`, ...rest }));
}

function isHashAlone({ purl, cpe22, cpe23 }: VexSubject): boolean {
  return purl === undefined && cpe22 === undefined && cpe23 === undefined;
}

/** What something is called that has nothing but hashes; readers know it again. */
export function hashIri(hashes: VexSubject['hashes']): string | undefined {
  const all = Object.entries(hashes ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const first = all.find(([name]) => name === 'sha-256') ?? all[0];
  return first && `hash://${encodeURIComponent(first[0])}/${encodeURIComponent(first[1])}`;
}

export function optional<Name extends string>(
  name: Name,
  value: JsonValue | undefined,
): { readonly [name: string]: JsonValue } {
  return value === undefined ? {} : { [name]: value };
}
