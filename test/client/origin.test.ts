import { describe, expect, test } from 'vitest';
import { isLoopback, parseBaseUrl } from '../../src/client/origin.ts';

describe('parseBaseUrl', () => {
  test.each([
    ['https://api.example.com', 'https://api.example.com', ''],
    ['https://API.Example.COM:443/', 'https://api.example.com', ''],
    ['https://api.example.com:8443/api/', 'https://api.example.com:8443', '/api'],
    ['HTTPS://api.example.com//', 'https://api.example.com', ''],
    ['http://127.0.0.1:8025', 'http://127.0.0.1:8025', ''],
    ['http://127.9.9.9', 'http://127.9.9.9', ''],
    ['http://[::1]:80/x/y', 'http://[::1]', '/x/y'],
    ['http://localhost:3000', 'http://localhost:3000', ''],
  ])('%s is %s with the base path %j', (text, origin, basePath) => {
    expect(parseBaseUrl(text)).toEqual({ origin, basePath });
  });

  test.each([
    ['', /begins with https/],
    ['api.example.com', /begins with https/],
    ['ftp://api.example.com', /begins with https/],
    ['https:///x', /begins with https/],
    ['https://exa mple.com', /not a URL/],
    ['https://api.example.com\\@evil.example', /not a URL/],
    ['https://user:secret@api.example.com', /no user name or password/],
    ['https://@api.example.com', /no user name or password/],
    ['https://api.example.com?x=1', /no query/],
    ['https://api.example.com/#top', /no query and no fragment/],
    // Contract, "Safety"; wire, "Requests": http only to a loopback address.
    ['http://api.example.com', /only for this machine/],
    ['http://127.0.0.1.example.com', /only for this machine/],
    ['http://localhost.example.com', /only for this machine/],
    ['http://128.0.0.1', /only for this machine/],
    ['https://api.example.com/v1', /leave out \/v1/],
    ['https://api.example.com/a//b', /can't be part/],
    ['https://api.example.com/a%2fb', /can't be part/],
  ])('%s is refused', (text, problem) => {
    const parsed = parseBaseUrl(text);
    expect(parsed).toEqual({ problem: expect.stringMatching(problem) });
    expect(JSON.stringify(parsed)).not.toContain('secret');
  });
});

test.each([
  ['127.0.0.1', true],
  ['127.255.0.3', true],
  ['[::1]', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['[::ffff:127.0.0.1]', false],
  ['localhost.evil.example', false],
])('isLoopback(%s) is %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});
