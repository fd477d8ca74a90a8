import {
  alsoHaving,
  count,
  digestHex,
  having,
  listOf,
  oneOf,
  type ResultOf,
  resultOf,
  string,
} from '@colophon/records/result';

/** A history that was asked for over HTTP and held against checkpoints that were kept elsewhere. */
export const historyResult = resultOf('a history that continues what was seen of it before', {
  origin: string('name of the log, the first line of its checkpoints'),
  url: string('who was asked'),
  size: { ...count, description: 'entries under its newest checkpoint' },
  root_hash: { ...digestHex, description: 'RFC 6962 root over them, hex' },
  continues: listOf(
    'what it was held against: nothing that these cover was changed or removed',
    alsoHaving(
      having('a checkpoint that was kept', {
        from: oneOf('where it was kept', ['checkpoint', 'pin']),
        size: count,
        root_hash: digestHex,
      }),
      { origin: string('its name, where the key has signed it under another one') },
    ),
  ),
});
export type HistoryResult = ResultOf<typeof historyResult>;

/** What a `verify` says: of the history that lies here, or of one that was asked for. */
export function localOrAsked(local: { readonly $schema: string; readonly title: string }) {
  const { $schema, title, ...here } = local;
  const { $schema: _, title: __, ...asked } = historyResult;
  return { $schema, title, anyOf: [here, asked] } as const;
}
