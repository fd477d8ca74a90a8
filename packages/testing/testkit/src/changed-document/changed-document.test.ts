import { expect, test } from 'vitest';
import { changesOf } from './changed-document.ts';

test('every place of a document is replaced or left out once, and the document itself stays', () => {
  const document = { a: [1, { b: 2 }], c: null };
  const changed = [...changesOf(document)].map(([path, by]) => [
    path,
    JSON.stringify(by('x')),
    JSON.stringify(by(undefined)),
  ]);
  expect(changed).toEqual([
    ['/a', '{"a":"x","c":null}', '{"c":null}'],
    ['/a/0', '{"a":["x",{"b":2}],"c":null}', '{"a":[null,{"b":2}],"c":null}'],
    ['/a/1', '{"a":[1,"x"],"c":null}', '{"a":[1,null],"c":null}'],
    ['/a/1/b', '{"a":[1,{"b":"x"}],"c":null}', '{"a":[1,{}],"c":null}'],
    ['/c', '{"a":[1,{"b":2}],"c":"x"}', '{"a":[1,{"b":2}]}'],
  ]);
  expect(document).toEqual({ a: [1, { b: 2 }], c: null });
});
