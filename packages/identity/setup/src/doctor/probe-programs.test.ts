import { expect, test } from 'vitest';
import { probePrograms } from './probe-programs.ts';

const OWN = { colophon: '0.1.0', node: 'v26.10.0' };

test.each([
  [{ ...OWN }, 'ok'],
  [{ ...OWN, cosign: 'v3.1.3' }, 'ok'],
  [{ ...OWN, cosign: 'v3.0.0' }, 'ok'],
  [{ ...OWN, cosign: 'v2.6.1' }, 'fault'],
  [{ ...OWN, cosign: 'v10.0.0', gitsign: 'v0.14.0' }, 'ok'],
  [{ ...OWN, gitsign: 'v0.13.0' }, 'fault'],
  // What names no version may be anything.
  [{ ...OWN, cosign: 'devel' }, 'ok'],
])('%j: %s', (versions, state) => {
  const [finding] = probePrograms(versions);
  expect(finding?.state).toBe(state);
  if (state === 'ok') for (const version of Object.values(versions)) expect(finding?.message).toContain(version);
  else expect(finding).toMatchObject({ code: 'doctor.program_outdated', found: expect.stringMatching(/^v/) });
});
