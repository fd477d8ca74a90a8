import { describe, expect, it } from 'vitest';
import { compileCondition, MAX_CONDITION_LENGTH } from './condition.ts';

const INPUT = {
  predicate: {
    human_reviewer: 'dana@example.com',
    review_duration_seconds: 75,
    score: 0.5,
    files: ['src/a.ts', 'src/b.ts'],
    pairs: [[1], [2]],
    nothing: null,
    approved: true,
  },
  statement: { predicateType: 'https://colophon.example/predicates/agent-review/v1' },
  certificate: { issuer: 'https://issuer.example', subject: 'reviewer:dana@example.com', claims: { repo: 'acme/app' } },
  image: { reference: 'ghcr.io/acme/app', digest: `sha256:${'a'.repeat(64)}` },
};

function evaluate(text: string, input = INPUT) {
  const condition = compileCondition(text);
  if (!condition.ok) throw new Error(condition.message);
  return condition.evaluate(input);
}

describe('a condition', () => {
  it.each([
    ['predicate.human_reviewer == "dana@example.com"', true],
    ['predicate.human_reviewer == "eve@example.com"', false],
    ['predicate.review_duration_seconds >= 60', true],
    ['predicate.review_duration_seconds > 75', false],
    ['predicate.score < 0.75', true],
    ['predicate.approved', true],
    ['predicate.human_reviewer.endsWith("@example.com")', true],
    ['predicate.human_reviewer.fullMatch("[a-z]+@example\\\\.com")', true],
    ['predicate.human_reviewer.fullMatch("dana")', false],
    ['predicate.files.all(f, f.startsWith("src/"))', true],
    ['predicate.pairs.all(p, p.all(n, n > 1))', false],
    ['has(predicate.comment)', false],
    ['has(predicate.constructor)', false],
    ['certificate.claims.repo == "acme/app"', true],
    ['statement.predicateType.contains("agent-review")', true],
    ['image.reference.startsWith("ghcr.io/acme/")', true],
    ['size(predicate.files) == 2', true],
  ])('%s is %s', (text, value) => {
    expect(evaluate(text)).toEqual({ ok: true, value });
  });

  it.each([
    'predicate.missing == "x"',
    'predicate.human_reviewer',
    'predicate.nothing',
    'predicate.nothing.deeper == 1',
    'predicate.human_reviewer > 3',
    'predicate.files[9] == "x"',
    'predicate.constructor == "x"',
  ])('%s has no answer, so it does not hold', (text) => {
    expect(evaluate(text)).toEqual({ ok: false, message: expect.stringMatching(/./) });
  });

  it.each([
    ['', /./],
    ['predicate.', /./],
    ['nobody == 1', /nobody/],
    ['1 + 1', /int/],
    ['"yes"', /string/],
    ['predicate.human_reviewer.matches("(a+)+$")', /fullMatch/],
    ['predicate.human_reviewer.fullMatch(predicate.pattern)', /literal/],
    ['predicate.human_reviewer.fullMatch("(")', /regexp/],
    ['cel.bind(x, predicate, true)', /bind/],
    ['["a"].join() == "a"', /join/],
    ['fetch("http://169.254.169.254/")', /fetch/],
    ['type(predicate) == int', /^type\(\) is not available in conditions$/],
    ['dyn(predicate) == 1', /^dyn\(\) is not available in conditions$/],
    ['size(bytes("a")) == 1', /^bytes\(\) is not available in conditions$/],
    ['has(predicate.a) && matches("a", "a")', /^matches\(\) is not available: use fullMatch/],
    ['predicate.a.fullMatch(1)', /^the pattern of fullMatch must be written as a literal$/],
    ['predicate.a.fullMatch()', /^the pattern of fullMatch must be written as a literal$/],
    ['predicate.a.fullMatch(certificate.subject)', /^the pattern of fullMatch must be written as a literal$/],
    ['true'.padEnd(2049), /^longer than 2048 characters$/],
    ['timestamp("2026-01-01T00:00:00Z").getDayOfYear() == 1', /getDayOfYear/],
    ['predicate.files.all(a, predicate.files.all(b, predicate.files.all(c, true)))', /deep/],
    [`${'('.repeat(40)}true${')'.repeat(40)}`, /depth/i],
  ])('%j is refused when it is compiled (%#)', (text, message) => {
    expect(compileCondition(text)).toEqual({ ok: false, message: expect.stringMatching(message) });
  });

  it('may be as long as the limit', () => {
    const padded = 'true'.padEnd(MAX_CONDITION_LENGTH, ' ');
    expect(compileCondition(padded).ok).toBe(true);
    expect(compileCondition(`${padded} `).ok).toBe(false);
  });

  it('does not run over a statement that would keep it busy', () => {
    const predicate = { ...INPUT.predicate, files: Array.from({ length: 20_000 }, () => 'src/a.ts') };
    const nested = 'predicate.files.all(a, predicate.files.all(b, a == b))';
    expect(evaluate(nested, { ...INPUT, predicate })).toEqual({ ok: false, message: expect.stringContaining('large') });
    expect(evaluate('predicate.files.all(a, a == "src/a.ts")', { ...INPUT, predicate })).toEqual({
      ok: true,
      value: true,
    });
  });

  const [MANY, LONG] = [12_000, 'b'.repeat(160_000)];
  const ones = (count: number) => new Array(count).fill(1);
  const MAP = Object.fromEntries(Array.from({ length: 3_000 }, (_, number) => [`key-${number}`, 1]));
  it.each<[string, object]>([
    ['predicate.xs.all(x, x in predicate.ys)', { xs: ones(MANY).fill(2), ys: [...ones(MANY), 2] }],
    ['predicate.xs.all(x, [x] in predicate.ys)', { xs: ones(MANY).fill(2), ys: [...ones(MANY), [2]] }],
    ['predicate.xs.all(x, x in predicate.m)', { xs: ones(1_000), m: Object.fromEntries(Object.entries(ones(1_000))) }],
    ['predicate.xs.all(x, predicate.ys == predicate.zs)', { xs: ones(MANY), ys: ones(MANY), zs: ones(MANY) }],
    ['predicate.xs.exists(x, predicate.ys != predicate.zs)', { xs: ones(MANY), ys: ones(MANY), zs: ones(MANY) }],
    ['predicate.xs.all(x, predicate.a < predicate.b)', { xs: ones(300), a: LONG, b: `${LONG}c` }],
    ['predicate.xs.all(x, size(predicate.a + predicate.a) > 0)', { xs: ones(300), a: LONG }],
    ['predicate.xs.all(x, size(predicate.a) > 0)', { xs: ones(300), a: LONG }],
    ['predicate.xs.all(x, predicate.a.size() > 0)', { xs: ones(300), a: LONG }],
    ['predicate.xs.all(x, predicate.a.lowerAscii() != "")', { xs: ones(300), a: LONG }],
    ['predicate.xs.all(x, predicate.a.startsWith(predicate.a))', { xs: ones(300), a: LONG }],
    ['predicate.xs.all(x, predicate.a.contains("bc") == false)', { xs: ones(300), a: LONG }],
    ['predicate.a.contains(predicate.b) == false', { a: `${LONG}c${LONG}`, b: `${LONG.slice(0, 9_999)}d` }],
    ['predicate.xs.all(x, predicate.a.fullMatch("b+"))', { xs: ones(MANY), a: LONG.slice(0, 500) }],
    ['predicate.xs.exists(x, x in predicate.ys) || true', { xs: ones(MANY).fill(3), ys: ones(MANY) }],
    ['predicate.xs.all(x, predicate.xs.exists(y, x == y + 1))', { xs: ones(100) }],
    ...[
      '!predicate.m',
      'predicate.m || x > 0.0',
      'predicate.m * 2 == 1',
      '(predicate.m ? true : false)',
      '-predicate.m == 1',
    ].map((one): [string, object] => [`predicate.xs.all(x, ${one} || x == 1.0)`, { xs: ones(1_000), m: MAP }]),
    ['predicate.xs.all(x, predicate.m.exists(k, true))', { xs: ones(1_000), m: MAP }],
    ['true || predicate.xs.all(x, x in predicate.ys) || true', {}],
  ])('counts what it runs over, as often as it does: %s', (text, predicate) => {
    const condition = compileCondition(text);
    if (!condition.ok) throw new Error(condition.message);
    const isShort = text.startsWith('true');
    const answer = isShort ? { ok: true, value: true } : { ok: false, message: 'the statement is too large for it' };
    expect(condition.evaluate({ ...INPUT, predicate }, 2_000_000)).toEqual(answer);
  });

  it('counts up to the most steps that any may take, where it is given no other number', () => {
    const [xs, ys] = [ones(60_000).fill(2), [...ones(60_000), 2]];
    const input = { ...INPUT, predicate: { xs, ys } } as unknown as typeof INPUT;
    const tooLarge = { ok: false, message: 'the statement is too large for it' };
    expect(evaluate('predicate.xs.all(x, x in predicate.ys)', input)).toEqual(tooLarge);
    const fitting = { ...INPUT, predicate: { xs: xs.slice(0, 1_000), ys: ys.slice(-10_000) } };
    expect(evaluate('predicate.xs.all(x, x in predicate.ys)', fitting as unknown as typeof INPUT)).toEqual({
      ok: true,
      value: true,
    });
  });

  const paths = Array.from({ length: 3_000 }, (_, number) => `packages/part-${number}/src/thing.ts`);
  it.each<[string, object]>([
    ['predicate.files.all(f, f in predicate.known)', { known: paths }],
    ['predicate.files.all(f, f.startsWith("packages/") && !f.contains("secret"))', {}],
    ['predicate.files.all(f, f.fullMatch("packages/part-[0-9]+/.*[.]ts") && size(f) < 200)', {}],
    ['predicate.files.all(f, size(predicate.files) < 5000 && f != predicate.human_reviewer)', {}],
    ['size(predicate.files.filter(f, f.endsWith(".ts"))) == size(predicate.files)', {}],
    ['!("x" in predicate.files) && predicate.files == predicate.files', {}],
  ])('has an answer on what is natural: %s', (text, more) => {
    const condition = compileCondition(text);
    if (!condition.ok) throw new Error(condition.message);
    const input = { ...INPUT, predicate: { ...INPUT.predicate, files: paths, ...more } };
    // Each evaluation counts from the beginning.
    for (let time = 0; time < 3; time += 1) expect(condition.evaluate(input)).toEqual({ ok: true, value: true });
  });

  it('takes no more steps than it is given', () => {
    const condition = compileCondition('predicate.files.all(f, f in predicate.files)');
    if (!condition.ok) throw new Error(condition.message);
    const input = { ...INPUT, predicate: { ...INPUT.predicate, files: paths.slice(0, 300) } };
    expect(condition.evaluate(input, 50_000)).toEqual({ ok: false, message: 'the statement is too large for it' });
    expect(condition.evaluate(input, 1_000_000)).toEqual({ ok: true, value: true });
  });

  it('goes on after few errors in a loop, which cost more than other steps', () => {
    const files = [...paths.slice(0, 500).map(() => 1), 'x'] as unknown as string[];
    const predicate = { ...INPUT.predicate, files };
    expect(evaluate('predicate.files.exists(f, f.startsWith("x"))', { ...INPUT, predicate })).toEqual({
      ok: true,
      value: true,
    });
  });

  it.each<[string, unknown]>([
    ['predicate.xs.all(x, x.o == "N" || x == 1.0)', 1],
    ['predicate.xs.all(x, x.o || x == 1.0)', 1],
    ['!predicate.xs.exists(x, x.o == "N" && x == 2.0)', 1],
    ['predicate.xs.all(x, (x.o == "N" ? true : false) || x == 1.0)', 1],
    ['size(predicate.xs.filter(x, int(x) == 2 || x == "a")) > 0', 'a'],
    ['size(predicate.xs.map(x, x.startsWith("a") || true)) > 0', 1],
    ['predicate.xs.exists_one(x, x[1] == 1 || x.o == "a" || x == 1.0)', 1],
  ])('counts an error after which it goes on, and answers after few of them: %s', (text, one) => {
    const condition = compileCondition(text);
    if (!condition.ok) throw new Error(condition.message);
    const over = { ok: false, message: 'the statement is too large for it' };
    const of = (count: number) => ({ ...INPUT, predicate: { xs: new Array(count).fill(one) } });
    expect(condition.evaluate(of(300), 300_000)).toEqual(over);
    expect(condition.evaluate(of(100), 1_000_000)).toEqual({ ok: true, value: expect.any(Boolean) });
    expect(condition.evaluate(of(300), 300_000)).toEqual(over);
  });

  it('counts long text as work', () => {
    const predicate = { ...INPUT.predicate, human_reviewer: 'a'.repeat(16 * 2_000_000) };
    expect(evaluate('predicate.human_reviewer.contains("b")', { ...INPUT, predicate }).ok).toBe(false);
  });

  it.each([
    ['image.name == "x"', ['image.name']],
    ['image["name"] == "x" || has(image.name) || image.tag == "v1"', ['image.name', 'image.tag']],
    ['certificate.email == image.constructor', ['certificate.email', 'image.constructor']],
    ['image.reference == "x" && image["digest"] == "y" && certificate.claims.email == "z"', []],
    ['predicate.name == statement.name && predicate.image.name == "x"', []],
    ['image[predicate.name] == "x" && image["na" + "me"] == "y" && [true][0]', []],
    ['predicate.files.exists(certificate_, certificate_.name == "x") && size(image) == 2 && "name" in image', []],
    ['image[0] == "x"', []],
    ['image == "x" && image[predicate] == "y" && image[statement.name] == "z"', []],
  ])('%s names the members %j that nothing ever has', (text, members) => {
    expect(compileCondition(text)).toMatchObject({ ok: true, unknownMembers: members });
  });
});
