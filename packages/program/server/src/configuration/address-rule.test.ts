import { expect, it } from 'vitest';
import {
  hasAddress,
  isListenAddress,
  isLoopbackAddress,
  isNetwork,
  isServiceAddress,
  networksOf,
} from './address-rule.ts';

const which = (is: (text: string) => boolean, ...texts: readonly string[]) => texts.filter(is);

it('a server listens on an IP address or on localhost', () => {
  const texts = ['localhost', '0.0.0.0', '::', '10.1.2.3', 'example.com', '', '10.1.2', 'LOCALHOST', '10.0.0.0/8'];
  expect(which(isListenAddress, ...texts)).toEqual(['localhost', '0.0.0.0', '::', '10.1.2.3']);
});

it('loopback is what no other machine reaches', () => {
  const loopback = ['localhost', '127.0.0.1', '127.9.9.9', '::1'];
  const others = ['0.0.0.0', '::', '10.0.0.1', '128.0.0.1', 'localhost.evil.example', '', '::2'];
  expect(which(isLoopbackAddress, ...loopback, ...others)).toEqual(loopback);
});

it('a network is an address, with as many bits as its family has at most', () => {
  const networks = ['10.0.0.0/8', '10.0.0.1', '10.0.0.0/32', 'fd00::/8', '::1', '::/128'];
  const none = [
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/x',
    '10.0.0.0/8/8',
    '/8',
    '',
    'host/8',
    '10.0.0.0/-1',
    '10.0.0.0/1x',
    '10.0.0.0/1e1',
    '10.0.0.0/8 ',
  ];
  expect(which(isNetwork, ...networks, ...none)).toEqual(networks);
});

it('a peer is found by address and by network, in its own family', () => {
  const list = networksOf(['10.0.0.0/8', '192.0.2.1', 'fd00::/8', '2001:db8::1']);
  const has = ['10.1.2.3', '192.0.2.1', 'fd12::1', '2001:db8::1', '::ffff:10.1.2.3', '::ffff:192.0.2.1'];
  const others = [
    '11.0.0.1',
    '192.0.2.2',
    'fe80::1',
    '2001:db8::2',
    '::ffff:11.0.0.1',
    '',
    'name',
    '::ffff:',
    '::ffff:x',
    '10.1',
  ];
  expect([...has, ...others].filter((address) => hasAddress(list, address))).toEqual(has);
  expect(hasAddress(networksOf([]), '10.0.0.1')).toBe(false);
});

it('the address of a service is as a URL parser writes it, and over plain http on this machine alone', () => {
  const good = [
    'https://agents.example.com',
    'https://agents.example.com/',
    'https://agents.example.com/path',
    'https://agents.example.com:8443',
    'http://localhost:7080',
    'http://127.0.0.1:7080',
    'http://[::1]:7080',
  ];
  const bad = [
    'http://agents.example.com',
    'http://localhost.evil.example',
    'https://Agents.example.com',
    'https://agents.example.com:443',
    'https://agents.example.com/a/../b',
    'https://agents%2eexample.com',
    'https://ägents.example.com',
    'https://user@agents.example.com',
    'https://agents.example.com?x',
    'https://agents.example.com#x',
    'https://agents.example.com\n',
    ' https://agents.example.com',
    'https:\\\\agents.example.com',
    'ftp://agents.example.com',
    'ftp://localhost',
    'ws://127.0.0.1/',
    'spiffe://agents.example.com',
    'agents.example.com',
    '',
  ];
  expect(which(isServiceAddress, ...good, ...bad)).toEqual(good);
});
