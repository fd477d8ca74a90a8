import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMANDS, INPUTS, OUTPUTS, type RecipeInput, variableOf } from './inputs.ts';

const ROOT = join(import.meta.dirname, '..');
const NOTE = '# Written by `npx node recipes/write.ts` from recipes/inputs.ts and recipes/colophon.sh.\n';
const PAGE = 'docs/ci-recipes.md';

/** Every file that follows from the inputs and the script, by its path in the repository. */
export function recipeFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['recipes/github/action.yml', githubAction()],
    ['recipes/gitlab/templates/colophon.yml', gitlabComponent()],
    [PAGE, pageWithTables(readFileSync(join(ROOT, PAGE), 'utf8'))],
  ]);
}

/** Which of them are not as they would be written, and which inputs the script does not check, one sentence each. */
export function recipeProblems(): string[] {
  const script = readScript();
  const named = (list: string) =>
    new RegExp(`^readonly ${list}='([^']*)'`, 'm')
      .exec(script)?.[1]
      ?.split(/\s+/)
      .map((name) => `COLOPHON_INPUT_${name}`) ?? [];
  const [values, lists] = [named('VALUES'), named('LISTS')];
  return [
    ...[...recipeFiles()]
      .filter(([path, text]) => readFileSync(join(ROOT, path), 'utf8') !== text)
      .map(([path]) => `${path}: is not what \`npx node recipes/write.ts\` writes`),
    ...INPUTS.filter(({ name, isList = false }) => !(isList ? lists : values).includes(variableOf(name))).map(
      ({ name }) => `recipes/colophon.sh: does not check the input ${name}`,
    ),
  ];
}

const readScript = () => readFileSync(join(ROOT, 'recipes/colophon.sh'), 'utf8');

function githubAction(): string {
  return `${NOTE}# It uses no other action, and no input becomes a part of a script.
name: Colophon
description: Installs Colophon, signs, attests, checks and admits what agents made, and makes SBOMs
inputs:
  command:
    description: ${scalar(COMMANDS.join(', '))}
    required: true
${INPUTS.map(({ name, description }) => `  ${name}:\n    description: ${scalar(description)}\n    default: ""\n`).join('')}outputs:
${OUTPUTS.map(
  ({ name, description }) =>
    `  ${name}:\n    description: ${scalar(description)}\n    value: \${{ steps.colophon.outputs.${name} }}\n`,
).join('')}runs:
  using: composite
  steps:
    - id: colophon
      shell: sh
      env:
        ${variableOf('command')}: \${{ inputs.command }}
${INPUTS.map(({ name }) => `        ${variableOf(name)}: \${{ inputs.${name} }}\n`).join('')}      run: sh "$GITHUB_ACTION_PATH/../colophon.sh" "$${variableOf('command')}"
`;
}

// A component is one YAML file: it has to carry the script.
function gitlabComponent(): string {
  const script = readScript();
  if (script.includes('$[[')) throw new TypeError('GitLab would replace $[[ in the script');
  return `${NOTE}# No input becomes a part of a script: each is a variable of the job.
spec:
  inputs:
    job-name:
      description: "name of the job"
      default: colophon
    stage:
      description: "stage of the job"
      default: test
    image:
      description: "container image of the job, by its digest: with curl, and Node.js 24.15 or newer for the npm package"
    needs:
      description: "jobs whose artifacts and variables it gets; none if empty"
      type: array
      default: []
    artifacts:
      description: "files to keep as artifacts of the job"
      type: array
      default: ["**/*.sigstore.json"]
    command:
      description: ${scalar(`${componentCommands().join(', ')}; the program is installed before`)}
      options: ${JSON.stringify(componentCommands())}
${INPUTS.map((input) => `    ${input.name}:\n      description: ${scalar(input.description)}\n${requirement(input)}`).join('')}---
"$[[ inputs.job-name ]]":
  stage: $[[ inputs.stage ]]
  image: $[[ inputs.image ]]
  needs: $[[ inputs.needs ]]
  variables:
    COLOPHON_DOTENV: colophon.env
    ${variableOf('command')}:
      value: "$[[ inputs.command ]]"
      expand: false
${INPUTS.map(variable).join('')}  script:
    - |
      script=$(mktemp)
      cat >"$script" <<'COLOPHON_SH'
${script.replace(/^(?=.)/gm, '      ')}      COLOPHON_SH
      status=0
      sh "$script" install "$${variableOf('command')}" || status=$?
      rm "$script"
      exit "$status"
  artifacts:
    when: always
    paths: $[[ inputs.artifacts ]]
    reports:
      dotenv: colophon.env
`;
}

const componentCommands = () => COMMANDS.filter((command) => command !== 'install');

/** Of the component alone, what installs the program has to be given. */
const requirement = ({ commands }: RecipeInput) => (commands.includes('install') ? '' : '      default: ""\n');

function variable({ name, hasVariables = false }: RecipeInput): string {
  return `    ${variableOf(name)}:\n      value: "$[[ inputs.${name} ]]"\n      expand: ${hasVariables}\n`;
}

const TABLE = /(?<=<!-- (inputs|outputs) -->\n)[\s\S]*?(?=<!-- \/\1 -->)/g;

function pageWithTables(page: string): string {
  return page.replace(TABLE, (_old, which) => (which === 'inputs' ? inputTable() : outputTable()));
}

function inputTable(): string {
  const rows = INPUTS.map(
    ({ name, commands, description, hasVariables = false }) =>
      `| \`${name}\`${hasVariables ? ' $' : ''} | ${commands.join(', ')} | ${description} |\n`,
  );
  return `| Input | Commands | What |\n|---|---|---|\n${rows.join('')}`;
}

function outputTable(): string {
  const rows = OUTPUTS.map(
    ({ name, description }) =>
      `| \`${name}\` | \`${`COLOPHON_${name.toUpperCase().replace('-', '_')}`}\` | ${description} |\n`,
  );
  return `| On GitHub | On GitLab | What |\n|---|---|---|\n${rows.join('')}`;
}

/** A text as YAML on one line. */
const scalar = (text: string) => JSON.stringify(text);
