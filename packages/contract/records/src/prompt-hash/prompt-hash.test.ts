import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashPrompt, hashPromptMessages } from './prompt-hash.ts';

const sha256 = (data: string | Uint8Array) => `sha256:${createHash('sha256').update(data).digest('hex')}`;

describe('hashPrompt', () => {
  it('is what sha256sum says of the same bytes, whatever they are', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => hashPrompt(bytes) === sha256(bytes)));
  });

  it('tells a prompt from the same with a newline at its end', () => {
    const [plain, ended] = ['Fix the bug.', 'Fix the bug.\n'].map((text) => hashPrompt(new TextEncoder().encode(text)));
    expect(plain).not.toBe(ended);
  });
});

describe('hashPromptMessages', () => {
  it('hashes the canonical form, so that the order of members does not count and that of messages does', () => {
    const system = { role: 'system', content: 'You are careful.' };
    const user = { role: 'user', content: 'Fix the bug.' };
    const canonical = '[{"content":"You are careful.","role":"system"},{"content":"Fix the bug.","role":"user"}]';
    expect(hashPromptMessages([system, user])).toBe(sha256(canonical));
    expect(hashPromptMessages([system, { content: user.content, role: user.role }])).toBe(sha256(canonical));
    expect(hashPromptMessages([user, system])).not.toBe(sha256(canonical));
  });
});
