import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Asked,
  keptAnswer,
  knownDifferences,
  type RekorAnswer,
  recordedAnswers,
  rekorRequests,
} from './rekor-exchange.ts';
import { type RunningAuthority, runAuthority } from './running-authority.ts';

const recorded = recordedAnswers();
const differences = knownDifferences();
const ours: Record<string, RekorAnswer> = {};

let running: RunningAuthority;
beforeAll(async () => {
  running = await runAuthority();
  const { treeID } = (await running.get('/api/v1/log')).json() as { treeID: string };
  const asked: Asked = { treeId: BigInt(treeID), leafHashes: new Map() };
  for (const { name, method, path, contentType, body, entry } of rekorRequests(asked)) {
    const { statusCode, headers, payload } = await running.app.inject({
      method: method as 'GET' | 'POST' | 'DELETE',
      url: path,
      headers: { accept: '*/*', ...(body !== undefined && { 'content-type': contentType }) },
      ...(body !== undefined && { payload: body }),
    });
    if (entry !== undefined && statusCode === 201) {
      asked.leafHashes.set(entry, Object.keys(JSON.parse(payload))[0]!.slice(16));
    }
    const [location = null, type = null] = [headers['location'], headers['content-type']];
    ours[name] = keptAnswer({ status: statusCode, location, type, body: payload }, asked);
  }
});
afterAll(() => running.remove());

/** What of an answer a client goes by: the sentence of a refusal is for people. */
function withoutSentence({ body, ...rest }: RekorAnswer): RekorAnswer {
  const isRefusal = rest.status >= 400 && typeof body === 'object' && body !== null && !Array.isArray(body);
  return { ...rest, body: isRefusal ? { ...(body as object), message: '{text}' } : body } as RekorAnswer;
}

const differing = new Map(differences.flatMap(({ answers }) => Object.entries(answers)));

test.each(Object.keys(recorded))('%s', (name) => {
  const rekor = withoutSentence(recorded[name]!);
  const answer = withoutSentence(ours[name]!);
  const difference = differing.get(name);
  expect(answer).toEqual({ ...rekor, ...difference });
  // A difference that is none any more is taken out of the file.
  if (difference !== undefined) expect(answer).not.toEqual(rekor);
});

test('every difference has its reason and belongs to one request', () => {
  for (const { reason } of differences) expect(reason).toMatch(/^[A-Z].{20,}\.$/);
  const names = differences.flatMap(({ answers }) => Object.keys(answers));
  expect(names.filter((name, i) => !(name in recorded) || names.indexOf(name) !== i)).toEqual([]);
  expect(Object.keys(ours)).toEqual(Object.keys(recorded));
});
