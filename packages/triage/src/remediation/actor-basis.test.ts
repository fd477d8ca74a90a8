import { expect, test } from 'vitest';
import { actorBasis } from './actor-basis.ts';
import type { RemediationEvent, RemediationRecord } from './remediation-record.ts';

const event = (action: RemediationEvent['action'], by = 'dana@example.com'): RemediationEvent => ({
  at: '2026-11-20T10:00:00Z',
  by,
  action,
  changes: {},
});

function bases(signer: string | undefined, ...history: RemediationEvent[]) {
  const closing_signature = signer === undefined ? null : { bundle: `sha256:${'0'.repeat(64)}`, signer };
  const record = { closing_signature, history } as unknown as RemediationRecord;
  return history.map((one) => actorBasis(record, one));
}

test('a name is declared, but for the one who signed the record as it was closed', () => {
  expect(bases('reviewer:dana@example.com', event('opened'), event('updated'), event('closed'))).toEqual([
    'declared',
    'declared',
    'signed',
  ]);
});

test('a signature says nothing of an earlier closing', () => {
  expect(bases('reviewer:dana@example.com', event('closed'), event('reopened'), event('closed'))).toEqual([
    'declared',
    'declared',
    'signed',
  ]);
});

test.each([[undefined], ['reviewer:erin@example.com'], ['agent:dana@example.com'], ['dana@example.com'], ['a key']])(
  'closed with a signature of %s, the name is declared',
  (signer) => {
    expect(bases(signer, event('closed'))).toEqual(['declared']);
  },
);

test('the program is nobody', () => {
  expect(bases('reviewer:colophon', event('opened', 'colophon'), event('closed', 'colophon'))).toEqual([
    undefined,
    undefined,
  ]);
});
