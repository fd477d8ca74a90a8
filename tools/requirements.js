// Says in one line what is missing on this machine, before tests and checks fail in words of their own: the scripts of
// package.json start with it. Plain JavaScript, which an old Node reads as well.
const [major, minor] = process.versions.node.split('.').map(Number);

/** One line that says what to install or to run; undefined where nothing is missing. */
async function whatIsMissing() {
  if (major < 24 || (major === 24 && minor < 15)) {
    return `Colophon needs Node.js 24.15 or newer here, and this is ${process.versions.node}: install one from https://nodejs.org, then run npm ci again.`;
  }
  // Vite's own warning; then it finds no file of the tests.
  if (/[#?]/.test(process.cwd()) && /^test/.test(process.env.npm_lifecycle_event ?? '')) {
    return 'The test runner does not work in a folder whose path has # or ?: move the checkout. The program itself does.';
  }
  try {
    // The test runner's own compiled part: npm leaves it out, without a word, on a Node that its `engines` do not name.
    await import('rolldown');
    return undefined;
  } catch {
    const installer = /\bnode\/v(\S+)/.exec(process.env.npm_config_user_agent ?? '')?.[1];
    const reason = installer === undefined ? '' : `, since npm runs on Node.js ${installer}`;
    return `Compiled parts of the test runner are not installed${reason}: run npm exec -c 'npm ci' once, which runs npm on Colophon's own Node.js.`;
  }
}

const line = await whatIsMissing();
if (line !== undefined) {
  console.error(line);
  process.exitCode = 1;
}
