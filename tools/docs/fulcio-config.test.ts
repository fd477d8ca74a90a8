import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  CLAIM_ARC_NUMBERS,
  DEFAULT_CLAIM_ARC,
  FULCIO_EXTENSION_TEMPLATES,
  SOURCED_CLAIMS,
} from '../../packages/contract/records/src/index.ts';
import { fulcioConfig } from '../../packages/identity/setup/src/fulcio-configuration/fulcio-configuration.ts';
import { fences } from '../doc-fences.ts';

const PAGE = join(import.meta.dirname, '../../docs/fulcio.md');

test('the configuration in the docs is the one made from the templates of our certificates', () => {
  expect(fences(PAGE, 'fulcio-config').map(({ text }) => text)).toEqual([fulcioConfig()]);
});

/** `name: value` lines of the block that `title` opens, by name, with quotes and comments taken off. */
function members(config: string, title: string): Map<string, string> {
  const [, indent = '', block = ''] = new RegExp(`^( *)${title}:\\n((?:\\1  .*\\n)+)`, 'm').exec(config) ?? [];
  const line = new RegExp(`^${indent}  ([\\w-]+): "?(.*?)"?(?: #.*)?$`, 'gm');
  return new Map([...block.matchAll(line)].map(([, name, value]) => [name!, value!]));
}

test('every template has its place, and every claim that one names has a default', () => {
  const templates = members(fulcioConfig(), 'extension-templates');
  const defaults = members(fulcioConfig(), 'default-template-values');
  expect(templates.size).toBe(Object.keys(FULCIO_EXTENSION_TEMPLATES).length);
  expect(templates.get('source-repository-digest')).toBe('commit_sha');
  expect(templates.get('deployment-environment')).toBe('{{ .human_reviewer }} {{ .review_timestamp }}');
  const named = [...templates.values()].flatMap((text) => text.match(/(?<=\.)\w+|^\w+$/g) ?? []);
  expect(named.filter((claim) => claim !== 'iss' && !defaults.has(claim))).toEqual([]);
  // Fulcio's set is closed, and each of its extensions was taken before there were these.
  expect(SOURCED_CLAIMS.filter((claim) => !defaults.has(claim))).toEqual(['tree_sha', 'parent_sha']);
  expect(defaults.get('key_thumbprint')).toBe('none');
});

test('another issuer stands in both places where Fulcio wants it', () => {
  const config = fulcioConfig('https://agents.example.com');
  expect(config.match(/^ +https:\/\/agents\.example\.com:$/m)).not.toBeNull();
  expect(members(config, 'https://agents.example.com').get('issuer-url')).toBe('https://agents.example.com');
});

test('the page gives the number that every claim has under our own arc', () => {
  const [, list = ''] = readFileSync(PAGE, 'utf8').split(`under \`${DEFAULT_CLAIM_ARC}.<n>\`:`);
  const [sentence = ''] = list.split('. ');
  const written = [...sentence.matchAll(/(\d+)\s+`(\w+)`/g)].map(([, number, claim]) => [claim!, Number(number)]);
  expect(Object.fromEntries(written)).toEqual(CLAIM_ARC_NUMBERS);
});
