import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AUTHORITY_ERROR_CODES, AuthorityError } from '../../packages/authority/src/authority-error/authority-error.ts';
import { refusalOf } from '../../packages/authority/src/http/http-status.ts';
import { EXIT } from '../../packages/cli/src/exit-code/exit-code.ts';
import { exitCodeOf } from '../../packages/cli/src/report/report.ts';
import {
  EVIDENCE_ERROR_CODES,
  EVIDENCE_HTTP_CODES,
} from '../../packages/evidence/src/evidence-error/evidence-error.ts';
import { QUERY_ISSUE_CODES } from '../../packages/evidence/src/query/query-issue.ts';
import { FEEDS_ERROR_CODES } from '../../packages/feeds/src/feeds-error/feeds-error.ts';
import { SCAN_FILE_CODES } from '../../packages/feeds/src/scanner-output/scan-issue.ts';
import { FORGE_ERROR_CODES } from '../../packages/forge/src/forge-error/forge-error.ts';
import { GRAMMAR_ERROR_CODES } from '../../packages/grammars/src/grammar-error/grammar-error.ts';
import { ISSUANCE_REFUSAL_CODES } from '../../packages/issuance/src/claim-decision/issuance-refusal.ts';
import { refuseIssues } from '../../packages/issuer/src/token-refusal/token-refusal.ts';
import { JSON_ISSUE_CODES } from '../../packages/json/src/index.ts';
import { KEY_ERROR_CODES } from '../../packages/keys/src/key-error/key-error.ts';
import { OPENPGP_ERROR_CODES } from '../../packages/openpgp/src/openpgp-error/openpgp-error.ts';
import { REQUEST_ISSUE_CODES } from '../../packages/records/src/index.ts';
import { REMEDIATION_DESK_CODES } from '../../packages/remediation/src/desk/remediation-error.ts';
import { PUBLISHING_ERROR_CODES } from '../../packages/sbom/src/publishing/publishing-error.ts';
import {
  IDENTITY_POLICY_ERROR_CODES,
  IMAGE_EXIT_CODES,
  INSPECTION_ERROR_CODES,
  LOG_EXIT_CODES,
  REGISTRY_ERROR_CODES,
  SIGNING_ERROR_CODES,
  TRUSTED_ROOT_ERROR_CODES,
  VERIFICATION_EXIT_CODES,
} from '../../packages/sigstore/src/index.ts';
import { STORE_ERROR_CODES } from '../../packages/store/src/store-error/store-error.ts';
import { REMEDIATION_CODES, VEX_ERROR_CODES } from '../../packages/triage/src/index.ts';
import { CATALOG_DOUBT_CODES } from '../../packages/triage/src/known-exploited/accept-catalog.ts';
import { CATALOG_ISSUE_CODES } from '../../packages/triage/src/known-exploited/catalog-issue.ts';

/** How a code may end the program, and with which status it may be answered over HTTP; both in ascending order. */
export type Answers = { readonly exits: readonly number[]; readonly statuses: readonly number[] };

/** Codes of errors that are thrown and reach the program as they are. */
const THROWN: readonly string[] = [
  ...FEEDS_ERROR_CODES,
  ...FORGE_ERROR_CODES,
  ...GRAMMAR_ERROR_CODES,
  ...KEY_ERROR_CODES,
  ...OPENPGP_ERROR_CODES,
  ...REMEDIATION_DESK_CODES,
  ...REMEDIATION_CODES,
  ...PUBLISHING_ERROR_CODES,
  ...IDENTITY_POLICY_ERROR_CODES,
  ...INSPECTION_ERROR_CODES,
  ...REGISTRY_ERROR_CODES,
  ...SIGNING_ERROR_CODES,
  ...TRUSTED_ROOT_ERROR_CODES,
  ...STORE_ERROR_CODES,
  ...VEX_ERROR_CODES,
  // Of the authority these two keep it from starting; the others answer requests.
  'authority.ca_certificate_mismatch',
  'authority.log_key_mismatch',
];

/** A scheduled job ends with what is wrong with a feed or with what a scanner wrote: refused. */
const OF_A_JOB: readonly string[] = [
  ...JSON_ISSUE_CODES,
  ...CATALOG_ISSUE_CODES,
  // Two of these are notes on a catalog that is kept.
  ...CATALOG_DOUBT_CODES.filter((code) => code !== 'kev.version_reused' && code !== 'kev.entry_future'),
  ...SCAN_FILE_CODES,
];

/** Throw sites whose exit no literal says; each was read. The key is file and expression. */
const COMPUTED: Readonly<Record<string, readonly number[]>> = {
  // What the bundle that was refused first ends with, see VERIFICATION_EXIT_CODES; or it is not the one asked for.
  'run-evidence/gathered-runs.ts exitCodeOf(firstRefusal)': [10, 12, 13, 20],
  'token-client/token-client.ts exitOfStatus(answer.status)': [EXIT.notAuthorized, EXIT.peerDown, EXIT.refused],
  // That of the first file: unreadable, too large or no scan.
  'commands/scan/import.ts first?.exitCode ?? EXIT.refused': [EXIT.usage, EXIT.refused],
};

/** Throw sites whose code no literal says; each was read. `[]` where the same error is thrown again. */
const COMPUTED_CODES: Readonly<Record<string, readonly string[]>> = {
  'run-evidence/run-evidence.ts error.code': [
    'evidence.too_large',
    'evidence.statement_malformed',
    'evidence.contradicts_certificate',
  ],
  'commands/review/kept-word.ts cause.code': [],
  'commands/kev/update.ts code': ['cli.catalog_refused', 'cli.catalog_invalid'],
};

const PROGRAM = 'packages/cli/src/';
const CODE = /^'([a-z_]+\.[a-z_0-9]+)'$/;

/** What every code of `codes` is answered with, by the code in `sources` (paths below `root`). */
export function answersOfCodes(
  root: string,
  sources: readonly string[],
  codes: Iterable<string>,
): Map<string, Answers> {
  const exits = new Map<string, Set<number>>();
  const statuses = new Map<string, Set<number>>();
  const add = (to: Map<string, Set<number>>, code: string, ...values: number[]) =>
    to.set(code, new Set([...(to.get(code) ?? []), ...values]));

  for (const code of THROWN) add(exits, code, exitCodeOf(Object.assign(new Error('test'), { code })));
  for (const code of OF_A_JOB) add(exits, code, EXIT.refused);
  for (const own of [VERIFICATION_EXIT_CODES, IMAGE_EXIT_CODES, LOG_EXIT_CODES]) {
    for (const [code, exit] of Object.entries(own)) add(exits, code, exit);
  }
  // The database is a peer where it is PostgreSQL.
  add(exits, 'store.unavailable', EXIT.peerDown);
  // What the evidence store answers with keeps its code in the program.
  for (const code of QUERY_ISSUE_CODES) add(exits, code, EXIT.usage);
  for (const code of [...EVIDENCE_ERROR_CODES, ...EVIDENCE_HTTP_CODES]) add(exits, code, EXIT.refused);
  for (const code of AUTHORITY_ERROR_CODES) {
    if (!exits.has(code)) add(statuses, code, refusalOf(new AuthorityError(code, 'test')).status);
  }
  for (const code of [...JSON_ISSUE_CODES, ...REQUEST_ISSUE_CODES]) {
    add(statuses, code, refuseIssues([{ path: '', code, message: 'test' }]).status);
  }
  for (const code of ISSUANCE_REFUSAL_CODES) add(statuses, code, 400);
  for (const code of QUERY_ISSUE_CODES) add(statuses, code, 400);

  for (const path of sources) {
    const text = readFileSync(join(root, path), 'utf8');
    if (path.startsWith(PROGRAM)) {
      for (const site of throwSites(text, 'CliError')) {
        const place = path.slice(PROGRAM.length);
        for (const [code, values] of programExits(place, site)) add(exits, code, ...values);
      }
    }
    for (const { code, status } of literalStatuses(text)) add(statuses, code, status);
    // Nothing but the start of a server throws these two classes by name.
    for (const kind of ['IssuerError', 'ServerError']) {
      for (const [first] of throwSites(text, kind)) {
        const code = CODE.exec(first ?? '')?.[1];
        if (code !== undefined) add(exits, code, exitCodeOf(Object.assign(new Error('test'), { code })));
      }
    }
  }
  const ascending = (of: Map<string, Set<number>>, code: string) => [...(of.get(code) ?? [])].sort((a, b) => a - b);
  return new Map(
    [...codes].sort().map((code) => [code, { exits: ascending(exits, code), statuses: ascending(statuses, code) }]),
  );
}

/** The arguments of every `new Kind(…)` in a source text. */
export function throwSites(source: string, kind: string): string[][] {
  return [...source.matchAll(new RegExp(`\\bnew ${kind}\\(`, 'g'))].map(({ index }) =>
    argumentsAt(source, index + `new ${kind}(`.length),
  );
}

/** The texts between the commas of a call, from behind its opening parenthesis. */
function argumentsAt(source: string, start: number): string[] {
  const found: string[] = [];
  let depth = 0;
  let from = start;
  let quote = '';
  for (let i = start; i < source.length; i += 1) {
    const char = source[i]!;
    if (quote !== '') {
      if (char === '\\') i += 1;
      else if (char === quote) quote = '';
    } else if (`'"\``.includes(char)) quote = char;
    else if ('([{'.includes(char)) depth += 1;
    else if (depth === 0 && ',)'.includes(char)) {
      const text = source.slice(from, i).trim();
      if (text !== '') found.push(text);
      if (char === ')') return found;
      from = i + 1;
    } else if (')]}'.includes(char)) depth -= 1;
  }
  throw new Error('a call without its end');
}

function programExits(
  place: string,
  [first = '', , third = 'EXIT.usage']: string[],
): Array<[string, readonly number[]]> {
  const literal = CODE.exec(first)?.[1];
  const codes = literal === undefined ? COMPUTED_CODES[`${place} ${first}`] : [literal];
  // What a server said: the exits are above.
  if (place === 'evidence-client/evidence-client.ts' && first === 'known') return [['cli.evidence_refused', [20]]];
  if (codes === undefined) throw new Error(`${place}: nobody has said which code ${first} is`);
  if (codes.length === 0) return [];
  const names = [...third.matchAll(/\bEXIT\.(\w+)/g)].map(([, name]) => EXIT[name as keyof typeof EXIT]);
  const values = COMPUTED[`${place} ${third}`] ?? (/^(?:[\w!]+ \? EXIT\.\w+ : )?EXIT\.\w+$/.test(third) ? names : []);
  if (values.length === 0) throw new Error(`${place}: nobody has said which exit ${third} is`);
  return codes.map((code) => [code, values]);
}

const STATUS_FORMS: readonly RegExp[] = [
  // A refusal of the token endpoint, a problem document.
  /\bstatus:\s*(?<status>\d{3}),[^{}]*?\bcode:\s*'(?<code>[a-z_]+\.[a-z_0-9]+)'/g,
  // The functions that send a problem.
  /\bsendProblem\(reply, (?<status>\d{3}), \{\s*code:\s*'(?<code>[a-z_]+\.[a-z_0-9]+)'/g,
  /\bproblem\(reply, (?<status>\d{3}), '[^']*', '(?<code>[a-z_]+\.[a-z_0-9]+)'/g,
  // A table from code to status.
  /^ {2}'(?<code>evidence\.[a-z_]+)': (?<status>\d{3}),$/gm,
];

function literalStatuses(source: string): Array<{ code: string; status: number }> {
  const found = STATUS_FORMS.flatMap((form) => [...source.matchAll(form)]).map(({ groups }) => ({
    code: groups!['code']!,
    status: Number(groups!['status']),
  }));
  // The guard's other refusals, and errors that carry a status for whichever API they end in.
  for (const [, code] of source.matchAll(/\brefuse\('(server\.[a-z_]+)'/g)) found.push({ code: code!, status: 403 });
  for (const [, status, code] of source.matchAll(
    /\breadonly statusCode = (\d{3});[^}]*?super\(\s*'(server\.[a-z_]+)'/g,
  ))
    found.push({ code: code!, status: Number(status) });
  return found;
}
