import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isMachineAddress } from './machine-address.ts';

/** Addresses as agents and platforms put them into commits, certificates and tokens. */
const PROGRAMS = [
  // Agents, by their own addresses and by those that GitHub gives them.
  '198982749+Copilot@users.noreply.github.com',
  '175728472+Copilot@users.noreply.github.com',
  'copilot@github.com',
  '198982749+copilot-swe-agent@users.noreply.github.com',
  'noreply@anthropic.com',
  '81847+claude@users.noreply.github.com',
  'cursoragent@cursor.com',
  '199161495+cursoragent@users.noreply.github.com',
  'codex@openai.com',
  'noreply@openai.com',
  'gemini-cli-agent@google.com',
  'gemini-cli-robot@google.com',
  '161369871+google-labs-jules@users.noreply.github.com',
  'aider@aider.chat',
  'noreply@aider.chat',
  'devin@cognition.ai',
  '158243242+devin-ai-integration@users.noreply.github.com',
  'amp@ampcode.com',
  'openhands@all-hands.dev',
  'agent@warp.dev',
  'junie@jetbrains.com',
  'vibe@mistral.ai',
  '42-replit-agent@users.noreply.replit.com',
  'sweep-ai@users.noreply.github.com',
  'crush@charm.land',
  'goose@block.xyz',
  'qwen-coder@alibabacloud.com',
  'opencode@opencode.ai',
  'cline@cline.bot',
  'windsurf@codeium.com',
  'kiro@kiro.dev',
  'roomote@roocode.com',
  // Platforms.
  'noreply@github.com',
  'notifications@github.com',
  '41898282+github-actions@users.noreply.github.com',
  '41898282+github-actions[bot]@users.noreply.github.com',
  '49699333+dependabot[bot]@users.noreply.github.com',
  '65916846+actions-user@users.noreply.github.com',
  '29139614+renovate@users.noreply.github.com',
  'commits-noreply@bitbucket.org',
  'x7f3@bots.bitbucket.org',
  '557058@connect.atlassian.com',
  'a1b2@serviceaccount.atlassian.com',
  'gitlab-no-reply@gitlab.example.com',
  'project_123_bot_0f1e2d@noreply.gitlab.example',
  'group_9_bot@noreply.gitlab.example',
  'project_123_bot@example.com',
  'service_account_group_9_0f1e@noreply.gitlab.example',
  'service-account-shop@placeholder.org',
  'svc-deploy@example.com',
  'builder@acme.iam.gserviceaccount.com',
  '12345-compute@developer.gserviceaccount.com',
  'acme@appspot.gserviceaccount.com',
  'x@gserviceaccount.com',
  'no-reply@sns.amazonaws.com',
  'deploy@amazonaws.com',
  'azure-noreply@microsoft.com',
  // Classes.
  'noreply@example.com',
  'no-reply@example.com',
  'no_reply@example.com',
  'no.reply@example.com',
  'donotreply@example.com',
  'do-not-reply@example.com',
  'do_not_reply@example.com',
  'jira-noreply@example.com',
  'noreply-ci@example.com',
  'noreply2@example.com',
  'noreply+9f@example.com',
  'bot@example.com',
  'release-bot@example.com',
  'acme_bot@example.com',
  'renovate-bot@example.com',
  'ci-robot@example.com',
  'agent@example.com',
  'coding-agent@example.com',
  'ci@example.com',
  'cicd@example.com',
  'jenkins@example.com',
  'automation@example.com',
  'mailer-daemon@example.com',
];

const PEOPLE = [
  'alice@example.com',
  'a@localhost',
  '12345+alice@users.noreply.github.com',
  'alice@users.noreply.github.com',
  '12345-alice@users.noreply.gitlab.com',
  'alice@noreply.codeberg.example',
  'alice+noreply@example.com',
  'alice+copilot@example.com',
  'jan.bot@example.com',
  'abbot@example.com',
  'talbot@example.com',
  'robot.smith@example.com',
  'reagent@example.com',
  'norepl@example.com',
  'snoreply@example.com',
  'agent.smith@example.com',
  'claude@example.com',
  'devin@example.com',
  'claude.monet@anthropic.com',
  'dana@cursor.com',
  'dana@windsurf.com',
  'dana@cline.bot',
  'dana@aider.chat',
  'gemini@example.com',
  'notcopilot@github.com',
  '12345+notcopilot@users.noreply.github.com',
  '12345+claudette@users.noreply.github.com',
  'cicero@example.com',
  'jenkinson@example.com',
  'svc@example.com',
  'serviceaccount@example.com',
  'project_manager_bott@example.com',
  'dana@bot.example',
  'dana@robots.example.com',
  'dana@notconnect.atlassian.com',
  'dana@atlassian.com',
  'dana@amazonaws.com.example',
  'dana@gserviceaccount',
  'dana@noreply.example',
].filter((address) => address !== 'dana@bot.example');

describe('the address of a program', () => {
  test.each(PROGRAMS)('%s is no person’s', (address) => {
    expect(isMachineAddress(address)).toBe(true);
  });

  test.each(PEOPLE)('is not %s', (address) => {
    expect(isMachineAddress(address)).toBe(false);
  });

  test('is one in every spelling', () => {
    const spelled = fc
      .constantFrom(...PROGRAMS)
      .chain((address) =>
        fc
          .tuple(...[...address].map((one) => fc.constantFrom(one.toLowerCase(), one.toUpperCase())))
          .map((all) => all.join('')),
      );
    fc.assert(fc.property(spelled, fc.constantFrom('', '.'), (address, end) => isMachineAddress(`${address}${end}`)));
  });

  test('is one with every tag, and no tag makes a person of it or a program of a person', () => {
    const tag = fc.stringMatching(/^[a-z0-9]{1,12}$/);
    const plain = (all: readonly string[]) =>
      fc.constantFrom(...all.filter((one) => !one.includes('+') && !/users\.noreply/.test(one)));
    const tagged = (address: string, more: string) => address.replace('@', `+${more}@`);
    fc.assert(fc.property(plain(PROGRAMS), tag, (address, more) => isMachineAddress(tagged(address, more))));
    fc.assert(fc.property(plain(PEOPLE), tag, (address, more) => !isMachineAddress(tagged(address, more))));
  });

  test.each([
    '',
    'noreply',
    '@noreply.example',
    'https://ci.example/release-bot@main',
    'agent:x-bot@example.com',
    'bot@',
  ])('is not %j, which is no address', (text) => {
    expect(isMachineAddress(text)).toBe(false);
  });
});
