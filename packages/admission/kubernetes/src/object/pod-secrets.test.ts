import { describe, expect, it } from 'vitest';
import { accountSecretsOf, podSecretsOf, templateAccountOf } from './pod-secrets.ts';

const pod = (imagePullSecrets: unknown) => ({ apiVersion: 'v1', kind: 'Pod', spec: { imagePullSecrets } });

it.each([
  ['names them in their order', [{ name: 'regcred' }, { name: 'other.example' }], ['regcred', 'other.example']],
  ['names each once', [{ name: 'a' }, { name: 'b' }, { name: 'a' }], ['a', 'b']],
  ['leaves out what is none', [null, 'a', {}, { name: 7 }, { name: '' }, ['a']], []],
  ['takes a name of one character', [{ name: '0' }], ['0']],
  ['takes the longest name', [{ name: 'a'.repeat(253) }], ['a'.repeat(253)]],
  ['leaves out a longer one', [{ name: 'a'.repeat(254) }], []],
  [
    'leaves out what would lead elsewhere as a part of a path',
    [
      '../secrets/x',
      'a/b',
      'a?b',
      'a%2fb',
      '..',
      '.',
      'a.',
      '.a',
      'a..b',
      '-a',
      'a-',
      'a-.b',
      'a.-b',
      'A',
      'a\n',
      'é',
    ].map((name) => ({ name })),
    [],
  ],
  ['takes single hyphens and dots', [{ name: 'a-b.c-d.e' }], ['a-b.c-d.e']],
  ['takes no list for none', { name: 'a' }, []],
  ['takes nothing for none', undefined, []],
])('%s', (_title, secrets, names) => {
  expect(podSecretsOf(pod(secrets))).toEqual(names);
});

it('finds those of a template', () => {
  const spec = { template: { spec: { imagePullSecrets: [{ name: 'a' }] } } };
  expect(podSecretsOf({ apiVersion: 'apps/v1', kind: 'Deployment', spec })).toEqual(['a']);
});

it.each([
  ['another kind', { ...pod([{ name: 'a' }]), kind: 'Service' }],
  ['a Pod without specification', { apiVersion: 'v1', kind: 'Pod' }],
  ['null', null],
])('finds none in %s', (_title, object) => {
  expect(podSecretsOf(object)).toEqual([]);
});

describe('the ServiceAccount of a template', () => {
  const deployment = (spec: unknown) => ({ apiVersion: 'apps/v1', kind: 'Deployment', spec: { template: { spec } } });

  it.each([
    ['is the one that it names', { serviceAccountName: 'web' }, 'web'],
    ['is the one that it names by the older name', { serviceAccount: 'web' }, 'web'],
    ['is the newer of both names', { serviceAccountName: 'web', serviceAccount: 'old' }, 'web'],
    ['is called default where it names none', {}, 'default'],
    ['is called default where the name is empty', { serviceAccountName: '', serviceAccount: null }, 'default'],
    ['counts where it names no Secrets', { imagePullSecrets: [] }, 'default'],
    ['counts where its Secrets are null', { imagePullSecrets: null }, 'default'],
    ['does not count where it names Secrets', { imagePullSecrets: [{ name: 'a' }] }, undefined],
    ['does not count where it names what is no Secret', { imagePullSecrets: [{}] }, undefined],
    ['is none where its name is a path', { serviceAccountName: '../secrets/x' }, undefined],
    ['is none where its name is no text', { serviceAccountName: 7 }, undefined],
    ['is none without a specification', undefined, undefined],
  ])('%s', (_title, spec, name) => {
    expect(templateAccountOf(deployment(spec))).toBe(name);
  });

  it.each([
    ['a Pod, which has its Secrets already', pod(undefined)],
    ['another kind', { ...deployment({}), kind: 'Service' }],
    ['null', null],
  ])('does not count of %s', (_title, object) => {
    expect(templateAccountOf(object)).toBeUndefined();
  });

  it('has Secrets of its own', () => {
    expect(accountSecretsOf({ imagePullSecrets: [{ name: 'a' }, { name: '../b' }], secrets: [{ name: 'c' }] })).toEqual(
      ['a'],
    );
    expect([accountSecretsOf({}), accountSecretsOf(undefined)]).toEqual([[], []]);
  });
});
