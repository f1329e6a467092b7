import { describe, expect, it } from 'vitest';
import { runCli, serviceOf, writesIn } from '../../../support/run-cli.ts';
import { createTestSandbox } from '../../../support/sandbox.ts';

const THREE = ['a@example.com', 'b@example.com', '447700900123'];

/** Contract, "Nouns and verbs": dnc add; "Safety": it asks, because the service deletes the matching subscribers. */
describe('svc dnc add', () => {
  it('adds each value once, in the given order', async () => {
    const sandbox = await createTestSandbox();
    const { transport, sent } = serviceOf(sandbox);
    const run = await runCli(['dnc', 'add', ...THREE, 'A@example.com', '--yes', '-o', 'json'], { transport });
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(run.stdout)).toMatchObject(THREE.map((contactdata) => ({ contactdata })));
    expect(writesIn(sent)).toEqual(Array(3).fill('POST /v1/doNotContact'));
  });

  it('asks once for all, and names them', async () => {
    const { transport } = serviceOf(await createTestSandbox());
    const run = await runCli(['dnc', 'add', ...THREE], { transport, tty: true, answers: [true] });
    expect(run.exitCode).toBe(0);
    expect(run.questions).toEqual([
      expect.stringContaining(
        'Really add a@example.com, b@example.com, 447700900123 to Do Not Contact and delete matching subscribers',
      ),
    ]);
  });

  it('sends nothing without --yes, and nothing if one of the values is invalid', async () => {
    const { transport, sent } = serviceOf(await createTestSandbox());
    const unasked = await runCli(['dnc', 'add', ...THREE], { transport });
    expect(unasked).toMatchObject({ exitCode: 2, stdout: '' });
    const wrong = await runCli(['dnc', 'add', 'a@example.com', 'nobody', 'neither', '--yes'], { transport });
    expect(wrong).toMatchObject({ exitCode: 2, stdout: '' });
    expect(wrong.stderr).toContain('nobody');
    expect(wrong.stderr).toContain('neither');
    expect(sent).toEqual([]);
  });

  it('needs --domain-ok for a whole domain among the values', async () => {
    const { transport, sent } = serviceOf(await createTestSandbox());
    const run = await runCli(['dnc', 'add', 'a@example.com', 'example.net', '--yes'], { transport });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain('needs --yes --domain-ok');
    expect(writesIn(sent)).toEqual([]);
  });

  it('shows all values in a dry run', async () => {
    const { transport, sent } = serviceOf(await createTestSandbox());
    const run = await runCli(['dnc', 'add', ...THREE, '--dry-run', '-o', 'json'], { transport });
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(run.stdout)).toEqual(
      THREE.map((contactdata) => ({ method: 'POST', path: '/v1/doNotContact', body: { contactdata } })),
    );
    expect(writesIn(sent)).toEqual([]);
  });

  // Contract, "Output": 8, a batch in which some items failed.
  it('adds the other values if the service refuses one, names it, and exits with 8', async () => {
    const sandbox = await createTestSandbox();
    const { transport } = serviceOf(sandbox);
    const refusing: typeof transport = async (request, signal) => {
      const body = request.body === undefined ? '' : Buffer.from(request.body).toString();
      if (request.method === 'POST' && body.includes('b@example.com'))
        return {
          status: 400,
          headers: { 'content-type': 'application/json' },
          body: '{"status":"error","response":{"text":"Not this one","code":400,"subcode":null,"additionalInformation":null}}',
        };
      return transport(request, signal);
    };
    const run = await runCli(['dnc', 'add', ...THREE, '--yes', '-o', 'csv', '--no-header'], {
      transport: refusing,
    });
    expect(run.exitCode).toBe(8);
    expect(run.stderr).toContain('b@example.com: ');
    // Contract, "Output": an error "with `-o json` is one JSON object on stderr".
    const json = await runCli(['dnc', 'add', ...THREE, '--yes', '-o', 'json'], { transport: refusing });
    const errors = json.stderr.split('\n').filter((line) => line.startsWith('{'));
    expect(errors.map((line) => JSON.parse(line).error)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ exit: 6, http: 400, message: expect.stringMatching(/^b@example\.com: /) }),
      ]),
    );
    expect(run.stdout.split('\n').map((line) => line.split(',')[1])).toEqual([
      'a@example.com',
      '447700900123',
      undefined,
    ]);
  });

  // Interface, "user": 3 consecutive failed logins lock the user.
  it('stops at a 401, and names the values that were not sent', async () => {
    const sandbox = await createTestSandbox();
    const { transport } = serviceOf(sandbox);
    let posts = 0;
    const denying: typeof transport = async (request, signal) => {
      if (request.method === 'POST') posts += 1;
      if (request.method !== 'POST' || posts === 1) return transport(request, signal);
      const body =
        '{"status":"error","response":{"text":"No","code":401,"subcode":null,"additionalInformation":null}}';
      return { status: 401, headers: { 'content-type': 'application/json' }, body };
    };
    const run = await runCli(['dnc', 'add', ...THREE, '--yes'], { transport: denying });
    expect([run.exitCode, run.stdout]).toEqual([3, '']);
    expect(run.stderr).toContain('stopped at b@example.com; entries not sent: 447700900123');
    expect(await sandbox.rows('do_not_contact')).toHaveLength(1);
  });

  it('names the values that were not sent if the service becomes unreachable', async () => {
    const sandbox = await createTestSandbox();
    const { transport } = serviceOf(sandbox);
    let posts = 0;
    const dying: typeof transport = async (request, signal) => {
      if (request.method === 'POST') posts += 1;
      if (posts > 1) throw Object.assign(new Error('gone'), { name: 'Error' });
      return transport(request, signal);
    };
    const run = await runCli(['dnc', 'add', ...THREE, '--yes', '--retries', '0', '--settle', '1s'], {
      transport: dying,
    });
    expect(run.exitCode).not.toBe(0);
    expect(run.stderr).toContain('stopped at b@example.com; entries not sent: 447700900123');
  });
});
