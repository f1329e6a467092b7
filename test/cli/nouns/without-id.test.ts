import { expect, it } from 'vitest';
import type { Transport } from '../../../src/service/protocol/wire.ts';
import { runCli } from '../../support/run-cli.ts';

// attack L10: an invalid response of a service is never reported as a bug of svc.
it.each([
  ['user', 'delete', 'ann'],
  ['folder', 'delete', '5'],
])(
  'reports a record without an id as the service’s fault, and deletes nothing: %s %s %s',
  async (...argv) => {
    const sent: string[] = [];
    const transport: Transport = async ({ method, path }) => {
      sent.push(`${method} ${path}`);
      const row = { username: 'ann', name: 'N', firstname: 'Ann' };
      const data = path.endsWith('/5') ? row : [row];
      return {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ status: 'ok', response: { count: 1, next: null, data } }),
      };
    };
    const { exitCode, stdout, stderr } = await runCli([...argv, '--yes'], { transport });
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^svc: .*\ba record without an id/);
    expect(stderr).toContain('Hint: ');
    expect(stderr).not.toContain('bug');
    expect(sent.every((line) => line.startsWith('GET '))).toBe(true);
  },
);
