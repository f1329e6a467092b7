/**
 * Contract, "The sandbox, for people and teams": `--allow-host NAME`, `--listen HOST:PORT`. The guard against DNS rebinding (acceptance,
 * X4) still applies to every other Host.
 */
import { describe, expect, it } from 'vitest';
import { isSandboxHost, isSandboxOrigin, serverAddress } from '../../../src/sandbox/http/guard.ts';

const PORT = 4010;
const at = (wanted: Parameters<typeof serverAddress>[0]) => serverAddress(wanted).originsAt(PORT);

describe('the URL for clients', () => {
  it.each<readonly [Parameters<typeof serverAddress>[0], string, string]>([
    [{}, 'http://127.0.0.1:4010', '127.0.0.1'],
    [{ certificate: {} }, 'https://127.0.0.1:4010', '127.0.0.1'],
    [{ host: '::1' }, 'http://[::1]:4010', '::1'],
    [{ host: '10.0.0.5', certificate: {} }, 'https://10.0.0.5:4010', '10.0.0.5'],
    [
      { host: '0.0.0.0', certificate: {}, allowHosts: ['a.test', 'b.test'] },
      'https://a.test:4010',
      '127.0.0.1',
    ],
    [{ host: '::', certificate: {}, allowHosts: ['a.test'] }, 'https://a.test:4010', '::1'],
    [{ behindProxy: true, allowHosts: ['a.test'] }, 'https://a.test', '127.0.0.1'],
  ])('%j: %s', (wanted, url, connect) => {
    const address = serverAddress(wanted);
    expect([address.baseUrl(PORT), address.connect]).toEqual([url, connect]);
  });
});

// Contract, Sandbox: a sandbox that listens beyond loopback or behind a proxy serves other machines.
describe('requests from other machines', () => {
  it.each<readonly [Parameters<typeof serverAddress>[0], boolean]>([
    [{}, false],
    [{ certificate: {} }, false],
    [{ certificate: {}, allowHosts: ['a.test'] }, false],
    [{ host: '127.0.0.2' }, false],
    [{ host: '::1' }, false],
    [{ host: '10.0.0.5', certificate: {} }, true],
    [{ host: '0.0.0.0', certificate: {}, allowHosts: ['a.test'] }, true],
    [{ host: '::', certificate: {}, allowHosts: ['a.test'] }, true],
    [{ behindProxy: true, allowHosts: ['a.test'] }, true],
  ])('%j: %s', (wanted, expected) => {
    expect(serverAddress(wanted).servesOthers).toBe(expected);
  });
});

describe('a Host', () => {
  const named = at({ host: '0.0.0.0', certificate: {}, allowHosts: ['sandbox.test'] });
  it.each([
    'sandbox.test',
    'sandbox.test:4010',
    'SANDBOX.test:443',
    'sandbox.test:9443',
    '127.0.0.1:4010',
    'localhost:4010',
    '[::1]:4010',
  ])('%s is accepted', (host) => {
    expect(isSandboxHost(host, named)).toBe(true);
  });
  it.each([
    'evil.test',
    'evil.test:4010',
    'sandbox.test.evil.test',
    'evil.sandbox.test',
    'sandbox.test.',
    'sandbox.test:',
    'sandbox.test:99999999',
    'sandbox.test, evil.test',
    'user@sandbox.test',
    'localhost:4011',
    'localhost',
    '0.0.0.0:4010',
    '10.0.0.5:4010',
    '',
    undefined,
  ])('%s is rejected', (host) => {
    expect(isSandboxHost(host, named)).toBe(false);
  });

  it('the listening address is a valid name, unless it means every address', () => {
    expect(isSandboxHost('10.0.0.5:4010', at({ host: '10.0.0.5', certificate: {} }))).toBe(true);
    expect(isSandboxHost('[fd00::5]:4010', at({ host: 'fd00::5', certificate: {} }))).toBe(true);
    expect(
      isSandboxHost('0.0.0.0:4010', at({ host: '0.0.0.0', certificate: {}, allowHosts: ['a.test'] })),
    ).toBe(false);
  });

  it("a loopback name comes with the port, which may be omitted if it is the scheme's", () => {
    const origins = serverAddress({ certificate: {} }).originsAt(443);
    expect([isSandboxHost('localhost', origins), isSandboxHost('localhost:80', origins)]).toEqual([
      true,
      false,
    ]);
  });
});

describe('an Origin', () => {
  it.each<readonly [string, Parameters<typeof serverAddress>[0], boolean]>([
    ['https://sandbox.test', { behindProxy: true, allowHosts: ['sandbox.test'] }, true],
    ['http://sandbox.test', { behindProxy: true, allowHosts: ['sandbox.test'] }, false],
    ['https://127.0.0.1:4010', {}, false],
    ['http://127.0.0.1:4010', {}, true],
    ['https://evil.test', { behindProxy: true, allowHosts: ['sandbox.test'] }, false],
    ['null', { behindProxy: true, allowHosts: ['sandbox.test'] }, false],
  ])('%s of %j: %s', (origin, wanted, isOurs) => {
    expect(isSandboxOrigin(origin, at(wanted))).toBe(isOurs);
  });
});
