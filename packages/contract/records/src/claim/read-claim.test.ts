import { expect, test } from 'vitest';
import { readClaim } from './claims-agree.ts';

test.each([
  ['repo', 'acme/shop', 'acme/shop'],
  ['commit_sha', '8f5a1c0d9e7b6a5f4e3d2c1b0a9f8e7d6c5b4a39', '8f5a1c0d9e7b6a5f4e3d2c1b0a9f8e7d6c5b4a39'],
  ['prompt_hash', 'A'.repeat(64), `sha256:${'a'.repeat(64)}`],
  // An event is one word, and no claim about the run.
  ['trigger', 'merge_request_event', 'merge_request_event'],
] as const)('%s is read from %s', (claim, text, value) => {
  expect(readClaim(claim, text)).toBe(value);
});

test.each([
  ['repo', 'acme/shop with words'],
  ['commit_sha', 'main'],
  ['prompt_hash', 'sha256:a'],
  ['trigger', 'two words'],
  ['trigger', 'unknown'],
] as const)('%s is not %s', (claim, text) => {
  expect(readClaim(claim, text)).toBeUndefined();
});
