import type { JsonObject } from '@colophon/json';
import { isPurl } from '../purl-version/purl-version.ts';
import { TEXT_OF_STATUS } from '../read/openvex-statement.ts';
import type { VexDocument, VexProduct, VexStatement } from '../vex-document/vex-document.ts';
import { NO_ACTION, NO_AUTHOR, OPENVEX_CONTEXT, optional } from './openvex-writer.ts';
import type { VexLosses } from './vex-loss.ts';

const NO_PLACE = "the contract's shape has no place for it";

/** The contract's literal shape (§2.6), and nothing beside it; other tools read no statement from it. */
export function toSpec(document: VexDocument, losses: VexLosses): JsonObject {
  for (const [member, value] of [
    ['@id', document.id],
    ['author', document.author === NO_AUTHOR ? undefined : document.author],
    ['role', document.role],
    ['timestamp', document.timestamp],
    ['last_updated', document.last_updated],
    ['version', document.version],
  ] as const)
    if (value !== undefined) losses.add(`/${member}`, `${member} of the document`, NO_PLACE);
  return {
    '@context': OPENVEX_CONTEXT,
    ...optional('tooling', document.tooling),
    statements: document.statements.map((one, index) => specStatement(one, `/statements/${index}`, losses)),
  };
}

function specStatement(statement: VexStatement, path: string, losses: VexLosses): JsonObject {
  const { vulnerability, timestamp, products, status, justification } = statement;
  for (const [member, value] of [
    ['@id', statement.id],
    ['version', statement.version],
    ['last_updated', statement.last_updated],
    ['supplier', statement.supplier],
    ['action_statement_timestamp', statement.action_statement_timestamp],
  ] as const)
    if (value !== undefined) losses.add(`${path}/${member}`, `${member} of a statement`, NO_PLACE);
  for (const [member, value] of [
    ['@id', vulnerability.id],
    ['description', vulnerability.description],
    ['aliases', vulnerability.aliases],
  ] as const)
    if (value !== undefined) losses.add(`${path}/vulnerability/${member}`, `${member} of a vulnerability`, NO_PLACE);
  return {
    vulnerability: { id: vulnerability.name },
    timestamp,
    components: products.flatMap((one, index) => specComponent(one, `${path}/products/${index}`, losses)),
    status,
    ...optional('justification', justification),
    ...optional('details', detailsOf(statement, path, losses)),
  };
}

/**
 * The product, and not what is inside it: a statement on a part of one product must not become one on that part
 * wherever it is.
 */
function specComponent(product: VexProduct, path: string, losses: VexLosses): JsonObject[] {
  const { id, cpe22, cpe23, hashes, name, versions, subcomponents } = product;
  const purl = product.purl ?? (isPurl(id) ? id : undefined);
  const lost = {
    '@id': id === purl ? undefined : id,
    'identifiers/cpe22': cpe22,
    'identifiers/cpe23': cpe23,
    hashes,
    name,
    versions,
  };
  for (const [member, value] of Object.entries(lost))
    if (value !== undefined) losses.add(`${path}/${member}`, `${member.replace(/.*\//, '')} of a product`, NO_PLACE);
  if (subcomponents !== undefined && subcomponents.length > 0)
    losses.add(
      `${path}/subcomponents`,
      'subcomponents',
      "the contract's shape has one list of components: the statement is on the whole product",
    );
  if (purl !== undefined) return [{ identifiers: { purl } }];
  losses.add(path, 'products without a package URL', "the contract's shape knows components by their package URL");
  return [];
}

/** The text that belongs to the status, else the notes on it. */
function detailsOf(statement: VexStatement, path: string, losses: VexLosses): string | undefined {
  const { status } = statement;
  const first = TEXT_OF_STATUS[status];
  const own = first === 'action_statement' && statement[first] === NO_ACTION ? undefined : statement[first];
  const details = own ?? statement.status_notes;
  for (const name of ['impact_statement', 'action_statement', 'status_notes'] as const) {
    const text = statement[name];
    if (text === undefined || (name === first && (text === details || own === undefined))) continue;
    const isMoved = name === 'status_notes' && own === undefined;
    const why = isMoved ? `it is written as details, and read as ${first}` : NO_PLACE;
    losses.add(`${path}/${name}`, `${name} where it is ${status}`, why);
  }
  return details;
}
