import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ADMISSION_SCHEMA } from '../admission-service/admission-schema.ts';
import { CONFIGURATION_SCHEMA } from './configuration-schema.ts';

it.each([
  ['configuration.v1.json', CONFIGURATION_SCHEMA],
  ['admission.v1.json', ADMISSION_SCHEMA],
])('the published JSON Schema %s is the one that files are checked with', (name, schema) => {
  const published = readFileSync(new URL(`../../schema/${name}`, import.meta.url), 'utf8');
  expect(JSON.parse(published)).toEqual(JSON.parse(JSON.stringify(schema)));
});
