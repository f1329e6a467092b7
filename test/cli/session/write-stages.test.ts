/** Contract, "Safety": every write passes the same stages in the same order, whatever verb makes it. */
import { describe, expect, it } from 'vitest';
import { guardedClient, WRITE_STAGES, type WriteGuards } from '../../../src/cli/session/write-stages.ts';
import type { JournalRecorder } from '../../../src/client/journal/recorder.ts';
import type { SendBudgetCounter } from '../../../src/client/sends/budget-counter.ts';
import { DEFAULT_WIRE_NAMING } from '../../../src/service/protocol/naming.ts';
import { folder } from '../../../src/service/resources/folder.ts';
import { clientOn, ok } from '../../client/fakes.ts';

function watched(more: Partial<WriteGuards> = {}) {
  const seen: string[] = [];
  const { client } = clientOn([
    () => {
      seen.push('service');
      return ok({ id: 7, name: 'News' });
    },
  ]);
  const passing =
    (name: string) => () => (next: (write: never) => Promise<never>) => async (write: never) => {
      seen.push(name);
      return next(write);
    };
  const recorder: JournalRecorder = {
    begin: async () => 1,
    end: async () => {
      seen.push('outcome in the journal');
    },
    keep: async () => ({ file: '', records: 0 }),
  };
  const guards: WriteGuards = {
    profile: { name: 'prod', kind: 'company', baseUrl: 'https://a.example', budget: {} },
    naming: DEFAULT_WIRE_NAMING,
    secrets: ['a-key-of-svc'],
    dryRun: {
      isOn: false,
      end: () => {
        throw new Error('a dry run ended');
      },
    },
    announce: async () => {
      seen.push('announce');
    },
    company: {
      resume: passing('resume') as never,
      onWritten: (isDone) => seen.push(`reported as ${isDone ? 'done' : 'refused'}`),
    },
    counter: async () => ({ stage: passing('budget') }) as unknown as SendBudgetCounter,
    journal: {
      open: async () => {
        seen.push('journal');
        return recorder;
      },
      warn: async () => undefined,
    },
    checkLock: () => seen.push('lock'),
    ...more,
  };
  return { client: guardedClient(client, guards), seen };
}

describe('the stages of a write', () => {
  it('stand in this order', () => {
    expect(WRITE_STAGES.map(([name]) => name)).toEqual([
      'keys',
      'dry run',
      'read-only',
      'approvals',
      'announce',
      'resume',
      'report',
      'budget',
      'journal',
      'lock',
    ]);
  });

  it('run in this order, and the outcome passes them in reverse', async () => {
    const { client, seen } = watched();
    await client.create(folder, { name: 'News' });
    expect(seen).toEqual([
      ...['announce', 'resume', 'budget', 'journal', 'lock', 'service'],
      ...['outcome in the journal', 'reported as done'],
    ]);
  });

  // Contract, "Safety": "a dry run sends nothing".
  it('end with a dry run before anything is announced, counted, noted or sent', async () => {
    const { client, seen } = watched({
      dryRun: {
        isOn: true,
        end: () => {
          seen.push('shown');
          throw new Error('the dry run ended');
        },
      },
    });
    await expect(client.update(folder, 7, { name: 'News' })).rejects.toThrow('the dry run ended');
    expect(seen).toEqual(['shown']);
  });

  it.each([
    ['a POST', { method: 'POST', path: '/v1/folder', body: '{}' }],
    ['a PUT', { method: 'PUT', path: '/v1/folder/7', body: '{}' }],
    ['a DELETE', { method: 'DELETE', path: '/v1/folder/7' }],
  ] as const)('refuse %s of svc api with a read-only profile before it is announced', async (_, request) => {
    const profile = { name: 'prod', kind: 'company', baseUrl: 'https://a.example', readOnly: true } as const;
    const { client, seen } = watched({ profile });
    await expect(client.raw(request)).rejects.toThrow('profile prod is read-only; nothing was sent');
    expect(seen).toEqual([]);
  });

  it('refuse a write that holds a key before anything else, also in a dry run', async () => {
    const end = (): never => {
      throw new Error('shown');
    };
    const { client, seen } = watched({ dryRun: { isOn: true, end } });
    await expect(client.create(folder, { name: 'a-key-of-svc' })).rejects.toThrow('would send an API key');
    expect(seen).toEqual([]);
  });

  it('are not for a GET', async () => {
    const { client, seen } = watched();
    await client.raw({ method: 'GET', path: '/v1/folder/7' });
    expect(seen).toEqual(['service']);
  });
});
