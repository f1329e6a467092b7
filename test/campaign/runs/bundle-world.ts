/** A partner with a few companies, and machines that run svc for it. A run may be killed at any write, and a person may act while it works. */

import { join } from 'node:path';
import { runDueWork } from '../../../src/sandbox/engine/tick.ts';
import type { Transport, WireRequest } from '../../../src/service/protocol/wire.ts';
import type { Chance } from '../../client/simulation-world.ts';
import { putList, putSubscriber } from '../../support/messages.ts';
import { type PartnerProfile, withPartnerProfile } from '../../support/partner-profile.ts';
import { fillConfig } from '../../support/profiles.ts';
import type { Run } from '../../support/run-cli.ts';
import { KEYS, NOW } from '../../support/sandbox.ts';

export interface MachineRun {
  /** The name of the machine. Each has a journal of its own. */
  readonly machine?: string;
  /** The write at which the run is killed, and whether the service still performs it. */
  readonly kill?: { readonly at: number; readonly isDone: boolean } | undefined;
  /** Happens before the run's request of this number. */
  readonly before?: { readonly at: number; readonly act: () => Promise<unknown> } | undefined;
}

export interface WriteSent {
  readonly machine: string;
  readonly company: number;
  readonly method: string;
  readonly path: string;
}

export interface BundleWorld {
  readonly agency: PartnerProfile;
  readonly companies: readonly number[];
  /** Two lists of each company. */
  readonly lists: ReadonlyMap<number, readonly [number, number]>;
  readonly now: () => number;
  /** Moves the clock, and performs everything that is due until then. */
  readonly pass: (seconds: number) => Promise<void>;
  /** Every write that the service performed for a run of svc, in order. */
  readonly written: readonly WriteSent[];
  /** Returns undefined for a killed run. */
  readonly svc: (line: string, how?: MachineRun) => Promise<Run | undefined>;
  readonly close: () => Promise<void>;
}

const isWrite = ({ method }: WireRequest): boolean => method !== 'GET' && method !== 'HEAD';

/**
 * @param delays decides how long requests take. It is not `chance`, because the order of requests also depends on the disk.
 * @param afterWrite called after each write of a run
 */
export async function openBundleWorld(
  chance: Chance,
  delays: Chance,
  afterWrite: (sent: WriteSent) => Promise<void>,
): Promise<BundleWorld> {
  let now = NOW;
  const machineNow = (): number => now * 1000;
  const agency = await withPartnerProfile(machineNow);
  const { sandbox } = agency;
  const companies = [1, 2, ...(chance.is(0.6) ? [await addCompany(agency)] : [])];
  await fillConfig(join(agency.folder, 'config'), `a bundle over ${companies.join()}`, () =>
    agency.done(['company', 'import', '-'], {
      stdin: `id,name\n${companies.map((id) => `${id},Company ${id}\n`).join('')}`,
    }),
  );
  const lists = new Map<number, readonly [number, number]>();
  for (const account_id of companies) {
    const own = [await putList(sandbox, { account_id }), await putList(sandbox, { account_id })] as const;
    lists.set(account_id, own);
    for (const each of [1, 2])
      await putSubscriber(sandbox, own, { msisdn: `44770090${account_id}00${each}` }, { account_id });
  }
  const { store } = sandbox.service;
  const written: WriteSent[] = [];
  const perform = async (machine: string, request: WireRequest) => {
    const answer = await sandbox.service.handle(request);
    if (!isWrite(request)) return answer;
    const sent = {
      machine,
      company: Number(request.headers['x-svc-cid']),
      method: request.method,
      path: request.path,
    };
    written.push(sent);
    await afterWrite(sent);
    return answer;
  };
  const never = new Promise<never>(() => undefined);
  return {
    agency,
    companies,
    lists,
    written,
    now: () => now,
    pass: async (seconds) => {
      now += seconds;
      await runDueWork(store, { machineNow });
    },
    svc: async (line, { machine = 'state', kill, before } = {}) => {
      let [requests, writes, isDead] = [0, 0, false];
      let acting: Promise<unknown> | undefined;
      let die: (value: undefined) => void = () => undefined;
      const killed = new Promise<undefined>((resolve) => {
        die = resolve;
      });
      const transport: Transport = async (request) => {
        if (isDead) return never;
        requests += 1;
        if (requests === before?.at) {
          acting = before.act();
          await acting;
        }
        // Another run at the same time is sometimes faster, and sometimes slower.
        for (let turns = Math.floor(delays.between(0, 4)); turns > 0; turns -= 1)
          await new Promise((resolve) => setImmediate(resolve));
        if (isDead) return never;
        if (isWrite(request)) writes += 1;
        if (kill === undefined || !isWrite(request) || writes < kill.at) {
          const answer = await perform(machine, request);
          return isDead ? never : answer;
        }
        isDead = true;
        if (kill.isDone) await perform(machine, request);
        die(undefined);
        return never;
      };
      const run = agency.svc(line.split(' '), {
        ...{
          transport,
          now,
          env: { SVC_STATE_DIR: join(agency.folder, machine), PATH: process.env['PATH'] },
        },
      });
      const ended = await Promise.race([run, killed]);
      // A kill does not stop the person who changes something by hand.
      await acting;
      return ended;
    },
    close: async () => {
      await store.close();
      await agency.remove();
    },
  };
}

async function addCompany({ sandbox }: PartnerProfile): Promise<number> {
  const times = { cdate: NOW - 86_400, mdate: NOW - 86_400 };
  const id = await sandbox.put('account', {
    ...{ name: 'Third', contactemail: 'a@example.com', timezone: 'Europe/London', partner_id: 1 },
    ...{ api_key: KEYS.other, smscreditbalance: 1000, emailcreditbalance: 1000, ...times },
  });
  const name = { username: 'admin', firstname: 'A', lastname: 'B', email: 'a@example.com' };
  await sandbox.put('user', { ...name, account_id: id, isadmin: 1, timezone: 'Europe/London', ...times });
  return id;
}
