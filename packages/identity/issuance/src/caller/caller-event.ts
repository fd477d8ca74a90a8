import type { CallerTokenRule } from './caller.ts';
import { claimText } from './caller-book.ts';
import { FORGE_CLAIMS } from './forge-claims.ts';

type Claims = Readonly<Record<string, unknown>>;

/**
 * Events that count where an entry lists none: those that only somebody of the project can cause, or that GitHub gives no
 * token to for a stranger (`pull_request` of a fork). Any other may run a job with the rights of the project on what a
 * stranger wrote.
 */
const EVENTS_OF_THE_PROJECT: Readonly<Partial<Record<CallerTokenRule['kind'], ReadonlySet<unknown>>>> = {
  /** @see https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows */
  github: new Set(['push', 'schedule', 'workflow_dispatch', 'merge_group', 'release', 'pull_request']),
  /** @see https://docs.gitlab.com/ci/jobs/job_rules/#ci_pipeline_source-predefined-variable */
  gitlab: new Set(['push', 'schedule', 'web']),
};

/** True where the event that ran a job counts: the entry lists it, by its conditions, or it is one of the project's own. */
export function countsEvent(rule: CallerTokenRule, claims: Claims): boolean {
  const events = EVENTS_OF_THE_PROJECT[rule.kind];
  if (events === undefined || listedEvents(rule) !== undefined) return true;
  const event = claimText(claims, FORGE_CLAIMS[rule.kind].trigger ?? []);
  return events.has(event) || (rule.kind === 'gitlab' && event === 'merge_request_event' && isOfOwnBranch(claims));
}

/**
 * Whether a merge request's branch lies in the project that runs its job: `project_id` is the source's since GitLab
 * 18.2.2, and `job_project_id` says where the job runs. Of a GitLab without it nobody can tell.
 * @see https://docs.gitlab.com/ci/secrets/id_token_authentication/
 */
function isOfOwnBranch(claims: Claims): boolean {
  const source = claimText(claims, ['project_id']);
  return source !== undefined && source === claimText(claims, ['job_project_id']);
}

/** The line of `where` that lets a job's event in; undefined where its token names none that could be listed. */
export function eventLine({ kind }: CallerTokenRule, claims: Claims): string | undefined {
  const path = FORGE_CLAIMS[kind].trigger ?? [];
  const event = claimText(claims, path);
  return event !== undefined && EVENT_NAME.test(event) ? `${path.join()}: [${event}]` : undefined;
}

/** As forges write them; anything else is not repeated in an answer. */
const EVENT_NAME = /^[a-z][a-z0-9_]{0,63}$/;

/** An event that an entry lists, and whom it lets run the entry's job. */
export type OpenedEvent = { readonly event: string; readonly opens: string };

/** What an entry lets in beyond the events that count without being listed, each with what that opens. */
export function openedEvents(rule: CallerTokenRule): readonly OpenedEvent[] {
  const events = EVENTS_OF_THE_PROJECT[rule.kind];
  if (events === undefined) return [];
  const opened = (listedEvents(rule) ?? []).filter((event) => !events.has(event));
  return [...new Set(opened)].map((event) => ({ event, opens: opensOf(event) }));
}

/** The values of the conditions on the event; undefined where there is none. */
function listedEvents({ kind, where }: CallerTokenRule): readonly string[] | undefined {
  const claim = FORGE_CLAIMS[kind].trigger;
  const conditions = where.filter(({ path }) => claim !== undefined && path.length === 1 && path[0] === claim[0]);
  return conditions.length === 0 ? undefined : conditions.flatMap(({ values }) => values);
}

const ANYBODY = 'whoever can see the repository runs this job, with the rights of its default branch';

/** What is known of events that are listed often; of any other nothing is. */
const OPENS: ReadonlyArray<{ readonly events: readonly string[]; readonly opens: string }> = [
  {
    events: ['issues', 'issue_comment', 'discussion', 'discussion_comment', 'commit_comment'],
    opens: `${ANYBODY}, and writes text that reaches the agent`,
  },
  { events: ['fork', 'watch', 'gollum', 'star'], opens: ANYBODY },
  {
    events: ['pull_request_target', 'pull_request_review', 'pull_request_review_comment'],
    opens:
      'whoever opens or reviews a pull request, from a fork too, runs this job, and writes text that reaches the agent',
  },
  {
    events: ['workflow_run', 'check_run', 'check_suite', 'workflow_call'],
    opens: 'another workflow runs this job, and a stranger may have run that one: its artifacts are theirs',
  },
  {
    events: ['merge_request_event'],
    opens: 'merge requests from forks run this job, with the commit of the fork',
  },
  {
    events: ['parent_pipeline', 'pipeline', 'trigger', 'api', 'repository_dispatch'],
    opens: 'another program runs this job, and what made that program run is not told',
  },
];

function opensOf(event: string): string {
  const known = OPENS.find(({ events }) => events.includes(event));
  return known?.opens ?? 'who can cause this event is not known here: take it for anybody';
}
