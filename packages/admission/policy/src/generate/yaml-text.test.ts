import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { type YamlValue, yamlText } from './yaml-text.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }).filter((one) => one.isWellFormed()),
  fc.constantFrom('no', 'null', '1e3', '- x', 'a: b', 'a\nb\n', '\n', ' a\n', 'a\n\n', '\u0085', '# x', '~', '0x1', ''),
);
const value = fc.letrec<{ value: YamlValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.boolean(),
    fc.array(tie('value'), { minLength: 1 }),
    fc.dictionary(fc.stringMatching(/^[a-z][A-Za-z]{0,8}x$/), tie('value'), { minKeys: 1 }),
  ),
})).value;

test.each(['1.1', '1.2'] as const)('what is written is read back by YAML %s', (version) => {
  fc.assert(
    fc.property(value, (one) => {
      expect(parse(yamlText({ one }), { version })).toEqual({ one });
    }),
  );
});

test('a member without a value is left out, lines stay lines, and the rest is quoted', () => {
  const data = 'package sigstore\n\nallow if {\n\ttrue\n}\n';
  expect(yamlText({ kind: 'Policy', gone: undefined, list: [{ glob: '**', data }, 'on', true] })).toBe(`kind: Policy
list:
  - glob: "**"
    data: |
      package sigstore

      allow if {
      ${'\t'}true
      }
  - "on"
  - true
`);
});
