import { alsoHaving, count, flag, having, listOf, oneOf, string } from '@colophon/records/result';

const fieldChange = alsoHaving(having('a member that says something else', { field: string('its name') }), {
  before: string('what it said; absent where it was not there'),
  after: string('what it says; absent where it is gone'),
});

const component = string('its name in the second document: purl, else group, name and version');
const loneComponent = having('a component that one document has', {
  component: string('purl, else group, name and version'),
  agent_authored: flag('whether it is attributed to an agent'),
});
const changedComponent = alsoHaving(
  having('a component that is in both documents and not the same', {
    component,
    changes: listOf('its members', fieldChange),
  }),
  {
    attribution: oneOf('how its attribution to an agent changed', [
      'now agent-authored',
      'no longer agent-authored',
      'changed',
    ]),
  },
);
const dependency = having('an edge of the graph', { from: string('what needs'), to: string('what is needed') });

/** What one document says and the other does not. Every list is sorted. */
export const bomDiff = having('what one document says and the other does not', {
  different: flag('whether they differ in more than serial number, version, timestamp and tools'),
  document_changes: listOf('members of the document, such as /metadata/component/version', fieldChange),
  added_components: listOf('only in the second', loneComponent),
  removed_components: listOf('only in the first', loneComponent),
  changed_components: listOf('in both', changedComponent),
  unchanged_count: { ...count, description: 'components that are the same' },
  added_dependencies: listOf('only in the second', dependency),
  removed_dependencies: listOf('only in the first', dependency),
});
