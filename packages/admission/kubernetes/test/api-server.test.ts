import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AdmissionRequest,
  beginningUid,
  judgedPart,
  nameOf,
  parseAdmissionReview,
  podSecretsOf,
} from '@colophon/kubernetes';
import { changesOf } from '@colophon/testkit';
import { describe, expect, it, test } from 'vitest';

const VECTORS = join(import.meta.dirname, '../vectors/api-server');
const bytesOf = (name: string) => readFileSync(join(VECTORS, `${name}.json`));

function requestOf(name: string): AdmissionRequest {
  const read = parseAdmissionReview(bytesOf(name));
  if (!read.ok) throw new Error(JSON.stringify(read.issues));
  return read.value;
}

function partOf(request: AdmissionRequest): string[] {
  const part = judgedPart(request);
  const reason = 'reason' in part ? part.reason : '';
  const images = part.outcome === 'judge' ? part.places.map(({ place, image }) => `${place} ${image}`) : [];
  return [part.outcome, reason, ...images];
}

test('a review has its uid where it is looked for when no more of it can be read', () => {
  for (const file of readdirSync(VECTORS)) {
    const sent = JSON.parse(readFileSync(join(VECTORS, file), 'utf8'));
    expect(beginningUid(new TextEncoder().encode(JSON.stringify(sent)))).toBe(sent.request.uid);
  }
});

const POD = [
  'spec.containers[web] registry.example/acme/web:1.2',
  'spec.initContainers[init] registry.example/acme/init:1',
  'spec.volumes[model] registry.example/acme/model:3',
];
const JOB_IMAGE = `registry.example/acme/job@sha256:${'a'.repeat(64)}`;

describe('what kube-apiserver 1.36.3 asks', () => {
  it.each([
    ['pod-create', ['judge', 'created', ...POD]],
    ['pod-create-generated-name', ['judge', 'created', ...POD]],
    ['pod-create-with-deletion-timestamp', ['judge', 'created', ...POD]],
    ['pod-update-image', ['judge', 'image_new', 'spec.containers[web] registry.example/acme/web:1.3']],
    ['pod-update-label', ['pass', 'no_image_new']],
    ['pod-ephemeral-container', ['judge', 'image_new', 'spec.ephemeralContainers[dbg] busybox']],
    ['pod-update-finalizers-while-deleted', ['pass', 'being_deleted']],
    ['pod-delete', ['pass', 'deleted']],
    ['pod-eviction', ['not-covered', 'subresource']],
    ['deployment-create', ['judge', 'created', 'spec.template.spec.containers[nginx] nginx']],
    ['deployment-scale', ['not-covered', 'subresource']],
    ['deployment-update-annotation', ['pass', 'no_image_new']],
    [
      'deployment-create-empty-image-volume',
      ['judge', 'created', 'spec.template.spec.containers[x] a', 'spec.template.spec.volumes[v] undefined'],
    ],
    ['cronjob-create', ['judge', 'created', `spec.jobTemplate.spec.template.spec.containers[nightly] ${JOB_IMAGE}`]],
  ])('%s', (name, part) => {
    expect(partOf(requestOf(name))).toEqual(part);
  });

  test('says who asks, about what, and with which secrets it is pulled', () => {
    const request = requestOf('pod-create');
    expect(request).toMatchObject({
      name: 'web',
      namespace: 'default',
      userInfo: { username: 'admin' },
      dryRun: false,
    });
    expect(nameOf(request.object)).toBe('web');
    expect(podSecretsOf(request.object)).toEqual(['regcred']);
  });

  test('loses no image by any single change of the object that is still taken', () => {
    for (const name of ['pod-create', 'deployment-create', 'cronjob-create']) {
      const request = requestOf(name);
      for (const [path, by] of changesOf(request.object)) {
        for (const other of [undefined, null, '', 7, [], {}, true]) {
          const object = by(other) as never;
          const part = judgedPart({ ...request, object });
          const isElsewhere = path.startsWith('/metadata') || !/containers|volumes|image/i.test(path);
          // Whatever is done to its images, a creation never passes.
          expect([path, part.outcome]).not.toEqual([path, 'pass']);
          if (part.outcome === 'judge' && isElsewhere) expect(partOf({ ...request, object })).toEqual(partOf(request));
        }
      }
    }
  });

  test('loses no image of a change by any single change of the old object', () => {
    const request = requestOf('pod-update-image');
    for (const [path, by] of changesOf(request.oldObject)) {
      for (const other of [undefined, null, '', 7, [], {}, true, '2026-11-28T05:00:00Z']) {
        const part = partOf({ ...request, oldObject: by(other) as never });
        expect([path, part[0], part.includes('spec.containers[web] registry.example/acme/web:1.3')]).toEqual([
          path,
          'judge',
          true,
        ]);
      }
    }
  });
});
