import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CONFIGURATION_SCHEMA } from './configuration-schema.ts';

it('the published JSON Schema of configuration files is the one that they are checked with', () => {
  const published = readFileSync(new URL('../../schema/configuration.v1.json', import.meta.url), 'utf8');
  expect(JSON.parse(published)).toEqual(JSON.parse(JSON.stringify(CONFIGURATION_SCHEMA)));
});
