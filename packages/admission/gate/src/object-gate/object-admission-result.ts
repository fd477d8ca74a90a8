import { alsoHaving, flag, having, listOf, type ResultOf, string } from '@colophon/records/result';
import { imageAdmission, reason } from '../image-gate/admission-result.ts';

const { digest, valid_until, ...decided } = imageAdmission.properties;

const image = alsoHaving(
  having('one image, and where in the object it stands', {
    place: string('for people, such as spec.containers[web]'),
    image: string('as it stands there'),
    ...decided,
  }),
  { digest, valid_until },
);

/** Whether a Kubernetes object may be created: what is decided about each of its images. */
export const objectAdmission = alsoHaving(
  having('one Kubernetes object, and whether it may be created', {
    admitted: flag('whether all of its images may run'),
    reasons: listOf('why its images are not even looked at; empty where they are', reason),
    images: listOf('each of its images; those of one name have one decision', image),
  }),
  {
    api_version: string('as the object says; absent where it does not'),
    kind: string('as the object says; absent where it does not'),
    namespace: string('as the object says; absent where it does not'),
    name: string('its name, or generateName; absent where it has neither'),
  },
);
export type ObjectAdmission = ResultOf<typeof objectAdmission>;
