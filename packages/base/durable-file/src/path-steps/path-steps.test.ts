import { spawnSync } from 'node:child_process';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stepsTo } from './path-steps.ts';

describe.skipIf(process.platform === 'win32')('the way to a file', () => {
  /** `real/file`, `link` to `real`, `far` to `link/file` by its whole path. */
  function folderOfLinks(): string {
    const folder = realpathSync(temporaryFolder(onTestFinished));
    mkdirSync(join(folder, 'real'));
    writeFileSync(join(folder, 'real/file'), '');
    symlinkSync('./real/../real', join(folder, 'link'));
    symlinkSync(join(folder, 'link/file'), join(folder, 'far'));
    symlinkSync('round', join(folder, 'round'));
    return folder;
  }
  const shownFrom = (folder: string, file: string) =>
    stepsTo(join(folder, file))
      .filter(({ path }) => path.startsWith(folder))
      .map(({ path, name, entry }) => [join('.', path.slice(folder.length), name), entry?.isSymbolicLink()]);

  it('has every name once, and what links lead to', () => {
    const folder = folderOfLinks();
    const link = [
      ['link', true],
      ['real', false],
      ['real', false],
      ['real/file', false],
    ]; // prettier-ignore
    expect(shownFrom(folder, 'link/file')).toEqual(link);
    expect(shownFrom(folder, 'far')).toEqual([['far', true], ...link]);
    expect(shownFrom(folder, './real//../link/./file')).toEqual([...link]);
  });

  it('goes back from where a link leads, as the system does', () => {
    const folder = folderOfLinks();
    mkdirSync(join(folder, 'real/below'));
    symlinkSync('real/below', join(folder, 'deep'));
    expect(stepsTo(`${folder}/deep/../file`).at(-1)).toMatchObject({ path: join(folder, 'real'), name: 'file' });
  });

  it('ends where nothing stands', () => {
    const folder = folderOfLinks();
    expect(shownFrom(folder, 'link/none').at(-1)).toEqual(['real/none', undefined]);
    expect(() => stepsTo(join(folder, 'link/none/more'))).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  });

  it('is refused where it never ends, or goes through a file', () => {
    const folder = folderOfLinks();
    expect(() => stepsTo(join(folder, 'round'))).toThrow(expect.objectContaining({ code: 'ELOOP' }));
    expect(() => stepsTo(join(folder, 'real/file/more'))).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
  });

  it.runIf(process.platform === 'linux')('ends at what is open and has no name', () => {
    const script = `import { stepsTo } from '${join(import.meta.dirname, 'path-steps.ts')}';
      const { path, name, entry } = stepsTo('/dev/stdin').at(-1);
      console.log(path.startsWith('/proc/'), name, entry.isSymbolicLink());`;
    const piped = spawnSync(process.execPath, ['--input-type=module', '-e', script], { input: 'x', encoding: 'utf8' });
    expect(piped.stdout).toBe('true 0 true\n');
    expect(stepsTo('/proc/self/exe').at(-1)?.entry?.isFile()).toBe(true);
  });
});
