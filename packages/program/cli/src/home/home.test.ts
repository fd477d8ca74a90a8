import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { dataFolder, reviewerSecretFile } from './home.ts';

test.each([
  [{ HOME: '/people/a' }, undefined, '/people/a/.local/share/colophon'],
  [{ HOME: '/people/a', XDG_DATA_HOME: '/data' }, undefined, '/data/colophon'],
  [{ HOME: '/people/a', XDG_DATA_HOME: 'relative' }, undefined, '/people/a/.local/share/colophon'],
  [{ HOME: '/people/a', XDG_DATA_HOME: '' }, undefined, '/people/a/.local/share/colophon'],
  [{ HOME: '/people/a', COLOPHON_HOME: '/mine', XDG_DATA_HOME: '/data' }, undefined, '/mine'],
  [{ HOME: '/people/a', COLOPHON_HOME: 'here' }, undefined, resolve('here')],
  [{ HOME: '/people/a', COLOPHON_HOME: '/mine' }, '/flag', '/flag'],
  [{ HOME: '/people/a' }, 'flag', resolve('flag')],
  [{}, undefined, `${homedir()}/.local/share/colophon`],
])('with %j and --data %s the data lies in %s', (env, flag, folder) => {
  expect(dataFolder(env, flag)).toBe(folder);
});

test.each([
  [{ HOME: '/people/a' }, '/people/a/.config/colophon/reviewer-secret'],
  [{ HOME: '/people/a', XDG_CONFIG_HOME: '/config' }, '/config/colophon/reviewer-secret'],
  [{ HOME: '/people/a', XDG_CONFIG_HOME: './config' }, '/people/a/.config/colophon/reviewer-secret'],
  [{ HOME: '/people/a', COLOPHON_HOME: '/mine' }, '/people/a/.config/colophon/reviewer-secret'],
])('with %j the reviewers’ secret is %s, apart from the data', (env, file) => {
  expect(reviewerSecretFile(env)).toBe(file);
});
