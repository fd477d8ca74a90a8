import type { Issue } from '@colophon/json';
import type { Place } from '../read/place.ts';
import { parseVexBytes, readVexValue, vexFamilyOf } from '../read/read-vex-document.ts';
import type { VexDocument, VexFamily, VexProfile } from '../vex-document/vex-document.ts';
import { compareTimes } from '../vex-time/vex-time.ts';
import { OPENVEX_DOCUMENT, SPEC_DOCUMENT } from './openvex-rules.ts';
import { checkStatements, type StatementRules } from './statement-rules.ts';
import { type VexFault, VexFaults } from './vex-fault.ts';

/**
 * How a document is validated. Without a profile, each family by its own rules: OpenVEX strictly, CycloneDX, CSAF.
 * `at` is the time that it is, as RFC 3339 in UTC; without it nothing is in the future.
 */
export type VexValidation = { readonly profile?: VexProfile; readonly at?: string };

/** What is to be said of a document, errors first, and the document where it can be read. */
export type VexReport = {
  readonly valid: boolean;
  readonly shape?: VexFamily;
  readonly issues: readonly VexFault[];
  readonly document?: VexDocument;
};

/**
 * Holds a VEX document against the members that its profile allows, and against the rules for statements: what a status
 * needs and cannot have, times, package URLs, and statements that contradict each other. CycloneDX and CSAF have schemas
 * of their own, which are not asked here.
 * @see contract §2.6, §3; docs/vex.md
 */
export function validateVexDocument(bytes: Uint8Array, validation: VexValidation = {}): VexReport {
  const faults = new VexFaults();
  const parsed = parseVexBytes(bytes, 'refused');
  if (!parsed.ok) return refused(faults, parsed.issues);
  const shape = vexFamilyOf(parsed.value);
  const { result, places } = readVexValue(parsed.value);
  if (shape === undefined) return refused(faults, result.ok ? [] : result.issues);
  const { profile = shape === 'csaf' ? undefined : shape, at } = validation;
  if (profile !== undefined && FAMILY[profile] !== shape) return { ...refused(faults, [otherFamily(shape)]), shape };
  if (profile === 'openvex') OPENVEX_DOCUMENT(parsed.value, undefined, { faults, at });
  if (profile === 'spec') SPEC_DOCUMENT(parsed.value, undefined, { faults, at });
  if (result.ok) {
    const document = result.value;
    const rules = profile === undefined ? RULES.csaf : RULES[profile];
    checkStatements(document.statements, places, rules, faults);
    if (shape !== 'openvex') {
      checkFuture(document, places, at, faults);
      for (const { path, code, message, place_count } of document.notes ?? [])
        faults.add('note', path, { code, message: place_count === 1 ? message : `${message} (${place_count} places)` });
    } else if (document.shape === 'spec' && profile === 'openvex') faults.add('note', '', CONTRACT_SHAPE);
  } else if (!faults.hasErrors) addAll(faults, result.issues);
  const issues = faults.list();
  return { valid: !faults.hasErrors, shape, issues, ...(result.ok && { document: result.value }) };
}

const FAMILY: Readonly<Record<VexProfile, VexFamily>> = { openvex: 'openvex', spec: 'openvex', cyclonedx: 'cyclonedx' };

const RULES: Readonly<Record<VexProfile | 'csaf', StatementRules>> = {
  openvex: { impact: 'impact_statement', action: 'action_statement', lacking: 'error' },
  spec: { impact: 'details', action: 'details', lacking: 'error' },
  // Their own standards leave these open.
  cyclonedx: { impact: 'analysis/detail', action: 'recommendation', lacking: 'warning' },
  csaf: { impact: 'threats', action: 'remediations', lacking: 'warning' },
};

const CONTRACT_SHAPE = {
  code: 'vex.read_as',
  message: "This is the contract's own shape, in which other tools find no statement.",
  expected: '--shape spec, or OpenVEX: colophon vex convert --to openvex',
};

function otherFamily(shape: VexFamily): Issue {
  const name = { openvex: 'OpenVEX', cyclonedx: 'CycloneDX', csaf: 'CSAF' }[shape];
  const message = `This is ${name}, and \`--shape\` names another format.`;
  return { path: '', code: 'vex.not_vex', message, expected: 'the shape of this format, or no --shape' };
}

function checkFuture(
  { timestamp, statements }: VexDocument,
  places: readonly Place[],
  at: string | undefined,
  faults: VexFaults,
): void {
  if (at === undefined) return;
  const isLater = (time: string | undefined) => time !== undefined && compareTimes(time, at) > 0;
  const fault = (time: string) => ({ code: 'vex.timestamp_future', message: `${time} is in the future: it is ${at}.` });
  if (timestamp !== undefined && isLater(timestamp)) faults.add('error', '', fault(timestamp));
  else
    statements.forEach((one, index) => {
      if (isLater(one.timestamp)) faults.add('error', places[index], fault(one.timestamp));
    });
}

function refused(faults: VexFaults, issues: readonly Issue[]): VexReport {
  addAll(faults, issues);
  return { valid: false, issues: faults.list() };
}

function addAll(faults: VexFaults, issues: readonly Issue[]): void {
  for (const { path, ...issue } of issues) faults.add('error', path, issue);
}
