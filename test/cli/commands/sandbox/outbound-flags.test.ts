import { describe, expect, it } from 'vitest';
import { readInput } from '../../../../src/cli/command/input.ts';
import {
  CONNECTION_FLAGS,
  readOutboundConnections,
} from '../../../../src/cli/commands/sandbox/start-flags.ts';
import { UsageError } from '../../../../src/cli/errors/errors.ts';

const input = (flags: Readonly<Record<string, string | readonly string[]>>) =>
  readInput({ flags: CONNECTION_FLAGS }, { positionals: [], flags: new Map(Object.entries(flags)) });

describe('hosts that sandbox start may reach', () => {
  it.each([
    ['127.0.0.1:1025', { host: '127.0.0.1', port: 1025 }],
    ['127.1:25', { host: '127.0.0.1', port: 25 }],
    ['LOCALHOST:2525', { host: 'localhost', port: 2525 }],
    ['[::1]:1025', { host: '::1', port: 1025 }],
  ])('--smtp %s counts as this machine', (smtp, expected) => {
    expect(readOutboundConnections(input({ smtp }))).toEqual({ smtp: expected, allowNotify: [] });
  });

  it.each([
    'mail.example.com:25',
    'localhost.example.com:25',
    '0.0.0.0:25',
    '10.0.0.1:25',
    '[::ffff:127.0.0.1]:25',
  ])('rejects --smtp %s, which could send mail to people', (smtp) => {
    expect(() => readOutboundConnections(input({ smtp }))).toThrow(
      /is not this machine and can reach people/,
    );
  });

  it('--allow-smtp permits only the host that it names', () => {
    const allowed = { 'allow-smtp': ['Mail.example.com'] };
    expect(readOutboundConnections(input({ smtp: 'mail.EXAMPLE.com:587', ...allowed })).smtp).toEqual({
      host: 'mail.example.com',
      port: 587,
    });
    expect(() => readOutboundConnections(input({ smtp: 'mail.example.org:587', ...allowed }))).toThrow(
      UsageError,
    );
  });

  it.each([
    'localhost',
    ':25',
    'localhost:',
    'localhost:0',
    'localhost:99999',
    'a b:25',
    'user@localhost:25',
    'http://localhost:25',
  ])('--smtp %s is not a host and port', (smtp) => {
    expect(() => readOutboundConnections(input({ smtp }))).toThrow(UsageError);
  });

  it('--allow-notify accepts hosts, not URLs or ports', () => {
    expect(
      readOutboundConnections(input({ 'allow-notify': ['Hooks.Example.com', '::1', '[fd00::1]'] }))
        .allowNotify,
    ).toEqual(['hooks.example.com', '::1', 'fd00::1']);
    for (const text of ['http://hooks.example.com', 'hooks.example.com:80', 'hooks.example.com/x', ''])
      expect(() => readOutboundConnections(input({ 'allow-notify': [text] }))).toThrow(UsageError);
  });

  it('are passed to a detached process', () => {
    const given = { smtp: '127.0.0.1:1025', 'allow-notify': ['a.example', 'b.example'] };
    expect(input(given).asWritten(CONNECTION_FLAGS)).toEqual([
      '--smtp',
      '127.0.0.1:1025',
      '--allow-notify',
      'a.example',
      '--allow-notify',
      'b.example',
    ]);
  });
});
