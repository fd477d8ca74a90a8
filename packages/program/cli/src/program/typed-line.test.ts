import { expect, test } from 'vitest';
import { wholeProgram } from '../../test/command-line.ts';
import { partsOf } from './typed-line.ts';

const program = await wholeProgram();

test.each([
  ['--data kev kev update --kev f', '--data=kev kev update --kev=f'],
  ['remediation update --reason --policy CVE-1', 'remediation update --reason=--policy <CVE-1>'],
  ['sign --yes false image', 'sign --yes=false <image>'],
  ['sign --yes --context=c image', 'sign --yes --context=c <image>'],
  ['kev status -ojson', 'kev status -o=json'],
  ['kev update --none x', 'kev update --none <x>'],
  ['verify-blob -- --bundle', 'verify-blob -- <--bundle>'],
  ['scan import -', 'scan import <->'],
  ['inspect kev', 'inspect <kev>'],
])('%s is read as %s', (line, read) => {
  const shown = partsOf(program, line.split(' ')).map((part) => {
    if (part.kind !== 'flag') return part.kind === 'argument' ? `<${part.word}>` : part.word;
    return part.value === undefined ? part.name : `${part.name}=${part.value}`;
  });
  expect(shown.join(' ')).toBe(read);
});
