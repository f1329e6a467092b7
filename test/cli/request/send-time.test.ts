import { describe, expect, it } from 'vitest';
import { TransportError } from '../../../src/client/requests/errors.ts';
import type { Transport } from '../../../src/service/protocol/wire.ts';
import { type Chance, createChance } from '../../client/simulation-world.ts';
import { depth, SEED, tried } from '../../support/depth.ts';
import { putEmail, putList } from '../../support/messages.ts';
import { runCli, serviceOf, writesIn } from '../../support/run-cli.ts';
import { createTestSandbox, NOW } from '../../support/sandbox.ts';

const CREATE = ['task', 'create', '--name', 'Sale', '--channel', 'email', '--message', 'Message'];
const SEND = ['sms', 'send', '--to', '447700900123', '--from', 'Example', '--text', 'Hi'];

async function campaign() {
  const sandbox = await createTestSandbox();
  const list = await putList(sandbox);
  await putEmail(sandbox);
  return { sandbox, ...serviceOf(sandbox), create: [...CREATE, '--list', String(list)] };
}

describe('svc task create and svc sms send', () => {
  it.each([
    ['nothing', [], 'add --at, or --now to send at once'],
    ['now', ['--at', 'now'], '--now is the way'],
    ['a past time', ['--at', '2026-12-01 08:00'], 'was 1 hour ago'],
    ['a minute', ['--at', '+1m'], 'is less than 2 minutes ahead'],
    ['three years', ['--at', '2029-12-01 09:00'], 'is more than 2 years ahead'],
    ['milliseconds', ['--at', String(NOW * 1000)], 'looks like milliseconds'],
    ['both', ['--at', '+1h', '--now'], 'cannot combine --at with --now'],
  ])('reject %s and send nothing', async (_, flags, words) => {
    const { create, transport, sent, sandbox } = await campaign();
    for (const argv of [create, SEND]) {
      const run = await runCli([...argv, ...flags], { transport });
      expect(run).toMatchObject({ exitCode: 2, stdout: '' });
      expect(run.stderr).toContain(words);
    }
    expect(writesIn(sent)).toEqual([]);
    expect(await sandbox.rows('task')).toEqual([]);
    expect(await sandbox.rows('sms')).toEqual([]);
  });

  it('warn of a send at night in the zone of the company, and send it', async () => {
    const { create, transport, sandbox } = await campaign();
    const zone = 'Europe/London';
    for (const [at, isNight] of [
      ['2027-06-01 01:47', true],
      ['2027-06-01 20:59', false],
      ['2027-06-01 21:00', true],
      ['2027-06-02 07:59', true],
      ['2027-06-02 08:00', false],
    ] as const)
      for (const argv of [create, SEND]) {
        const run = await runCli([...argv, '--at', at], { transport, machineZone: 'Asia/Tokyo' });
        expect([at, run.exitCode]).toEqual([at, 0]);
        const warning = `Careful: the send is at night, at ${at.slice(-5)} in ${zone}.\n`;
        expect(run.stderr.includes(warning), `${at}: ${run.stderr}`).toBe(isNight);
      }
    expect((await sandbox.rows('task')).length).toBe(5);
  });

  it('do not warn of the night with --no-validate', async () => {
    const { transport } = await campaign();
    const run = await runCli([...SEND, '--at', '2027-06-01 01:47', '--no-validate'], { transport });
    expect([run.exitCode, run.stderr]).toEqual([0, expect.not.stringContaining('Careful')]);
  });

  it('do not send at once for null in --data either', async () => {
    const { transport, sent } = await campaign();
    const run = await runCli([...SEND, '--data', '{"senddate":null}'], { transport });
    expect(run.exitCode).toBe(2);
    expect(writesIn(sent)).toEqual([]);
  });

  it("use the service's clock, not the machine's", async () => {
    const { create, transport, sandbox } = await campaign();
    await sandbox.at(7200);
    const run = await runCli([...create, '--at', String(NOW + 3600)], { transport });
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain('was 1 hour ago');
  });

  it('read a local time in the zone of the company, and print it before sending', async () => {
    const { create, transport, sandbox } = await campaign();
    const run = await runCli([...create, '--at', '2027-06-01 09:00', '-o', 'json'], {
      transport,
      machineZone: 'Asia/Tokyo',
    });
    expect(run.exitCode).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({
      scheduledtime: Date.UTC(2027, 5, 1, 8) / 1000,
      search_id: null,
    });
    expect(run.stderr).toContain('Sends Tue 2027-06-01 08:00:00 +00:00 (UTC)');
    expect(run.stderr).toContain('Tue 2027-06-01 17:00:00 +09:00 (Asia/Tokyo), here');
    expect(await sandbox.rows('task')).toHaveLength(1);
  });

  it('read it in another zone with --tz, and print the time also with --quiet', async () => {
    const { create, transport } = await campaign();
    const argv = [...create, '--at', '2027-06-01 09:00', '--tz', 'Asia/Tokyo', '--quiet', '-o', 'json'];
    const run = await runCli(argv, { transport });
    expect(JSON.parse(run.stdout)).toMatchObject({ scheduledtime: Date.UTC(2027, 5, 1, 0) / 1000 });
    expect(run.stderr).toContain('Sends Tue 2027-06-01 00:00:00');
  });

  it('name the next existing time for one that does not exist, and take the first of two and say so', async () => {
    const { create, transport } = await campaign();
    const gap = await runCli([...create, '--at', '2027-03-28 01:30'], { transport });
    expect(gap).toMatchObject({ exitCode: 2, stdout: '' });
    expect(gap.stderr).toContain('write "2027-03-28 02:00"');
    const twice = await runCli([...create, '--at', '2027-10-31 01:30', '-o', 'json'], { transport });
    expect(JSON.parse(twice.stdout)).toMatchObject({ scheduledtime: Date.UTC(2027, 9, 31, 0, 30) / 1000 });
    expect(twice.stderr).toContain('exists twice in Europe/London');
  });

  it("send at once with --now: the service's time for a task, null for an SMS", async () => {
    const { create, transport, sent } = await campaign();
    for (const argv of [create, SEND])
      expect((await runCli([...argv, '--now', '--yes'], { transport })).exitCode).toBe(0);
    const bodies = sent.filter(({ method }) => method === 'POST').map(({ body = '' }) => JSON.parse(body));
    expect(bodies).toMatchObject([{ scheduledtime: NOW }, { senddate: null }]);
  });

  it('do not send a retry that would be too late', async () => {
    const { create, transport, sent, sandbox } = await campaign();
    let refusals = 0;
    const run = await runCli([...create, '--at', '+3m'], {
      transport: async (request) => {
        if (request.method !== 'POST') return transport(request);
        refusals += 1;
        await sandbox.at(150);
        const headers = { 'retry-after': '1', 'x-svc-time': String(NOW + 150) };
        return {
          status: 429,
          headers,
          body: '{"status":"error","response":{"code":429,"message":"Too many"}}',
        };
      },
    });
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain('is less than a minute from now');
    expect(refusals).toBe(1);
    expect(writesIn(sent)).toEqual([]);
  });
});

describe('svc task update', () => {
  it('checks its time, and leaves cancelling to svc task cancel', async () => {
    const { create, transport, sandbox } = await campaign();
    await runCli([...create, '--at', '+1d'], { transport });
    const before = await sandbox.rows('task');
    for (const flags of [['--at', '+1m'], ['--at', '2026-11-01 09:00'], ['--cancelled']]) {
      const run = await runCli(['task', 'update', '1', ...flags], { transport });
      expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    }
    expect(await sandbox.rows('task')).toEqual(before);
  });
});

/** Contract, "Safety": the size is known only after the task was created. */
describe('--expect-size', () => {
  it('cancels a task outside the range: exit 2 with both numbers', async () => {
    const { create, transport } = await campaign();
    const run = await runCli([...create, '--at', '+1h', '--expect-size', '9000..11000'], { transport });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain('task 1 has 0 subscriptions, expected 9000 to 11000; it is cancelled');
    const task = await runCli(['task', 'get', '1', '-o', 'json'], { transport });
    expect(JSON.parse(task.stdout)).toMatchObject({ cancelled: true });
  });

  it.each([
    [['--at', '+4m', '--expect-size', '0..9'], 'is less than 5 minutes ahead'],
    [['--now', '--expect-size', '0..9'], 'with --now: svc needs time to cancel the task'],
    [['--at', '+1h', '--expect-size', '9..0'], 'must be one number, or two numbers'],
  ])('%j is rejected before anything is sent', async (flags, words) => {
    const { create, transport, sent } = await campaign();
    const run = await runCli([...create, ...flags], { transport });
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain(words);
    expect(writesIn(sent)).toEqual([]);
  });
});

const TIMES = depth('SVC_SEND_TIMES', { few: 25, full: 10_000 });
const ZONES = ['UTC', 'Europe/London', 'Asia/Tokyo', 'America/New_York', 'Pacific/Chatham'];

/** Flags for a time, and the Unix seconds that a person means with them, if any. */
interface Said {
  readonly flags: readonly string[];
  readonly meant?: number;
  /** True if a local time may exist twice. */
  readonly isLocal?: boolean;
}

function randomTime(chance: Chance): Said {
  const whole = (low: number, high: number): number => Math.floor(chance.between(low, high));
  const ahead = chance.pick([
    whole(-1e6, 0),
    whole(-300, 700),
    whole(100, 20_000),
    whole(3600, 5e7),
    whole(5e7, 3e8),
  ]);
  const meant = NOW + ahead;
  switch (chance.pick(['seconds', 'milliseconds', 'iso', 'local', 'relative', 'words'] as const)) {
    case 'seconds':
      return { flags: ['--at', String(meant)], meant };
    case 'milliseconds':
      return { flags: ['--at', String(meant * 1000)] };
    case 'iso':
      return { flags: ['--at', new Date(meant * 1000).toISOString().replace('.000', '')], meant };
    case 'local': {
      const zone = chance.pick(ZONES);
      const minute = meant - (meant % 60);
      const text = new Intl.DateTimeFormat('sv-SE', {
        timeZone: zone,
        dateStyle: 'short',
        timeStyle: 'short',
      });
      return { flags: ['--at', text.format(minute * 1000), '--tz', zone], meant: minute, isLocal: true };
    }
    case 'relative':
      return { flags: ['--at', `${chance.pick(['+', ''])}${whole(0, 300)}${chance.pick(['s', 'm', 'h'])}`] };
    case 'words':
      return {
        flags: chance.pick([['--at', 'now'], ['--at', 'today 09:00'], ['--at', 'tomorrow 09:00'], []]),
      };
  }
}

// A time that is already past when the request arrives would send at once, although the user did not type `--now`.
it(`Y5: nothing is sent early in ${TIMES} runs (SVC_SEED=${SEED})`, { timeout: 1e9 }, async () => {
  const chance = createChance(SEED);
  const counts = { accepted: 0, refused: 0, retried: 0 };
  const faults: string[] = [];
  let machine = NOW;
  let run = 0;
  while (run < TIMES) {
    // Some runs get a separate sandbox, so that few tasks accumulate.
    const sandbox = await createTestSandbox({ machineNow: () => machine * 1000 });
    const list = String(await putList(sandbox));
    await putEmail(sandbox);
    const later = { channel: 'email', message_id: 1, name: 'Later', list_id: 1, search_id: null };
    await sandbox.send('admin', 'POST', '/v1/task', { ...later, scheduledtime: NOW + 86_400 });
    const commands = [[...CREATE, '--list', list], SEND, ['task', 'update', '1']];
    for (let each = 0; each < 100 && run < TIMES; each += 1) {
      run += 1;
      const said = randomTime(chance);
      const argv = [...chance.pick(commands), ...said.flags];
      // The clock of the machine is up to two hours off.
      machine = NOW + chance.pick([0, 0, Math.floor(chance.between(-7200, 7200))]);
      const { transport, arrived } = throughTime((request) => sandbox.service.handle(request), chance);
      const { exitCode } = await runCli([...argv, '--yes'], { transport, now: machine });
      const words = `run ${run} of seed ${SEED}, ${argv.join(' ')}: exit ${exitCode}, ${JSON.stringify(arrived)}`;
      for (const { time, serviceTime } of arrived)
        if (!Number.isInteger(time) || Number(time) <= serviceTime) faults.push(`early: ${words}`);
        else if (
          said.meant !== undefined &&
          !(Number(time) === said.meant || (said.isLocal && Number(time) + 3600 === said.meant))
        )
          faults.push(`another time: ${words}`);
      if (exitCode === 0 && arrived.length === 0) faults.push(`nothing was sent: ${words}`);
      if (exitCode === 0) counts.accepted += 1;
      else counts.refused += 1;
      if (arrived.length > 1) counts.retried += 1;
    }
    await sandbox.service.store.close();
  }
  process.stdout.write(`${TIMES} times, seed ${SEED}: ${JSON.stringify(counts)}\n`);
  expect(faults).toEqual([]);
  // A small sample may have few cases of one kind.
  const least = TIMES < 1_000 ? 0 : TIMES / 10;
  expect(Math.min(counts.accepted, counts.refused)).toBeGreaterThan(least);
  tried('Y5', TIMES);
});

/**
 * Returns a transport on which time passes by the service's clock: during each request, while the client waits for a retry, and if
 * someone sets the clock. `arrived` lists the time in each write, and the service's time at its arrival.
 */
function throughTime(handle: Transport, chance: Chance) {
  let serviceTime = NOW;
  const arrived: { readonly time: unknown; readonly serviceTime: number }[] = [];
  const transport: Transport = async (request) => {
    serviceTime += Math.floor(chance.between(0, 20));
    const told = () => ({ 'x-svc-time': String(serviceTime) });
    if (request.method === 'POST' || request.method === 'PUT') {
      const { scheduledtime, senddate = scheduledtime } = JSON.parse(request.body ?? '{}');
      arrived.push({ time: senddate, serviceTime });
      if (chance.is(0.3)) {
        if (chance.is(0.2)) throw new TransportError('not-sent', 'refused');
        const wait = Math.floor(chance.between(1, 50));
        serviceTime += chance.pick([0, 0, Math.floor(chance.between(0, 400))]);
        const headers = { ...told(), 'retry-after': String(wait) };
        // The client waits that long, and up to some seconds more.
        serviceTime += wait + 2;
        return { status: chance.pick([429, 503]), headers, body: '' };
      }
    }
    const answer = await handle(request);
    // This clock advances by itself, as in a service.
    const { 'x-svc-clock': _, ...headers } = answer.headers;
    return { ...answer, headers: { ...headers, ...told() } };
  };
  return { transport, arrived };
}
