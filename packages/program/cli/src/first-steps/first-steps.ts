type Step = { readonly line: string; readonly shows: string };

/** What a newcomer can type, one for each kind of user; the first needs neither files nor services. */
export const FIRST_STEPS: readonly Step[] = [
  { line: 'colophon demo', shows: 'all steps, with real cryptography, in seconds' },
  { line: 'colophon up', shows: 'token issuer, CA and log for your own agents' },
  { line: 'colophon sbom validate bom.json', shows: 'if the SBOM is valid, and what is wrong in it' },
  { line: 'colophon scan import grype.json', shows: 'the findings of any scanner, as one list' },
  { line: 'colophon inspect token.jwt', shows: 'a token, certificate, bundle or log entry' },
];

/** What the program says where a line names no command, as a text of 80 columns. */
export function firstStepsText(): string {
  const width = Math.max(...FIRST_STEPS.map(({ line }) => line.length));
  return [
    'Which agent made this, with which model, reviewed by whom, and may it ship?',
    '',
    'Five things to try, and what they show:',
    ...FIRST_STEPS.map(({ line, shows }) => `  ${line.padEnd(width)}  ${shows}`),
    '',
    'All commands: colophon --help. One of them, with examples: colophon help demo.',
    '',
  ].join('\n');
}
