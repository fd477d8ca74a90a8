import { describe, expect, it } from 'vitest';
import { normaliseRegistry, spellingsOf } from './registry-name.ts';

describe('a registry', () => {
  it.each([
    ['ghcr.io', 'ghcr.io'],
    ['GHCR.io', 'ghcr.io'],
    ['ghcr.io:443', 'ghcr.io'],
    ['ghcr.io:80', 'ghcr.io:80'],
    ['ghcr.io:5000', 'ghcr.io:5000'],
    ['ghcr.io:1', 'ghcr.io:1'],
    ['ghcr.io:65535', 'ghcr.io:65535'],
    ['a', 'a'],
    ['xn--a.example', 'xn--a.example'],
    ['docker.io', 'index.docker.io'],
    ['Docker.IO:443', 'index.docker.io'],
    ['index.docker.io', 'index.docker.io'],
    ['index.docker.io:443', 'index.docker.io'],
    ['registry-1.docker.io', 'index.docker.io'],
    ['registry-1.docker.io:443', 'index.docker.io'],
    ['registry.hub.docker.com', 'index.docker.io'],
    ['registry.hub.docker.com:443', 'index.docker.io'],
    ['docker.io:5000', 'docker.io:5000'],
    ['localhost', 'localhost'],
    ['localhost:80', 'localhost'],
    ['localhost:443', 'localhost:443'],
    ['localhost:7080', 'localhost:7080'],
    ['LOCALHOST:7080', 'localhost:7080'],
    ['x.localhost:7080', 'localhost:7080'],
    ['127.0.0.1:7080', 'localhost:7080'],
    ['127.9.9.9', 'localhost'],
    ['0.0.0.0:7080', 'localhost:7080'],
    ['[::1]', 'localhost'],
    ['[::1]:80', 'localhost'],
    ['[::1]:7080', 'localhost:7080'],
    ['[::]:7080', 'localhost:7080'],
    ['[0:0:0:0:0:0:0:1]:7080', 'localhost:7080'],
    ['[0000::0001]:7080', 'localhost:7080'],
    ['[::FFFF:7F00:1]:7080', 'localhost:7080'],
    ['[::ffff:8000:1]:7080', '[0:0:0:0:0:ffff:8000:1]:7080'],
    ['[::fffe:7f00:1]:7080', '[0:0:0:0:0:fffe:7f00:1]:7080'],
    ['[1::ffff:7f00:1]', '[1:0:0:0:0:ffff:7f00:1]'],
    ['[::2]:7080', '[0:0:0:0:0:0:0:2]:7080'],
    ['[::1:1]', '[0:0:0:0:0:0:1:1]'],
    ['[1::1]', '[1:0:0:0:0:0:0:1]'],
    ['[1::]', '[1:0:0:0:0:0:0:0]'],
    ['[2001:0DB8:0:0:0:0:0:01]:443', '[2001:db8:0:0:0:0:0:1]'],
    ['[1:2:3:4:5:6:7::]', '[1:2:3:4:5:6:7:0]'],
    ['10.0.0.1:443', '10.0.0.1'],
    ['255.255.255.255', '255.255.255.255'],
    ['127.0.0.1.example', '127.0.0.1.example'],
    ['localhost.example', 'localhost.example'],
    ['xlocalhost', 'xlocalhost'],
  ])('%s is %s', (registry, expected) => {
    expect(normaliseRegistry(registry)).toBe(expected);
    // Its own name is its name.
    expect(normaliseRegistry(expected)).toBe(expected);
  });

  it.each([
    '',
    ':443',
    'ghcr.io:',
    'ghcr.io:0',
    'ghcr.io:0443',
    'ghcr.io:00443',
    'ghcr.io:65536',
    'ghcr.io:99999',
    'ghcr.io:123456',
    'ghcr.io:443:443',
    'ghcr.io:x',
    'ghcr.io.',
    '.ghcr.io',
    '-ghcr.io',
    'ghcr.io-',
    'gh cr.io',
    'ghcr.io\n',
    'user@ghcr.io',
    'a'.repeat(255),
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '0x7f000001',
    '1.2.3.0x',
    '0177.0.0.1',
    '127.0.0.01',
    '127.0.0.256',
    '1.2.3.4.5',
    '1.2.3',
    'ghcr.1',
    'a.b.c.1',
    '[]',
    '[:]',
    '[1]',
    '[::1',
    '::1',
    '[::1]x',
    '[::1::]',
    '[1:2:3:4:5:6:7]',
    '[1:2:3:4:5:6:7:8:9]',
    '[1:2:3:4:5:6:7:8::]',
    '[::12345]',
    '[::1]:07080',
    '[::1]:65536',
    '[:::1]',
    '[::1%lo]',
    '[::127.0.0.1]',
  ])('%j is none', (registry) => {
    expect(normaliseRegistry(registry)).toBeUndefined();
  });

  it('has spellings that all are it', () => {
    expect(spellingsOf('ghcr.io')).toEqual(['ghcr.io', 'ghcr.io:443']);
    expect(spellingsOf('ghcr.io:5000')).toEqual(['ghcr.io:5000']);
    expect(spellingsOf('localhost')).toContain('127.0.0.1:80');
    expect(spellingsOf('localhost:7080')).toEqual([
      'localhost:7080',
      '127.0.0.1:7080',
      '[::1]:7080',
      '[0:0:0:0:0:0:0:1]:7080',
    ]);
    expect(spellingsOf('index.docker.io')).toContain('docker.io');
    expect(spellingsOf('index.docker.io')).toContain('registry.hub.docker.com:443');
    for (const registry of [
      'ghcr.io',
      'ghcr.io:5000',
      'localhost',
      'localhost:7080',
      'index.docker.io',
      '[1:0:0:0:0:0:0:1]',
    ]) {
      expect(spellingsOf(registry)).toContain(registry);
      for (const spelling of spellingsOf(registry)) expect(normaliseRegistry(spelling)).toBe(registry);
    }
  });
});
