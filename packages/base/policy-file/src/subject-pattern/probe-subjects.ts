/**
 * Subjects and issuers that belong to nobody. A pattern that accepts one of them accepts strangers: bare words of
 * many lengths and alphabets, so that `.{20,}` and `[^q]+` are seen too, and the shapes that every issuer's subjects
 * have (an address, a URL, `kind:name`) around names that nobody would write into a policy.
 * `agent:`, `reviewer:` and the like are absent on purpose: `^agent:.*` is a constraint (contract §5.2).
 */
export const PROBE_SUBJECTS: readonly string[] = [
  'q',
  'zj',
  '7',
  'Vx9',
  'wvkqz',
  '83164027',
  'XQZJVKWP',
  'zq4-vj_8.xk',
  'f3b9c07de1a84526',
  'kqzvj wpxgy bmfdh',
  'jvkqxzwpbgydmfhcrltnsaoeiu0918273645',
  'zqxjkvwp'.repeat(16),
  '!"#$%&()*+,;<=>?[]^_{|}~',
  'щъэюя',
  '漢字かな',
  'zq\nxj',
  'vkqzj.wpx@zqxjkv.invalid',
  'xqzvj:wpkgy',
  'xqzvj://wpkgy.invalid/jzq/xvk',
  'https://zqxjkv.invalid',
  'https://zqxjkv.invalid/wpkgy/vjq.yml@refs/heads/zxj',
];

/** Subjects of agents that nobody would name: a pattern that accepts one of them accepts agents. */
export const PROBE_AGENTS: readonly string[] = [
  'agent:q',
  'agent:zqxjkv-7',
  'agent:Vx9.wvk_q',
  `agent:${'zqxjkvwp'.repeat(8)}`,
  'agent:zqxj@vkq.invalid',
  'agent:reviewer:zqxj@vkq.invalid',
];

/** Reviewers that nobody would name: a pattern that accepts all of them accepts whoever an issuer certifies. */
export const PROBE_REVIEWERS: readonly string[] = [
  'reviewer:q@zqxj.invalid',
  'reviewer:zqxj.kvw@vkq.invalid',
  'reviewer:Vx9_wvk@q-zj.vkq.invalid',
];
