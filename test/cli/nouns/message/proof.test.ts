/**
 * Contract, "The everyday screen": `email proof MESSAGE [--list ID]` goes "to the profile's proof-list, at most 10 subscriptions, from a
 * copy, so that the original stays editable; the copy is deleted afterwards". "Settled": it asks on a terminal and needs `--yes`
 * elsewhere; its subject begins with `[Proof] `; `-o json` is the task.
 */
import { describe, expect, it } from 'vitest';
import { TransportError } from '../../../../src/client/requests/errors.ts';
import type { Transport } from '../../../../src/service/protocol/wire.ts';
import { campaign } from '../../../support/campaign.ts';
import { delivery } from '../../../support/engine.ts';
import { putSms } from '../../../support/messages.ts';
import { runCli, writesIn } from '../../../support/run-cli.ts';
import { NOW } from '../../../support/sandbox.ts';

const PROOF = ['email', 'proof', 'Message', '--list', '1', '--yes', '-o', 'json'];

describe('email proof', () => {
  it('sends a copy with [Proof] in its subject, and deletes the copy at once', async () => {
    const { sandbox, transport, deliveries, sent, tasks } = await campaign();
    const run = await runCli(PROOF, { transport });
    expect([run.exitCode, run.stderr]).toEqual([0, expect.stringMatching(/^Sends .* \(UTC\)/)]);
    expect(JSON.parse(run.stdout)).toMatchObject({ size: 2, list_id: 1, message_id: 2, cancelled: false });
    expect(JSON.parse(run.stdout).scheduledtime).toBeGreaterThanOrEqual(NOW + 300);
    expect(writesIn(sent)).toEqual(['POST /v1/emailMessage', 'POST /v1/task', 'DELETE /v1/emailMessage/2']);
    const out = await deliveries();
    expect(out).toHaveLength(2);
    expect(out[0]).toMatchObject({ subject: expect.stringMatching(/^\[Proof\] /) });
    expect(await delivery(sandbox, String(out[0]?.id))).toMatchObject({
      html: expect.stringContaining('/t/'),
    });
    expect(await tasks()).toMatchObject([{ completed: 1, cancelled: 0 }]);
    const { data } = await sandbox.send('admin', 'GET', '/v1/emailMessage/1');
    expect(data).toMatchObject({ editable: true, used: false });
    expect((await sandbox.send('admin', 'GET', '/v1/emailMessage/2')).status).toBe(404);
  });

  it('is sent once by two runs at once, and by a run that is repeated at once', async () => {
    const { transport, deliveries, tasks, sandbox } = await campaign();
    let isRaced = false;
    const first = await runCli(PROOF, {
      transport: async (request, signal) => {
        if (request.method === 'POST' && request.path === '/v1/task' && !isRaced) {
          isRaced = true;
          expect((await runCli(PROOF, { transport })).exitCode).toBe(0);
        }
        return transport(request, signal);
      },
    });
    expect(first.exitCode).toBe(0);
    expect(JSON.parse(first.stdout)).toMatchObject({ id: 1 });
    const again = await runCli(PROOF, { transport });
    expect([again.exitCode, JSON.parse(again.stdout).id]).toEqual([0, 1]);
    expect(again.stderr).toContain('another run already sends this proof: task 1');
    expect((await tasks()).filter(({ cancelled }) => cancelled === 0)).toMatchObject([{ id: 1 }]);
    // Another version of the message is another proof.
    await sandbox.send('admin', 'PUT', '/v1/emailMessage/1', { subject: 'Corrected' });
    expect(JSON.parse((await runCli(PROOF, { transport })).stdout).id).not.toBe(1);
    expect(await deliveries()).toHaveLength(4);
  });

  it('refuses a list with 11 subscriptions, cancels the task and deletes the copy', async () => {
    const { transport, deliveries, sent, sandbox } = await campaign(11);
    const run = await runCli(PROOF.slice(0, -2), { transport });
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain('has 11 subscriptions, expected 1 to 10; it is cancelled');
    expect(writesIn(sent).slice(1)).toEqual(['POST /v1/task', 'PUT /v1/task/1', 'DELETE /v1/emailMessage/2']);
    expect(await deliveries()).toEqual([]);
    expect((await sandbox.send('admin', 'GET', '/v1/emailMessage/1')).data).toMatchObject({ editable: true });
  });

  it.each([10, 1])('accepts a list with %i', async (count) => {
    const { transport, deliveries } = await campaign(count);
    expect((await runCli(PROOF, { transport })).exitCode).toBe(0);
    expect(await deliveries()).toHaveLength(count);
  });

  it('refuses an empty list', async () => {
    const { transport, deliveries } = await campaign(0);
    expect((await runCli(PROOF, { transport })).exitCode).toBe(2);
    expect(await deliveries()).toEqual([]);
  });

  it.each([
    [['email', 'proof', 'Message', '--list', '1'], 2, 'to send a proof needs --yes; nothing was sent'],
    [['email', 'proof', 'Message', '--yes'], 2, 'give --list ID, or svc profile set NAME proof-list ID'],
    [['email', 'proof', 'Message', '--list', 'x', '--yes'], 2, '--list'],
    [['email', 'proof', 'Nosuch', '--list', '1', '--yes'], 4, 'email "Nosuch" not found'],
  ])('%j exits with %i and writes nothing', async (argv, exit, said) => {
    const { transport, sent } = await campaign();
    const run = await runCli(argv, { transport });
    expect([run.exitCode, run.stderr]).toEqual([exit, expect.stringContaining(said)]);
    expect(writesIn(sent)).toEqual([]);
  });

  it('shows its three steps with --dry-run and sends none', async () => {
    const { transport, sent } = await campaign();
    const run = await runCli([...PROOF, '--dry-run'], { transport });
    expect(run.exitCode).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject([
      { method: 'POST', path: '/v1/emailMessage', body: { subject: expect.stringMatching(/^\[Proof\] /) } },
      { method: 'POST', path: '/v1/task', body: { list_id: 1 } },
      { method: 'DELETE' },
    ]);
    expect(writesIn(sent)).toEqual([]);
  });

  it('says how to delete a copy that the service keeps, and exits with 0, because the proof is scheduled', async () => {
    const { transport, deliveries } = await campaign();
    const run = await runCli(PROOF, {
      transport: async (request, signal) =>
        request.method === 'DELETE' ? refusal(423) : transport(request, signal),
    });
    expect(run.exitCode).toBe(0);
    expect(run.stderr).toContain('to delete it, run svc email delete 2 --yes');
    expect(await deliveries()).toHaveLength(2);
  });
});

describe('an interrupted proof', () => {
  const cutAt =
    (transport: Transport, cut: (method: string, path: string) => boolean): Transport =>
    async (request, signal) => {
      const response = await transport(request, signal);
      if (cut(request.method, request.path)) throw new TransportError('unknown', 'the connection broke');
      return response;
    };

  it('finds its task after a lost response, and sends it once', async () => {
    const { transport, deliveries, tasks } = await campaign();
    let isCut = false;
    const run = await runCli(PROOF, {
      transport: cutAt(transport, (method, path) => {
        if (isCut || method !== 'POST' || path !== '/v1/task') return false;
        isCut = true;
        return true;
      }),
    });
    expect(run.exitCode).toBe(0);
    expect(await tasks()).toHaveLength(1);
    expect(await deliveries()).toHaveLength(2);
  });

  it.each(['/v1/emailMessage', '/v1/task'])(
    'leaves no unchecked live task and no copy after Ctrl-C during POST %s',
    async (path) => {
      const { transport, tasks, sandbox } = await campaign(11);
      const interrupt = new AbortController();
      const run = await runCli(PROOF, {
        signal: interrupt.signal,
        transport: async (request, signal) => {
          const response = await transport(request, signal);
          if (request.method === 'POST' && request.path === path) interrupt.abort();
          return response;
        },
      });
      expect(run.exitCode).not.toBe(0);
      expect((await tasks()).filter((row) => row['cancelled'] === 0)).toEqual([]);
      expect((await sandbox.send('admin', 'GET', '/v1/emailMessage')).list).toHaveLength(1);
    },
  );
});

describe('sms-message proof', () => {
  it('sends the text unchanged, and deletes the copy', async () => {
    const { sandbox, transport, deliveries } = await campaign();
    await putSms(sandbox);
    await sandbox.send('admin', 'GET', '/v1/smsMessage/1');
    const run = await runCli(['sms-message', 'proof', '1', '--list', '1', '--yes'], { transport });
    // The subscribers of the list have no number, so no one would receive it.
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining('has 0 subscriptions')]);
    expect((await sandbox.send('admin', 'GET', '/v1/smsMessage')).list).toHaveLength(1);
    expect(await deliveries()).toEqual([]);
  });
});

function refusal(status: number) {
  const body = { status: 'error', error: { code: status, subcode: 10, message: 'Message 2 is locked' } };
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } as never;
}
