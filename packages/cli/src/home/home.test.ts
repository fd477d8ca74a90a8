import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { dataFolder, reviewerSecretFile } from './home.ts';

test.each([
  [{ HOME: '/home/a' }, undefined, '/home/a/.local/share/colophon'],
  [{ HOME: '/home/a', XDG_DATA_HOME: '/data' }, undefined, '/data/colophon'],
  [{ HOME: '/home/a', XDG_DATA_HOME: 'relative' }, undefined, '/home/a/.local/share/colophon'],
  [{ HOME: '/home/a', XDG_DATA_HOME: '' }, undefined, '/home/a/.local/share/colophon'],
  [{ HOME: '/home/a', COLOPHON_HOME: '/mine', XDG_DATA_HOME: '/data' }, undefined, '/mine'],
  [{ HOME: '/home/a', COLOPHON_HOME: 'here' }, undefined, resolve('here')],
  [{ HOME: '/home/a', COLOPHON_HOME: '/mine' }, '/flag', '/flag'],
  [{ HOME: '/home/a' }, 'flag', resolve('flag')],
  [{}, undefined, `${homedir()}/.local/share/colophon`],
])('with %j and --data %s the data lies in %s', (env, flag, folder) => {
  expect(dataFolder(env, flag)).toBe(folder);
});

test.each([
  [{ HOME: '/home/a' }, '/home/a/.config/colophon/reviewer-secret'],
  [{ HOME: '/home/a', XDG_CONFIG_HOME: '/config' }, '/config/colophon/reviewer-secret'],
  [{ HOME: '/home/a', XDG_CONFIG_HOME: './config' }, '/home/a/.config/colophon/reviewer-secret'],
  [{ HOME: '/home/a', COLOPHON_HOME: '/mine' }, '/home/a/.config/colophon/reviewer-secret'],
])('with %j the reviewers’ secret is %s, apart from the data', (env, file) => {
  expect(reviewerSecretFile(env)).toBe(file);
});
