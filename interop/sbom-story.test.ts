import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Installation, startColophon } from './colophon-up.ts';
import { tellStory } from './doc-story.ts';
import { isMissing } from './programs.ts';

describe.skipIf(isMissing('cosign', 'git'))('the SBOM of Colophon itself, as docs/sbom.md makes it', () => {
  let installation: Installation;
  let work: string;
  beforeAll(async () => {
    installation = await startColophon();
    work = join(installation.folder, 'work');
    mkdirSync(work);
  });
  afterAll(() => installation?.stop());

  tellStory('sbom.md', () => ({
    ...installation.env,
    WORK: work,
    ISSUER: installation.issuer,
    TRUST: installation.trust,
  }));

  test('a package that the run changed is marked, with its bundle and what it rests on', () => {
    const { components } = JSON.parse(readFileSync(join(work, 'fetched.cdx.json'), 'utf8')) as {
      components: { properties?: { name: string; value: string }[] }[];
    };
    const marks = components.flatMap(({ properties = [] }) =>
      properties.filter(({ name }) => name === 'colophon:ai:basis').map(({ value }) => value),
    );
    expect(marks.length).toBeGreaterThan(0);
    const names = new Set(components.flatMap(({ properties = [] }) => properties.map(({ name }) => name)));
    expect([...names]).toEqual(expect.arrayContaining(['colophon:ai:bundle', 'colophon:ai:basis:model']));
    expect(components.flatMap(({ properties = [] }) => properties)).toContainEqual({
      name: 'colophon:ai:reviewed_by',
      value: 'alice@example.com',
    });
    // The embedded issuer takes the caller's word for agent and model, so no mark is worth more.
    expect(new Set(marks)).toEqual(new Set(['declared']));
  });
});
