import { describe, expect, it, test } from 'vitest';
import { apiVersionOf, COVERED_KINDS, coveredKind, coveredResource } from './covered-kind.ts';
import { UNCOVERED_IMAGE_FIELDS } from './uncovered-fields.ts';

describe('coveredKind', () => {
  it.each(COVERED_KINDS)('finds $kind by its names alone', (known) => {
    expect(coveredKind(known.apiVersion, known.kind)).toBe(known);
    expect(coveredResource(known.apiVersion, known.resource)).toBe(known);
  });

  it.each([
    ['v1', 'pod'],
    ['v2', 'Pod'],
    ['apps/v1', 'Pod'],
    ['v1', 'Deployment'],
    ['apps/v1beta1', 'Deployment'],
    ['core/v1', 'Pod'],
    ['v1', undefined],
    [undefined, 'Pod'],
    [undefined, undefined],
    [['v1'], ['Pod']],
    ['v1', '__proto__'],
  ])('knows nothing of %s %s', (apiVersion, kind) => {
    expect(coveredKind(apiVersion, kind)).toBeUndefined();
  });

  it.each([
    ['v1', 'deployments'],
    ['apps/v1', 'pods'],
    ['v1', 'Pod'],
  ])('knows no resource %s %s', (apiVersion, resource) => {
    expect(coveredResource(apiVersion, resource)).toBeUndefined();
  });
});

test('the paths to the Pods of each kind', () => {
  expect(
    COVERED_KINDS.map(({ apiVersion, kind, resource, podSpec }) => [apiVersion, kind, resource, podSpec.join('.')]),
  ).toEqual([
    ['v1', 'Pod', 'pods', 'spec'],
    ['v1', 'PodTemplate', 'podtemplates', 'template.spec'],
    ['v1', 'ReplicationController', 'replicationcontrollers', 'spec.template.spec'],
    ['apps/v1', 'DaemonSet', 'daemonsets', 'spec.template.spec'],
    ['apps/v1', 'Deployment', 'deployments', 'spec.template.spec'],
    ['apps/v1', 'ReplicaSet', 'replicasets', 'spec.template.spec'],
    ['apps/v1', 'StatefulSet', 'statefulsets', 'spec.template.spec'],
    ['batch/v1', 'CronJob', 'cronjobs', 'spec.jobTemplate.spec.template.spec'],
    ['batch/v1', 'Job', 'jobs', 'spec.template.spec'],
  ]);
});

test('the core group has no name', () => {
  expect(
    [
      { group: '', version: 'v1' },
      { group: 'apps', version: 'v1' },
    ].map(apiVersionOf),
  ).toEqual(['v1', 'apps/v1']);
});

test('every field that is not covered says of which API it is, and why', () => {
  expect(UNCOVERED_IMAGE_FIELDS.length).toBeGreaterThan(10);
  for (const { api, field, why } of UNCOVERED_IMAGE_FIELDS) {
    expect(Math.min(api.length, field.length, why.length)).toBeGreaterThan(0);
  }
});
