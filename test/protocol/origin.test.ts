import { describe, expect, it } from 'vitest';
import { isLoopback, parseBaseUrl } from '../../src/service/protocol/wire.ts';

describe('an origin and the path before /v1', () => {
  it.each([
    ['https://api.example.com', 'https://api.example.com', ''],
    ['https://api.example.com/', 'https://api.example.com', ''],
    ['HTTPS://API.Example.COM:443/', 'https://api.example.com', ''],
    ['https://api.example.com:8443/eu/', 'https://api.example.com:8443', '/eu'],
    ['https://api.example.com./', 'https://api.example.com.', ''],
    ['https://münchen.example', 'https://xn--mnchen-3ya.example', ''],
    ['https://api.example.com/a/../b', 'https://api.example.com', '/b'],
    ['HTTPS://api.example.com//', 'https://api.example.com', ''],
    ['http://127.0.0.1:8025', 'http://127.0.0.1:8025', ''],
    ['http://127.9.9.9', 'http://127.9.9.9', ''],
    ['http://[::1]:80/x/y', 'http://[::1]', '/x/y'],
    ['http://localhost:80', 'http://localhost', ''],
    ['http://[::1]:9', 'http://[::1]:9', ''],
    ['https://[2001:DB8::1]', 'https://[2001:db8::1]', ''],
  ])('%s', (text, origin, basePath) => {
    expect(parseBaseUrl(text)).toEqual({ origin, basePath });
  });
});

describe('an invalid base URL is rejected', () => {
  it.each([
    ['', 'is empty'],
    ['api.example.com', 'must start with https:// and a host name'],
    ['ftp://api.example.com', 'must start with https:// and a host name'],
    ['file:///etc/passwd', 'must start with https:// and a host name'],
    ['https:api.example.com', 'must start with https:// and a host name'],
    ['https:///api.example.com', 'must start with https:// and a host name'],
    ['https://user:secret@api.example.com', 'must not hold a user name or password'],
    ['https://api.example.com@evil.example', 'must not hold a user name or password'],
    ['https://@api.example.com', 'must not hold a user name or password'],
    ['https://api.example.com\\@evil.example', 'a backslash'],
    ['https://api.example.com\t.evil.example', 'a control character'],
    [' https://api.example.com', 'has a space'],
    ['https://api.example.com\r\nX-A: b', 'a control character'],
    ['https://api.example.com?a=b', 'must not have a query'],
    ['https://api.example.com/#x', 'must not have a query or a fragment'],
    ['https://api.example.com:0', 'has port 0'],
    ['https://api.example.com:99999', 'is not a URL'],
    ['https://api.example.com//evil.example', 'has an empty part'],
    ['https://api.example.com/a//b', 'has an empty part'],
    ['https://api.example.com/a%2fb', 'has a path with characters other than'],
    ['https://exa mple.com', 'has a space'],
    ['http://localhost.example.com', 'plain http is only for this machine'],
    ['http://128.0.0.1', 'plain http is only for this machine'],
    ['https://api.example.com/v1', 'must end before /v1'],
    ['https://api.example.com/eu/v1/', 'must end before /v1'],
    ['http://api.example.com', 'plain http is only for this machine'],
    ['http://127.0.0.1.evil.example', 'plain http is only for this machine'],
    ['http://localhost.', 'plain http is only for this machine'],
    ['http://0.0.0.0', 'plain http is only for this machine'],
    [`https://${'a'.repeat(2048)}.example`, 'is longer than 2048 characters'],
  ])('%j', (text, problem) => {
    expect(parseBaseUrl(text)).toEqual({ problem: expect.stringContaining(problem) });
  });

  it('never repeats a password', () => {
    expect(JSON.stringify(parseBaseUrl('https://user:hunter2@api.example.com'))).not.toContain('hunter2');
  });
});

it.each([
  ['localhost', true],
  ['LOCALHOST', true],
  ['127.0.0.1', true],
  ['127.255.0.3', true],
  ['::1', true],
  ['[::1]', true],
  ['localhost.', false],
  ['localhost.example', false],
  ['128.0.0.1', false],
  ['127.0.0.1.example', false],
  ['0.0.0.0', false],
  ['[::ffff:127.0.0.1]', false],
])('is %s this machine: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});
