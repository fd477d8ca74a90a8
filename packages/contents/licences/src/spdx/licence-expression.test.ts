import fc from 'fast-check';
import parseOracle from 'spdx-expression-parse';
import { describe, expect, test } from 'vitest';
import { type LicenceExpression, parseLicenceExpression } from './licence-expression.ts';

const shape = (text: string) => {
  const parsed = parseLicenceExpression(text);
  return parsed.ok ? parsed.value.map((part) => (typeof part === 'object' ? part.text : part)).join(' ') : parsed;
};

test.each([
  ['MIT', 'MIT'],
  ['MIT OR ISC AND Zlib', 'MIT ISC Zlib AND OR'],
  ['(MIT OR ISC) AND Zlib', 'MIT ISC OR Zlib AND'],
  ['mit or isc', 'MIT ISC OR'],
  ['MIT AND(ISC)', 'MIT ISC AND'],
  ['GPL-2.0+', 'GPL-2.0-or-later'],
  ['GPL-2.0', 'GPL-2.0-only'],
  ['Apache-2.0+', 'Apache-2.0+'],
  ['GPL-2.0-with-classpath-exception', 'GPL-2.0-only WITH Classpath-exception-2.0'],
  ['gpl-2.0-only with classpath-exception-2.0', 'GPL-2.0-only WITH Classpath-exception-2.0'],
  ['DocumentRef-spdx:LicenseRef-Acme OR LicenseRef-b', 'DocumentRef-spdx:LicenseRef-Acme LicenseRef-b OR'],
  ['LicenseRef-x WITH AdditionRef-y', 'LicenseRef-x WITH AdditionRef-y'],
  [' \tMIT\n', 'MIT'],
])('%s is read as %s', (text, expected) => {
  expect(shape(text)).toBe(expected);
});

test.each([
  ['', 0],
  ['Apache 2.0', 6],
  ['MIT OR', 6],
  ['OR MIT', 0],
  ['(MIT', 4],
  ['MIT)', 3],
  ['()', 1],
  ['MIT WITH', 8],
  ['MIT WITH (', 8],
  ['(MIT) WITH LLVM-exception', 5],
  ['MIT WITH LLVM-exception WITH LLVM-exception', 23],
  ['(MIT)+', 5],
  ['MIT/X11', 3],
  ['MIT, ISC', 3],
  ['MIT\u0000', 3],
])('%j is no expression from character %i on', (text, position) => {
  expect(shape(text)).toMatchObject({ ok: false, position });
});

describe('what nobody lists', () => {
  test.each(['Acme-1.0', 'MIT WITH Acme-exception', 'NONE', 'NOASSERTION', 'LicenseRef-', 'Apache-2'])(
    '%s is a term and known to be unknown',
    (text) => {
      const parsed = parseLicenceExpression(text);
      expect(parsed).toMatchObject({ ok: true, value: [{ kind: 'unknown' }] });
    },
  );
});

test('a hundred thousand parentheses cost no stack', () => {
  const depth = 100_000;
  expect(shape(`${'('.repeat(depth)}MIT${')'.repeat(depth)}`)).toBe('MIT');
  expect(shape('('.repeat(depth))).toMatchObject({ ok: false, position: depth });
  const many = parseLicenceExpression(`MIT${' OR MIT'.repeat(depth)}`);
  expect(many.ok && many.value.length).toBe(2 * depth + 1);
});

const ids = fc.constantFrom(
  'MIT',
  'ISC',
  'Apache-2.0',
  'GPL-2.0-only',
  'GPL-3.0-or-later WITH Classpath-exception-2.0',
);
const expressions = fc.letrec<{ tree: string }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    ids,
    fc.tuple(tie('tree'), tie('tree')).map(([left, right]) => `${left} AND ${right}`),
    fc.tuple(tie('tree'), tie('tree')).map(([left, right]) => `${left} OR ${right}`),
    tie('tree').map((inner) => `(${inner})`),
  ),
})).tree;

/** Which sets of licences satisfy it, as a truth table over the ids above: what two readings must agree in. */
function truth(expression: LicenceExpression): string {
  const terms = ['MIT', 'ISC', 'Apache-2.0', 'GPL-2.0-only', 'GPL-3.0-or-later WITH Classpath-exception-2.0'];
  return Array.from({ length: 2 ** terms.length }, (_, set) => {
    const stack: boolean[] = [];
    for (const part of expression) {
      if (typeof part === 'object') stack.push(((set >> terms.indexOf(part.text)) & 1) === 1);
      else {
        const [right, left] = [stack.pop()!, stack.pop()!];
        stack.push(part === 'AND' ? left && right : left || right);
      }
    }
    return stack[0] ? '1' : '0';
  }).join('');
}

type Tree = ReturnType<typeof parseOracle>;
function postfix(tree: Tree): string {
  if (!('conjunction' in tree))
    return tree.exception === undefined ? tree.license : `${tree.license} WITH ${tree.exception}`;
  return `(${postfix(tree.left)}) ${tree.conjunction.toUpperCase()} (${postfix(tree.right)})`;
}

test('every expression means what the reference parser says it means', () => {
  fc.assert(
    fc.property(expressions, (text) => {
      const ours = parseLicenceExpression(text);
      const theirs = parseLicenceExpression(postfix(parseOracle(text)));
      expect(ours.ok && truth(ours.value)).toBe(theirs.ok && truth(theirs.value));
    }),
  );
});

test('no text makes it throw', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('(', ')', ' ', 'MIT', '+', 'AND', 'OR', 'WITH', ':', 'é', '\n') }),
      (text) => {
        parseLicenceExpression(text);
      },
    ),
  );
});
