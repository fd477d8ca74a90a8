import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADMISSION_REASON_CODES, POLICY_ISSUE_CODES } from '@colophon/admission';
import { AUTHORITY_ERROR_CODES } from '@colophon/authority';
import { EVIDENCE_ERROR_CODES, EVIDENCE_HTTP_CODES, QUERY_ISSUE_CODES } from '@colophon/evidence';
import { FEEDS_ERROR_CODES, SCAN_ENTRY_CODES, SCAN_FILE_CODES } from '@colophon/feeds';
import { FORGE_ERROR_CODES } from '@colophon/forge';
import { GRAMMAR_ERROR_CODES } from '@colophon/grammars';
import { ISSUER_ERROR_CODES, LEDGER_PROBLEM_CODES } from '@colophon/issuer';
import { JSON_ISSUE_CODES } from '@colophon/json';
import { OPENPGP_ERROR_CODES } from '@colophon/openpgp';
import { REMEDIATION_DESK_CODES } from '@colophon/remediation';
import {
  AGENT_TRACE_CODES,
  ATTRIBUTION_COMMENT_CODES,
  GIT_AI_CODES,
  PUBLISHING_ERROR_CODES,
  UNFIXED_CODES,
} from '@colophon/sbom';
import { SERVER_ERROR_CODES } from '@colophon/server';
import {
  IDENTITY_POLICY_ERROR_CODES,
  IMAGE_EXIT_CODES,
  IMAGE_SIGNATURE_ERROR_CODES,
  INSPECTION_ERROR_CODES,
  LOG_ERROR_CODES,
  LOG_EXIT_CODES,
  REGISTRY_ERROR_CODES,
  SIGNING_ERROR_CODES,
  TRUSTED_ROOT_ERROR_CODES,
  VERIFICATION_ERROR_CODES,
  VERIFICATION_EXIT_CODES,
} from '@colophon/sigstore';
import { STORE_ERROR_CODES } from '@colophon/store';
import {
  CATALOG_DOUBT_CODES,
  CATALOG_ISSUE_CODES,
  REMEDIATION_CODES,
  REPORT_DIFFERENCE_CODES,
  REPORT_ISSUE_CODES,
  UNMATCHED_CODES,
  VEX_ERROR_CODES,
  VEX_ISSUE_CODES,
  VEX_NOTE_CODES,
  VEX_RULE_CODES,
} from '@colophon/triage';
import { describe, expect, test } from 'vitest';
import { CLI_ERROR_CODES } from '../cli-error/cli-error.ts';
import { EXIT } from './exit-code.ts';
import { exitOfCode } from './exit-of-code.ts';

/** Errors of the packages below carry one of these, and by it alone the program knows how to end. */
const BY_CODE = [
  ...CATALOG_ISSUE_CODES,
  ...CATALOG_DOUBT_CODES,
  ...JSON_ISSUE_CODES,
  ...REMEDIATION_CODES,
  ...REMEDIATION_DESK_CODES,
  ...FORGE_ERROR_CODES,
  ...IDENTITY_POLICY_ERROR_CODES,
  ...INSPECTION_ERROR_CODES,
  ...REGISTRY_ERROR_CODES,
  ...SIGNING_ERROR_CODES,
  ...TRUSTED_ROOT_ERROR_CODES,
  ...SERVER_ERROR_CODES,
  ...STORE_ERROR_CODES,
  ...ISSUER_ERROR_CODES,
  ...AUTHORITY_ERROR_CODES,
  ...QUERY_ISSUE_CODES,
  ...FEEDS_ERROR_CODES,
  ...GRAMMAR_ERROR_CODES,
  ...PUBLISHING_ERROR_CODES,
  ...OPENPGP_ERROR_CODES,
  ...VEX_ERROR_CODES,
];
/** These say it themselves. */
const BY_THEMSELVES = { ...VERIFICATION_EXIT_CODES, ...IMAGE_EXIT_CODES, ...LOG_EXIT_CODES };
const SELF_SAID = [...VERIFICATION_ERROR_CODES, ...IMAGE_SIGNATURE_ERROR_CODES, ...LOG_ERROR_CODES];
/** These end no program: they are one of several findings, or came over HTTP and are told by the client's own code. */
const NEVER_THROWN = [
  ...ATTRIBUTION_COMMENT_CODES,
  ...UNFIXED_CODES,
  ...GIT_AI_CODES,
  ...AGENT_TRACE_CODES,
  ...ADMISSION_REASON_CODES,
  ...UNMATCHED_CODES,
  ...VEX_ISSUE_CODES,
  ...VEX_NOTE_CODES,
  ...VEX_RULE_CODES,
  ...POLICY_ISSUE_CODES,
  ...LEDGER_PROBLEM_CODES,
  ...EVIDENCE_ERROR_CODES,
  ...EVIDENCE_HTTP_CODES,
  ...REPORT_ISSUE_CODES,
  ...REPORT_DIFFERENCE_CODES,
  ...SCAN_FILE_CODES,
  ...SCAN_ENTRY_CODES,
];

/** Of those the one that a command throws too, with its own exit: `sbom attribute` holds a bundle against it itself. */
const THROWN_WITH_EXIT = 'evidence.contradicts_certificate';

/** 2 says that this machine or a program on it failed; these are the ones that may. */
const MACHINE =
  /^(?:forge|(?:server|store|key|issuer|authority)\.|publishing\.target_unusable$|grammar\.unavailable$|feeds\.(?:generator|scanner)_(?:failed|timeout|output)$)/;

test.each(BY_CODE)('somebody has decided how %s ends the program', (code) => {
  const exitCode = exitOfCode(code);
  expect(Object.values(EXIT)).toContain(exitCode);
  expect(exitCode).not.toBe(EXIT.ok);
  if (!MACHINE.test(code)) expect(exitCode).not.toBe(EXIT.internal);
});

test.each(SELF_SAID)('%s says itself how it ends the program', (code) => {
  const exitCode = BY_THEMSELVES[code as keyof typeof BY_THEMSELVES];
  expect(Object.values(EXIT)).toContain(exitCode);
  expect([EXIT.ok, EXIT.internal]).not.toContain(exitCode);
});

describe('the page of error codes', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/errors.md'), 'utf8');
  const exits = new Map(
    [...page.matchAll(/^\| `([a-z_]+\.[a-z_0-9]+)` \|[^|]*\|([^|]*)\|/gm)].map(([, code, where]) => [
      code as string,
      [...(where as string).matchAll(/exit (\d+)|or (\d+)|, (\d+)/g)].map((found) =>
        Number(found[1] ?? found[2] ?? found[3]),
      ),
    ]),
  );

  test('has every code that can end the program, and every exit it can end with', () => {
    for (const code of BY_CODE) expect(`${code} ${exits.has(code)}`).toBe(`${code} true`);
    for (const code of CLI_ERROR_CODES) expect(`${code} ${exits.get(code)!.length > 0}`).toBe(`${code} true`);
    const known = new Set<number>(Object.values(EXIT));
    for (const [code, all] of exits) {
      for (const exit of all.filter((number) => number < 100))
        expect(`${code} ${known.has(exit)}`).toBe(`${code} true`);
    }
  });

  test('gives no exit to what never ends the program', () => {
    for (const code of NEVER_THROWN.filter((one) => !one.startsWith('policy.') && one !== THROWN_WITH_EXIT)) {
      expect(`${code} ${exits.get(code)?.filter((number) => number < 100) ?? []}`).toBe(`${code} `);
    }
  });
});
