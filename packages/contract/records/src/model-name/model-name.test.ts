import { expect, it } from 'vitest';
import { isSubstituted } from './model-name.ts';

it.each([
  ['gpt-4o', 'gpt-4o'],
  ['gpt-4o', 'gpt-4o-2024-08-06'],
  ['gpt-4', 'gpt-4-0613'],
  ['claude-sonnet-4-5', 'claude-sonnet-4-5-20250929'],
  ['claude-3-5-haiku-latest', 'claude-3-5-haiku-20241022'],
  ['claude-sonnet-4-0', 'claude-sonnet-4-20250514'],
  ['claude-opus-4-1', 'claude-opus-4-1@20250805'],
  ['gemini-1.5-pro', 'gemini-1.5-pro-002'],
])('%s, served as %s, is what was asked for', (requested, served) => {
  expect(isSubstituted(requested, served)).toBe(false);
});

it.each([
  ['gpt-4o', 'gpt-4o-mini'],
  ['gpt-4o', 'gpt-4o-mini-2024-07-18'],
  ['gpt-4o-2024-08-06', 'gpt-4o-2024-05-13'],
  ['gpt-4o-2024-08-06', 'gpt-4o'],
  ['claude-opus-4-1', 'claude-haiku-4-5-20251001'],
  ['claude-sonnet-4', 'claude-sonnet-4-5-20250929'],
  ['claude-sonnet-4', 'claude-sonnet-4-5'],
  ['GPT-4o', 'gpt-4o'],
  ['', 'gpt-4o'],
  ['model', 'model-20250929-mini'],
  ['model-latest', 'model-mini'],
])('%s, served as %s, is another model', (requested, served) => {
  expect(isSubstituted(requested, served)).toBe(true);
});
