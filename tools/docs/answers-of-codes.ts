import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClusterError } from '../../packages/admission/cluster/src/index.ts';
import { EvidenceClientError } from '../../packages/admission/evidence/src/client-error/client-error.ts';
import { EvidenceError } from '../../packages/admission/evidence/src/evidence-error/evidence-error.ts';
import { QUERY_ISSUE_CODES } from '../../packages/admission/evidence/src/query/query-issue.ts';
import { PackError } from '../../packages/admission/gate/src/pack/pack-error.ts';
import { GenerateError } from '../../packages/admission/policy/src/generate/generate-error.ts';
import { WebhookError } from '../../packages/admission/webhook/src/webhook-error/webhook-error.ts';
import { ScratchError } from '../../packages/base/durable-file/src/scratch-error/scratch-error.ts';
import type { Kind } from '../../packages/base/fault/src/index.ts';
import { JSON_ISSUE_CODES } from '../../packages/base/json/src/strict-json/json-issue.ts';
import { PeerError } from '../../packages/base/peer/src/peer-error/peer-error.ts';
import { StoreError } from '../../packages/base/store/src/store-error/store-error.ts';
import { ForgeError } from '../../packages/contents/forge/src/forge-error/forge-error.ts';
import { GeneratorError } from '../../packages/contents/generators/src/generator-error/generator-error.ts';
import { ComparisonError } from '../../packages/contents/grammars/src/comparison-error/comparison-error.ts';
import { GrammarError } from '../../packages/contents/grammars/src/grammar-error/grammar-error.ts';
import { DashboardError } from '../../packages/contents/publishing/src/dashboard-error/dashboard-error.ts';
import { PublishingError } from '../../packages/contents/publishing/src/publication-rules/publishing-error.ts';
import { SourceError } from '../../packages/contents/source-packages/src/source-error/source-error.ts';
import { REQUEST_ISSUE_CODES } from '../../packages/contract/records/src/index.ts';
import {
  AuthorityError,
  type AuthorityErrorCode,
} from '../../packages/identity/authority/src/authority-error/authority-error.ts';
import { refusalOf } from '../../packages/identity/authority/src/http/http-status.ts';
import { ISSUANCE_REFUSAL_CODES } from '../../packages/identity/issuance/src/claim-decision/issuance-refusal.ts';
import { CallerError } from '../../packages/identity/issuer/src/caller-error/caller-error.ts';
import { IssuerError } from '../../packages/identity/issuer/src/issuer-error/issuer-error.ts';
import { ErasureError } from '../../packages/identity/issuer/src/token-erasure/erasure-error.ts';
import { refuseIssues } from '../../packages/identity/issuer/src/token-refusal/token-refusal.ts';
import { LoginError } from '../../packages/identity/oidc/src/login/login-error.ts';
import { TokenRequestError } from '../../packages/identity/oidc/src/token-request/token-request-error.ts';
import { ReconciliationError } from '../../packages/identity/reconciliation/src/reconciliation-error/reconciliation-error.ts';
import { SetupError } from '../../packages/identity/setup/src/setup-error/setup-error.ts';
import { WitnessError } from '../../packages/identity/witness/src/witness-error/witness-error.ts';
import { CliError } from '../../packages/program/cli/src/cli-error/cli-error.ts';
import { EXIT_OF_KIND } from '../../packages/program/cli/src/exit-code/exit-code.ts';
import { ServerError } from '../../packages/program/server/src/server-error/server-error.ts';
import { KeyError } from '../../packages/signing/keys/src/key-error/key-error.ts';
import { OpenPgpError } from '../../packages/signing/openpgp/src/openpgp-error/openpgp-error.ts';
import { PinError } from '../../packages/signing/pins/src/pin-error/pin-error.ts';
import { SignatureError } from '../../packages/signing/signers/src/signature-error/signature-error.ts';
import {
  IdentityPolicyError,
  ImageSignatureError,
  InspectionError,
  LogError,
  RegistryError,
  SigningError,
  TrustedRootError,
  VerificationError,
} from '../../packages/signing/sigstore/src/index.ts';
import { CatalogError } from '../../packages/vulnerabilities/catalogs/src/catalog-error/catalog-error.ts';
import { CATALOG_DOUBT_CODES } from '../../packages/vulnerabilities/findings/src/known-exploited/accept-catalog.ts';
import { CATALOG_ISSUE_CODES } from '../../packages/vulnerabilities/findings/src/known-exploited/catalog-issue.ts';
import { RemediationError } from '../../packages/vulnerabilities/remediation/src/desk/remediation-error.ts';
import { ReportError } from '../../packages/vulnerabilities/remediation/src/report-folder/report-error.ts';
import { ScannerError } from '../../packages/vulnerabilities/scanners/src/scanner-error/scanner-error.ts';
import { SCAN_FILE_CODES } from '../../packages/vulnerabilities/scanners/src/scanner-output/scan-issue.ts';
import { VexError } from '../../packages/vulnerabilities/vex/src/vex-error/vex-error.ts';

/** How a code may end the program, and with which status it may be answered over HTTP; both in ascending order. */
export type Answers = { readonly exits: readonly number[]; readonly statuses: readonly number[] };

/** Errors that are thrown and reach the program as they are. */
const THROWN: ReadonlyArray<{ readonly codes: readonly string[]; readonly kindOf: (code: never) => Kind }> = [
  CatalogError,
  ClusterError,
  DashboardError,
  SetupError,
  ForgeError,
  ComparisonError,
  GenerateError,
  GeneratorError,
  GrammarError,
  IdentityPolicyError,
  ImageSignatureError,
  InspectionError,
  KeyError,
  LogError,
  LoginError,
  OpenPgpError,
  PackError,
  PeerError,
  PinError,
  PublishingError,
  ReconciliationError,
  RegistryError,
  RemediationError,
  ReportError,
  ScannerError,
  ScratchError,
  SignatureError,
  SigningError,
  SourceError,
  StoreError,
  TokenRequestError,
  TrustedRootError,
  VerificationError,
  VexError,
  WebhookError,
];

/** What `run` and `witness serve` end with; with the others a witness answers. */
const OF_THE_RUN: readonly string[] = ['witness.not_isolated', 'witness.unavailable', 'witness.refused'];

/** Of the classes that answer requests: what keeps a server from starting. */
const AT_START: readonly AuthorityErrorCode[] = ['authority.ca_certificate_mismatch', 'authority.log_key_mismatch'];

/** A scheduled job ends with what is wrong with a feed or with what a scanner wrote: refused. */
const OF_A_JOB: readonly string[] = [
  ...JSON_ISSUE_CODES,
  ...CATALOG_ISSUE_CODES,
  // Two of these are notes on a catalog that is kept.
  ...CATALOG_DOUBT_CODES.filter((code) => code !== 'kev.version_reused' && code !== 'kev.entry_future'),
  ...SCAN_FILE_CODES,
];

/** Throw sites whose kind no literal says; each was read. The key is file and expression. */
const COMPUTED: Readonly<Record<string, readonly Kind[]>> = {
  // What the bundle that was refused first ends with, see VerificationError; or it is not the one asked for.
  "evidence/src/gather/gather-runs.ts kindOf(firstRefusal.error) ?? 'machine'": [
    'nothing',
    'mismatch',
    'untrusted',
    'refused',
  ],
  // That of the first file: unreadable, too large or no scan.
  "cli/src/commands/scan/import.ts first?.kind ?? 'refused'": ['usage', 'refused'],
};

/** Throw sites whose code no literal says; each was read. `[]` where the same error is thrown again. */
const COMPUTED_CODES: Readonly<Record<string, readonly string[]>> = {
  'evidence/src/gather/verified-run.ts error.code': [
    'evidence.too_large',
    'evidence.statement_malformed',
    'evidence.contradicts_certificate',
  ],
  'cli/src/commands/review/kept-word.ts cause.code': [],
  'cli/src/commands/kev/update.ts code': ['cli.catalog_refused', 'cli.catalog_invalid'],
};

/** Classes of which every throw site is read, since one code ends the program in several ways. */
const READ_AT_SITES = { CliError, EvidenceClientError } as const;
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

  for (const { codes: own, kindOf } of THROWN) {
    for (const code of own) add(exits, code, EXIT_OF_KIND[kindOf(code as never)]);
  }
  for (const code of AT_START) add(exits, code, EXIT_OF_KIND[AuthorityError.kindOf(code)]);
  for (const code of OF_A_JOB) add(exits, code, EXIT_OF_KIND.refused);
  // By the status that the issuer answered with.
  for (const kind of ['unauthorized', 'peer'] as const) add(exits, 'issuer.refused', EXIT_OF_KIND[kind]);
  // The database is a peer where it is PostgreSQL.
  add(exits, 'store.unavailable', EXIT_OF_KIND.peer);
  // What the evidence store answers with keeps its code in the program.
  for (const code of QUERY_ISSUE_CODES) add(exits, code, EXIT_OF_KIND.usage);
  for (const code of EvidenceError.codes) add(exits, code, EXIT_OF_KIND.refused);
  for (const code of AuthorityError.codes) {
    if (!exits.has(code)) add(statuses, code, refusalOf(new AuthorityError(code, 'test')).status);
  }
  for (const code of [...JSON_ISSUE_CODES, ...REQUEST_ISSUE_CODES]) {
    add(statuses, code, refuseIssues([{ path: '', code, message: 'test' }]).status);
  }
  for (const code of ISSUANCE_REFUSAL_CODES) add(statuses, code, 400);
  for (const code of WitnessError.codes) {
    if (OF_THE_RUN.includes(code)) add(exits, code, EXIT_OF_KIND[WitnessError.kindOf(code)]);
    else add(statuses, code, WitnessError.statusOf(code));
  }
  for (const code of QUERY_ISSUE_CODES) add(statuses, code, 400);
  for (const code of EvidenceError.codes) add(statuses, code, EvidenceError.statusOf(code));
  // What a request's caller is refused with; the other codes of the class are the commands' own.
  for (const code of CallerError.codes) {
    const isOfARequest = ['unauthorized', 'peer'].includes(CallerError.kindOf(code));
    if (isOfARequest || code === 'caller.several_credentials') add(statuses, code, CallerError.statusOf(code));
  }
  add(statuses, 'store.unavailable', StoreError.statusOf('store.unavailable'));

  for (const path of sources) {
    const text = readFileSync(join(root, path), 'utf8');
    for (const [name, kind] of Object.entries(READ_AT_SITES)) {
      for (const site of throwSites(text, name)) {
        for (const [code, values] of exitsAt(path.slice(path.search(/[^/]+\/src\//)), site, kind))
          add(exits, code, ...values);
      }
    }
    for (const { code, status } of answeredStatuses(text)) add(statuses, code, status);
    // Nothing but the start of a server throws two of these classes by name, and the commands about callers and erasures the others.
    for (const [name, { kindOf }] of Object.entries({ IssuerError, ServerError, CallerError, ErasureError })) {
      for (const [first] of throwSites(text, name)) {
        const code = CODE.exec(first ?? '')?.[1];
        if (code !== undefined) add(exits, code, EXIT_OF_KIND[kindOf(code as never)]);
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

const ANY_KIND = Object.keys(EXIT_OF_KIND).join('|');
const LITERAL_KIND = new RegExp(`\\bkind: (?:\\w+ \\? '(${ANY_KIND})' : )?'(${ANY_KIND})'`);

function exitsAt(
  place: string,
  [first = '', , details = '']: string[],
  { kindOf }: { kindOf(code: never): Kind },
): Array<[string, readonly number[]]> {
  const literal = CODE.exec(first)?.[1];
  const codes = literal === undefined ? COMPUTED_CODES[`${place} ${first}`] : [literal];
  // What a server said: the exits are above.
  if (place === 'evidence/src/client/evidence-client.ts' && first === 'known') return [['evidence.refused', [20]]];
  if (codes === undefined) throw new Error(`${place}: nobody has said which code ${first} is`);
  const said = (/\bkind: ([^{}]+?)(?:,\s*)?\}$/.exec(details)?.[1] ?? /\bkind: ([^,{}]+),/.exec(details)?.[1])?.trim();
  return codes.map((code) => {
    if (said === undefined) return [code, [EXIT_OF_KIND[kindOf(code as never)]]];
    const literals = LITERAL_KIND.exec(`kind: ${said}`)
      ?.slice(1)
      .filter((one) => one !== undefined) as Kind[] | undefined;
    const kinds = COMPUTED[`${place} ${said}`] ?? literals ?? [];
    if (kinds.length === 0) throw new Error(`${place}: nobody has said of which kind ${said} is`);
    return [code, kinds.map((kind) => EXIT_OF_KIND[kind])];
  });
}

/** What answers a request with a code of the issuer or of the server: the code alone, and its class says the status. */
const ANSWERING =
  /\b(?:refusedWith|refuse|statusOf|problem)\((?:reply, )?(?:'[A-Z][\w ]*', )?'(?<code>(?:issuer|server)\.[a-z_]+)'/g;
/** A status of one case alone, see the loopback guard. */
const OF_ITS_OWN = /\bstatus:\s*(?<status>\d{3}),\s*code:\s*'(?<code>[a-z_]+\.[a-z_0-9]+)'/g;

function answeredStatuses(source: string): Array<{ code: string; status: number }> {
  const declared = [...source.matchAll(ANSWERING)].map(({ groups }) => {
    const code = groups!['code']!;
    const kind = code.startsWith('issuer.') ? IssuerError : ServerError;
    return { code, status: kind.statusOf(code as never) };
  });
  const own = [...source.matchAll(OF_ITS_OWN)].map(({ groups }) => ({
    code: groups!['code']!,
    status: Number(groups!['status']),
  }));
  return [...declared, ...own];
}
