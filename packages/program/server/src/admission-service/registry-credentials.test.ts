import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CredentialSource } from '@colophon/sigstore';
import { temporaryFolder } from '@colophon/testkit';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { SecretReference } from '../configuration/configuration.ts';
import { openRegistryCredentials } from './registry-credentials.ts';

const login = (user: string) => ({ auth: Buffer.from(`${user}:hunter2`).toString('base64') });
const config = (auths: object) => JSON.stringify({ auths });
const ANN = config({ 'registry.example': login('ann') });

async function userAt(source: CredentialSource, registry = 'registry.example') {
  const found = await source(registry);
  return found?.kind === 'password' ? found.username : found?.kind;
}

async function open(reference: SecretReference, env: Record<string, string> = {}) {
  const onChange = vi.fn();
  const credentials = await openRegistryCredentials(reference, { env, onChange, watchIntervalMs: 5 });
  onTestFinished(() => credentials.close());
  return { source: credentials.source, onChange };
}

const fileWith = (text: string) => {
  const file = join(temporaryFolder(onTestFinished), 'config.json');
  writeFileSync(file, text);
  return file;
};

describe('the credentials of registries', () => {
  test('come from the file or the variable that is named', async () => {
    expect(await userAt((await open({ file: fileWith(ANN) })).source)).toBe('ann');
    const { source } = await open({ env: 'DOCKER' }, { DOCKER: ANN });
    expect([await userAt(source), await userAt(source, 'other.example')]).toEqual(['ann', undefined]);
  });

  test.each([
    ['is no JSON', '{'],
    ['is no object', '[]'],
    ['is empty', ''],
    ['has no auths', '{"credsStore":"desktop"}'],
    ['has no object as auths', '{"auths":[]}'],
    ['has entries without a credential, as with a helper program', config({ 'registry.example': {}, 'b.example': {} })],
    ['has entries for what is no registry alone', config({ 'registry.example/team': login('ann') })],
  ])('are refused where the file %s', async (_title, text) => {
    for (const start of [() => open({ file: fileWith(text) }), () => open({ env: 'DOCKER' }, { DOCKER: text })]) {
      await expect(start()).rejects.toMatchObject({
        code: 'server.credentials_unusable',
        message: expect.stringMatching(/^registryCredentials: /),
      });
    }
  });

  test('are refused without saying anything of them', async () => {
    const opening = open({ file: fileWith('{"auths":{"a":hunter2}}') });
    await expect(opening).rejects.toMatchObject({ message: expect.not.stringContaining('hunter2') });
  });

  test('are refused where nothing is there to be read', async () => {
    const unusable = { code: 'server.credentials_unusable' };
    await expect(open({ env: 'UNSET' })).rejects.toMatchObject(unusable);
    await expect(open({ file: join(fileWith(ANN), 'none') })).rejects.toMatchObject(unusable);
  });

  test.each([
    ['no registry has one, and the file says so', config({})],
    ['docker spells the registry in its own way', config({ 'https://index.docker.io/v1/': login('ann') })],
    ['one entry of several has one', config({ 'a.example': {}, 'registry.example': login('ann') })],
    ['it is a token', config({ 'registry.example': { identitytoken: 'x' } })],
  ])('are taken where %s', async (_title, text) => {
    await expect(open({ file: fileWith(text) })).resolves.toBeDefined();
  });

  test('follow the file, and stay as they were where it cannot be used', async () => {
    const file = fileWith(ANN);
    const { source, onChange } = await open({ file });
    const changes = (count: number) => vi.waitFor(() => expect(onChange).toHaveBeenCalledTimes(count), 100_000);
    writeFileSync(file, '{');
    await changes(1);
    expect(onChange).toHaveBeenLastCalledWith(expect.objectContaining({ code: 'server.credentials_unusable' }));
    rmSync(file);
    await changes(2);
    expect(onChange).toHaveBeenLastCalledWith(expect.objectContaining({ code: 'server.credentials_unusable' }));
    expect(await userAt(source)).toBe('ann');
    writeFileSync(file, config({ 'registry.example': login('bob') }));
    await changes(3);
    expect(onChange).toHaveBeenLastCalledWith(undefined);
    expect(await userAt(source)).toBe('bob');
  });
});
