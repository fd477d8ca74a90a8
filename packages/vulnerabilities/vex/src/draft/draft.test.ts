import { VEX_JUSTIFICATIONS } from '@colophon/records';
import { anyText } from '@colophon/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchStatements } from '../match/match-statements.ts';
import type { VexStatement } from '../vex-document/vex-document.ts';
import { acceptDraft, DRAFT_LABEL, draftStatement, isDraft, type Proposal, proposalOf } from './draft-statement.ts';
import { type CodeSighting, draftVendored, MOST_CONTAINED, type VendoredEvidence } from './draft-vendored.ts';

const AT = '2026-11-21T12:00:00Z';
const LATER = '2026-11-22T12:00:00Z';
const PROPOSAL: Proposal = {
  status: 'not_affected',
  justification: 'vulnerable_code_not_present',
  impact_statement: 'the function is not there',
  evidence: ['looked'],
};
const ABOUT = { vulnerability: { name: 'CVE-2026-1' }, products: [{ id: 'pkg:npm/app@1' }], timestamp: AT };
const draft = draftStatement(ABOUT, PROPOSAL);

describe('a draft', () => {
  test('suppresses nothing, and says that it is one', () => {
    const finding = { id: 'CVE-2026-1', aliases: [], component: { name: 'app', purl: 'pkg:npm/app@1' } };
    const { decisions } = matchStatements([finding], [{ shape: 'openvex', statements: [draft] }]);
    expect(decisions[0]).toMatchObject({ status: 'under_investigation', isSuppressed: false });
    expect(isDraft(draft)).toBe(true);
    expect(draft.status_notes).toMatch(/^colophon-draft\/v1 \(proposed by a machine; a person has to decide\): \{/);
    expect(draft.justification).toBeUndefined();
  });

  test('becomes what it proposes, at the time of whoever accepts it', () => {
    expect(acceptDraft(draft, LATER)).toEqual({
      ...ABOUT,
      timestamp: LATER,
      status: 'not_affected',
      justification: 'vulnerable_code_not_present',
      impact_statement: 'the function is not there',
    });
  });

  test('is not what anybody else says', () => {
    const said: VexStatement = { ...ABOUT, status: 'under_investigation', status_notes: `see ${DRAFT_LABEL}` };
    expect(isDraft(said)).toBe(false);
    expect(acceptDraft(said, LATER)).toBe(said);
  });

  test.each<[string, Partial<VexStatement>]>([
    ['without what it proposes', { status_notes: DRAFT_LABEL }],
    ['cut off', { status_notes: draft.status_notes!.slice(0, -5) }],
    ['with text behind it', { status_notes: `${draft.status_notes} yes` }],
    [
      'that proposes another status',
      { status_notes: `${DRAFT_LABEL} ${JSON.stringify({ ...PROPOSAL, status: 'fixed' })}` },
    ],
    [
      'with a justification of its own',
      { status_notes: `${DRAFT_LABEL} ${JSON.stringify({ ...PROPOSAL, justification: 'trust me' })}` },
    ],
    [
      'with evidence that is none',
      { status_notes: `${DRAFT_LABEL} ${JSON.stringify({ ...PROPOSAL, evidence: [1] })}` },
    ],
    ['that is no object', { status_notes: `${DRAFT_LABEL} null` }],
    ['whose status was changed by hand', { status: 'affected', action_statement: 'update' }],
  ])('%s is still labelled one, and accepted by nobody', (_what, change) => {
    const broken = { ...draft, ...change };
    expect(isDraft(broken)).toBe(true);
    expect(proposalOf(broken)).toBeUndefined();
    expect(acceptDraft(broken, LATER)).toBe(broken);
  });

  test('says again what it was given, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...VEX_JUSTIFICATIONS),
        anyText(),
        fc.array(anyText()),
        (justification, impact_statement, evidence) => {
          const proposal: Proposal = { status: 'not_affected', justification, impact_statement, evidence };
          expect(proposalOf(draftStatement(ABOUT, proposal))).toEqual(proposal);
        },
      ),
    );
  });
});

describe('of vendored code', () => {
  const sighting = (changes: Partial<CodeSighting> = {}): CodeSighting => ({
    code: 'vulnerable.js',
    file: 'src/shares.js',
    contained: 0.03,
    score: 0.12,
    isTooSmall: false,
    ...changes,
  });
  const evidence = (changes: Partial<VendoredEvidence> = {}): VendoredEvidence => ({
    ref: 'vendored:src/shares.js',
    hashes: { 'sha-256': 'a'.repeat(64) },
    source: 'pkg:npm/fair-split@2.1.0',
    files: ['src/shares.js'],
    sightings: [sighting()],
    unread: [],
    ...changes,
  });
  const about = { vulnerability: { name: 'CVE-2026-1' }, product: { id: 'pkg:npm/shop@1' }, at: AT };
  const refusal = (changes: Partial<VendoredEvidence>) => {
    try {
      return draftVendored(evidence(changes), about);
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  test('is drafted where nothing of the vulnerable code is found', () => {
    const statement = draftVendored(evidence(), about);
    expect(statement.products).toEqual([
      {
        id: 'pkg:npm/shop@1',
        subcomponents: [{ id: 'vendored:src/shares.js', hashes: { 'sha-256': 'a'.repeat(64) } }],
      },
    ]);
    expect(statement.status).toBe('under_investigation');
    expect(proposalOf(statement)).toMatchObject({
      justification: 'vulnerable_code_not_present',
      evidence: ['3 % of vulnerable.js stands in src/shares.js, likeness 0.12'],
    });
  });

  test.each<[string, Partial<VendoredEvidence>, string]>([
    [
      'some of it is there',
      { sightings: [sighting(), sighting({ contained: MOST_CONTAINED + 0.01 })] },
      'vex.draft_code_present',
    ],
    ['something like it is there', { sightings: [sighting({ score: 0.51 })] }, 'vex.draft_code_present'],
    ['it is there and small', { sightings: [sighting({ contained: 1, isTooSmall: true })] }, 'vex.draft_code_present'],
    [
      'a piece is too small to tell',
      { sightings: [sighting(), sighting({ isTooSmall: true })] },
      'vex.draft_cannot_tell',
    ],
    ['a file was not read', { unread: ['src/b.wasm'] }, 'vex.draft_cannot_tell'],
    ['nothing was compared with it', { sightings: [] }, 'vex.draft_cannot_tell'],
  ])('is not drafted where %s', (_why, changes, code) => {
    expect(refusal(changes)).toBe(code);
  });

  test('is drafted at the very limits', () => {
    expect(refusal({ sightings: [sighting({ contained: MOST_CONTAINED, score: 0.5 })] })).toMatchObject({
      status: 'under_investigation',
    });
  });
});
