import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CALLER_KINDS, type CallerKind, type CallerTokenRule } from './caller.ts';
import { countsEvent, eventLine, openedEvents } from './caller-event.ts';

const rule = (kind: CallerKind, ...where: Array<readonly [string | readonly string[], ...string[]]>) =>
  ({
    kind,
    issuer: 'https://forge.example',
    where: where.map(([path, ...values]) => ({ path: [path].flat(), values })),
    singleUse: false,
    confirms: {},
  }) satisfies CallerTokenRule;

describe('an event', () => {
  it('counts for the forge that means it alone', () => {
    expect(countsEvent(rule('github'), { event_name: 'release' })).toBe(true);
    expect(countsEvent(rule('gitlab'), { pipeline_source: 'release' })).toBe(false);
    expect(countsEvent(rule('gitlab'), { pipeline_source: 'web' })).toBe(true);
    expect(countsEvent(rule('github'), { event_name: 'web' })).toBe(false);
    // Each forge by its own claim.
    expect(countsEvent(rule('github'), { pipeline_source: 'push' })).toBe(false);
    expect(countsEvent(rule('gitlab'), { event_name: 'push' })).toBe(false);
    expect(
      countsEvent(rule('github'), { event_name: 'merge_request_event', project_id: '1', job_project_id: '1' }),
    ).toBe(false);
  });

  it('is no matter of issuers that are no forges', () => {
    for (const kind of CALLER_KINDS.filter((one) => one !== 'github' && one !== 'gitlab')) {
      expect(countsEvent(rule(kind), { event_name: 'issues', pipeline_source: 'trigger' }), kind).toBe(true);
      expect(openedEvents(rule(kind, ['event_name', 'issues'], ['pipeline_source', 'trigger'])), kind).toEqual([]);
      expect(eventLine(rule(kind), { event_name: 'issues' }), kind).toBeUndefined();
    }
  });

  it('is listed by a condition on the claim itself, not on a member of it or on another claim', () => {
    const claims = { event_name: 'issues' };
    expect(countsEvent(rule('github', ['event_name', 'issues']), claims)).toBe(true);
    expect(countsEvent(rule('github', [['event_name', 'issues'], 'x']), claims)).toBe(false);
    expect(countsEvent(rule('github', ['pipeline_source', 'issues']), claims)).toBe(false);
    expect(countsEvent(rule('github', ['repository_id', '42']), claims)).toBe(false);
    expect(countsEvent(rule('gitlab', ['event_name', 'trigger']), { pipeline_source: 'trigger' })).toBe(false);
  });

  it('in no two spellings counts: a merge request without a project is nobody’s', () => {
    expect(countsEvent(rule('gitlab'), { pipeline_source: 'merge_request_event' })).toBe(false);
    const of = { pipeline_source: 'merge_request_event', project_id: '7', job_project_id: '7' };
    expect(countsEvent(rule('gitlab'), of)).toBe(true);
    expect(countsEvent(rule('gitlab'), { ...of, pipeline_source: 'external_pull_request_event' })).toBe(false);
  });

  it('that is no text of a forge has no line', () => {
    expect(eventLine(rule('github'), { event_name: 'issue_comment' })).toBe('event_name: [issue_comment]');
    expect(eventLine(rule('gitlab'), { pipeline_source: 'trigger' })).toBe('pipeline_source: [trigger]');
    for (const event_name of [undefined, '', 'Push', 'a b', 'x]', 'issues\n', '_x', 'a'.repeat(65), ['push']]) {
      expect(eventLine(rule('github'), { event_name }), String(event_name)).toBeUndefined();
    }
    expect(eventLine(rule('github'), { event_name: 'a'.repeat(64) })).toBeDefined();
  });
});

describe('what an entry opens', () => {
  it('is each listed event that does not count by itself, once', () => {
    const listed = rule('github', ['event_name', 'push', 'issue_comment', 'issue_comment', 'pull_request', 'x_y']);
    expect(openedEvents(listed).map(({ event }) => event)).toEqual(['issue_comment', 'x_y']);
    expect(openedEvents(rule('gitlab', ['pipeline_source', 'web', 'release'])).map(({ event }) => event)).toEqual([
      'release',
    ]);
    expect(openedEvents(rule('github'))).toEqual([]);
  });

  it.each([
    ['issue_comment', /text/],
    ['issues', /text/],
    ['discussion', /text/],
    ['discussion_comment', /text/],
    ['commit_comment', /text/],
    ['fork', /whoever can see/],
    ['watch', /whoever can see/],
    ['gollum', /whoever can see/],
    ['pull_request_target', /from a fork/],
    ['pull_request_review', /from a fork/],
    ['pull_request_review_comment', /from a fork/],
    ['workflow_run', /another workflow/],
    ['check_run', /another workflow/],
    ['check_suite', /another workflow/],
    ['workflow_call', /another workflow/],
    ['repository_dispatch', /another program/],
    ['image_version', /not known here/],
    ['constructor', /not known here/],
  ])('%s is told', (event, words) => {
    expect(openedEvents(rule('github', ['event_name', event]))).toEqual([
      { event, opens: expect.stringMatching(words) },
    ]);
  });

  it.each([
    ['merge_request_event', /forks/],
    ['parent_pipeline', /another program/],
    ['pipeline', /another program/],
    ['trigger', /another program/],
    ['api', /another program/],
    ['chat', /not known here/],
  ])('%s of GitLab is told', (event, words) => {
    expect(openedEvents(rule('gitlab', ['pipeline_source', event]))).toEqual([
      { event, opens: expect.stringMatching(words) },
    ]);
  });

  it('is told of every event that would not count unlisted, and of no other', () => {
    const event = fc.oneof(fc.constantFrom('push', 'web', 'release', 'schedule', 'merge_group', 'issues'), fc.string());
    fc.assert(
      fc.property(fc.constantFrom('github', 'gitlab'), event, (kind, name) => {
        const claim = kind === 'github' ? 'event_name' : 'pipeline_source';
        const counts = countsEvent(rule(kind), { [claim]: name });
        expect(openedEvents(rule(kind, [claim, name])).length).toBe(counts ? 0 : 1);
      }),
    );
  });
});
