import { expect, it } from 'vitest';
import { podSecretsOf } from './pod-secrets.ts';

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
