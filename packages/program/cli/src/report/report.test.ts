import { RegistryError, VerificationError } from '@colophon/sigstore';
import { expect, test } from 'vitest';
import { recordingSession } from '../../test/command-line.ts';
import { CliError, withFacts } from '../cli-error/cli-error.ts';
import { EXIT } from '../exit-code/exit-code.ts';
import { exitCodeOf, printError, printResult, reportOf } from './report.ts';

const coded = (code: string, more: object = {}) => Object.assign(new Error('what happened'), { code, ...more });

test.each([
  [new CliError('cli.usage', 'x'), EXIT.usage],
  [new CliError('cli.entry_not_found', 'x'), EXIT.notFound],
  [new VerificationError('artifact.mismatch', 'x'), EXIT.doesNotMatch],
  [new RegistryError('registry.unreachable', 'x'), EXIT.peerDown],
  [coded('nobody.foresaw_this'), EXIT.internal],
  [coded('ENOENT'), EXIT.internal],
  [new TypeError('x is not a function'), EXIT.internal],
  ['a string', EXIT.internal],
  [undefined, EXIT.internal],
  [null, EXIT.internal],
])('%s ends the program with %i', (error, exitCode) => {
  expect(exitCodeOf(error)).toBe(exitCode);
});

test.each([0, -1, 5, 256, '0', null, Number.NaN])(
  'an error that says exit code %s does not have its way',
  (exitCode) => {
    expect(exitCodeOf(coded('nobody.foresaw_this', { exitCode }))).toBe(EXIT.internal);
  },
);

test('an error with a stable code is reported by it, with all that it knows', () => {
  const error = coded('identity.subject_mismatch', {
    expected: 'agent:a',
    found: 'agent:b',
    facts: { checked: 'file' },
  });
  expect(reportOf(error)).toEqual({
    code: 'identity.subject_mismatch',
    message: 'what happened',
    checked: 'file',
    expected: 'agent:a',
    found: 'agent:b',
  });
});

test('what the error knows itself wins over what is known around it', async () => {
  const work = () => Promise.reject(new CliError('cli.usage', 'x', { checked: 'inside' }));
  const error = await withFacts({ checked: 'outside', trust: 'root' }, work).catch((thrown: unknown) => thrown);
  expect(reportOf(error)).toMatchObject({ checked: 'inside', trust: 'root' });
});

test.each([new TypeError('x is not a function'), coded('ENOSPC'), coded('Not.a.code'), 'a string', undefined])(
  'an accident is reported as one: %s',
  (error) => {
    expect(reportOf(error).code).toBe('cli.internal');
  },
);

test('an accident tells no novels', () => {
  expect(reportOf(new Error('x'.repeat(100_000))).message.length).toBeLessThan(600);
});

test('nothing in a report leaves its line', () => {
  const nasty = 'a\nb\u001b[2J\u202e';
  const issues = [{ path: nasty, code: nasty, message: nasty, expected: nasty }];
  const facts = { checked: nasty, expected: nasty, found: nasty, trust: nasty, next: nasty };
  const report = JSON.stringify(reportOf(coded('cli.usage', { message: nasty, facts, issues })));
  expect(report).not.toMatch(/\\n|\\u001b|\u202e/);
});

test('an issue shows its place and nothing that is not listed', () => {
  const issues = [{ path: '/a', code: 'policy.value', message: 'm', line: 3, column: 5, value: 'secret', source: 's' }];
  expect(reportOf(coded('cli.policy_invalid', { issues })).issues).toEqual([
    { path: '/a', code: 'policy.value', message: 'm', line: 3, column: 5 },
  ]);
});

test('every signature that does not count is listed with its reason', () => {
  const rejected = [{ code: 'certificate.expired', message: 'too old', reference: 'x' }];
  expect(reportOf(coded('image.no_valid_signatures', { rejected })).issues).toEqual([
    { code: 'certificate.expired', message: 'too old' },
  ]);
});

test('several constraints that are not met are all listed, one alone is the error itself', () => {
  const first = { code: 'identity.issuer_mismatch', expected: 'a', found: 'b' };
  const second = { code: 'identity.trigger_mismatch', expected: 'push', found: '' };
  expect(reportOf(coded(first.code, { mismatches: [first] })).issues).toBeUndefined();
  expect(reportOf(coded(first.code, { mismatches: [first, second] })).issues).toEqual([
    { code: first.code, message: 'expected a, found b' },
    { code: second.code, message: 'expected push, found nothing' },
  ]);
});

test('people read an error on standard error, with every fact', () => {
  const session = recordingSession();
  printError(session.terminal, 'table', {
    code: 'cli.policy_invalid',
    message: 'no policy',
    checked: 'policy.yaml',
    expected: 'a policy',
    found: 'none',
    trust: 'root.json',
    next: 'mend it',
    issues: [
      { path: '/images', code: 'policy.value', message: 'bad', line: 2, column: 9, expected: 'globs' },
      { code: 'query.syntax', message: 'odd', position: 7 },
      { path: '', code: 'policy.syntax', message: 'empty' },
    ],
  });
  expect(session.ran().stdout).toBe('');
  expect(session.ran().stderr).toBe(`error cli.policy_invalid: no policy
  /images, line 2:9: bad [policy.value]
    expected globs
  character 7: odd [query.syntax]
  empty [policy.syntax]
  checked  policy.yaml
  expected a policy
  found    none
  trust    root.json
  next     mend it
`);
});

test('people read what became the error once', () => {
  const session = recordingSession();
  const issue = { path: '', code: 'vendored.purl_invalid', message: 'no package URL', expected: 'pkg:…' };
  printError(session.terminal, 'table', { code: 'cli.usage', message: issue.message, issues: [issue] });
  expect(session.ran().stderr).toBe('error cli.usage: no package URL [vendored.purl_invalid]\n  expected pkg:…\n');
});

test('people read what is wrong with every entry a few times, and scripts all of it', () => {
  const entries = Array.from({ length: 9 }, (_, index) => ({
    path: `/${index}`,
    code: 'kev.id_invalid',
    message: 'no id',
  }));
  const issues = [...entries, { path: '/count', code: 'kev.count_invalid', message: 'no number' }];
  const report = { code: 'cli.catalog_invalid', message: 'no catalog', issues };
  const people = recordingSession();
  printError(people.terminal, 'table', report);
  expect(people.ran().stderr.match(/kev\.id_invalid/g)).toHaveLength(5);
  expect(people.ran().stderr).toContain('kev.count_invalid');
  expect(people.ran().stderr).toContain('… and 4 more');
  const scripts = recordingSession();
  printError(scripts.terminal, 'json', report);
  expect(JSON.parse(scripts.ran().stdout).error.issues).toHaveLength(10);
});

test('scripts read one document on standard output, and nothing else', () => {
  const session = recordingSession();
  printError(session.terminal, 'json', { code: 'cli.usage', message: 'm' });
  expect(session.ran().stderr).toBe('');
  expect(JSON.parse(session.ran().stdout)).toEqual({ ok: false, error: { code: 'cli.usage', message: 'm' } });
});

test('a result is the document, or what is made of it for people', () => {
  const asJson = recordingSession();
  printResult(asJson.terminal, 'json', { a: 1 }, () => 'for people');
  expect(JSON.parse(asJson.ran().stdout)).toEqual({ a: 1 });
  const asText = recordingSession();
  printResult(asText.terminal, 'table', { a: 1 }, ({ a }) => `a is ${a}\n`);
  expect(asText.ran().stdout).toBe('a is 1\n');
});
