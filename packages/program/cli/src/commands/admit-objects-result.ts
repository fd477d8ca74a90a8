import { objectAdmission } from '@colophon/gate/result';
import { alsoHaving, count, flag, having, listOf, type ResultOf, resultOf, string } from '@colophon/records/result';

const { api_version, kind, namespace, name, ...decided } = objectAdmission.properties;

/** `colophon admit --filename`: objects of manifests; a refusal has its own exit code and is printed in full. */
export const admitObjectsResult = resultOf('whether Kubernetes objects may be created, and every reason why not', {
  admitted: flag('whether all of them may'),
  trusted_root: string('file of the trusted root'),
  folders_not_read: listOf('folders in those that were named, whose files were not read', string('its path')),
  objects: listOf(
    'each object of the files, in order',
    alsoHaving(
      having(objectAdmission.description, {
        file: string('the file that it stands in; - for standard input'),
        document: { ...count, description: 'which of its documents, from 1' },
        ...decided,
      }),
      { api_version, kind, namespace, name },
    ),
  ),
});
export type AdmitObjectsResult = ResultOf<typeof admitObjectsResult>;
