import { describe, expect, it } from 'vitest';
import { CliError, type ErrorExplanation, UsageError } from '../../../src/cli/errors/errors.ts';
import { EXIT, exitCodeForHttpStatus } from '../../../src/cli/errors/exit-codes.ts';
import { explainError } from '../../../src/cli/errors/explain-error.ts';
import { printError } from '../../../src/cli/output/print-error.ts';
import { createRedactor } from '../../../src/cli/output/redact.ts';
import { BulkError } from '../../../src/client/bulk/errors.ts';
import { JournalError } from '../../../src/client/journal/file.ts';
import { ProfileError } from '../../../src/client/profiles/errors.ts';
import { ClientError, type ClientErrorKind, TransportError } from '../../../src/client/requests/errors.ts';
import { SendError } from '../../../src/client/sends/errors.ts';
import { CampaignError } from '../../../src/features/campaign/errors.ts';
import { FileError } from '../../../src/kit/files/errors.ts';
import { readEnvelope } from '../../../src/service/protocol/envelope.ts';
import { memoryStream } from '../output/memory-stream.ts';

function refused(status: number, response: object = {}, path = '/v1/folder/12', method = 'GET' as const) {
  const read = readEnvelope(JSON.stringify({ status: 'error', response: { code: status, ...response } }));
  const envelope = read.kind === 'error' ? read : undefined;
  return new ClientError('refused', envelope?.message ?? 'no', { method, path, status, envelope });
}

const ended = (kind: ClientErrorKind, status?: number) =>
  new ClientError(kind, `it ${kind}`, { method: 'POST', path: '/v1/task', status });

const named = (name: string, more: object = {}) => Object.assign(new Error('in words'), { name, ...more });

// Contract, Output: the table of exit codes, every row.
describe('the exit code of', () => {
  it.each<[string, unknown, number, string]>([
    ['a bug', new TypeError('x is not a function'), 1, 'bug'],
    ['a value that is not an error', 'thrown text', 1, 'bug'],
    [
      'a sandbox without its database',
      Object.assign(new Error("Cannot find package 'libsql'"), { code: 'ERR_MODULE_NOT_FOUND' }),
      1,
      'not-installed',
    ],
    ['a 5xx after retries', ended('failed', 503), 1, 'failed'],
    ['a 500 to a POST', refused(500), 1, 'refused'],
    ['a 405', refused(405), 1, 'unsupported'],
    ['a redirect', ended('redirect', 302), 1, 'redirect'],
    ['another program', ended('not-ours', 200), 1, 'not-ours'],
    ["another program's 404", ended('not-ours', 404), 1, 'not-ours'],
    ["a proxy's 403", ended('not-ours', 403), 3, 'not-ours'],
    ['a full disk', Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' }), 1, 'system'],
    ['usage', new UsageError('no such flag'), 2, 'usage'],
    ['a wrong use of a profile', new ProfileError('usage', 'no'), 2, 'usage'],
    ['401', refused(401), 3, 'unauthenticated'],
    ['403', refused(403), 3, 'forbidden'],
    ['no credentials', new ProfileError('no-credentials', 'no'), 3, 'no-credentials'],
    ['a profile that cannot be read', new ProfileError('storage', 'no'), 1, 'storage'],
    ['a file that cannot be read', new BulkError('input', 'no'), 2, 'usage'],
    ['an invalid checkpoint', new BulkError('damaged-checkpoint', 'no'), 2, 'journal'],
    ['a checkpoint that cannot be written', new BulkError('unwritable-checkpoint', 'no'), 1, 'journal'],
    ['a lock that another run holds now', new BulkError('lost-lock', 'no'), 1, 'lost-lock'],
    ['a file of rejects on a full disk', new BulkError('unwritable-file', 'no'), 1, 'system'],
    ['a journal that cannot be written', new JournalError('journal', 'no'), 1, 'journal'],
    ['a journal that others can read', new JournalError('storage', 'no'), 1, 'storage'],
    ['a file that another svc holds', new FileError('held', 'another svc has held it'), 1, 'storage'],
    // Contract, "Campaigns as files": unusable or tampered plan, missing approvals, expired: 2; drift: 5.
    ['a campaign file with faults', new CampaignError('input', 'no'), 2, 'input'],
    ['a plan without its approvals', new CampaignError('refused', 'no'), 2, 'refused'],
    ['a plan that drifted', new CampaignError('drift', 'no'), 5, 'drift'],
    ['blocked steps', new CampaignError('blocked', 'no'), 5, 'blocked'],
    [
      'a size that was not expected',
      new SendError('unexpected-size', 'no', { outcome: 'refused' }),
      2,
      'unexpected-size',
    ],
    ['another apply that came first', new CampaignError('beaten', 'no'), 5, 'beaten'],
    [
      'a task that may still be sent',
      new SendError('not-cancelled', 'no', { outcome: 'unknown' }),
      10,
      'not-cancelled',
    ],
    [
      'a task that the service did not cancel',
      new SendError('not-cancelled', 'no', { outcome: 'conflict' }),
      5,
      'not-cancelled',
    ],
    ['404', refused(404), 4, 'not-found'],
    ['a missing record', new CliError('not-found', 'no folder', { exit: EXIT.notFound }), 4, 'not-found'],
    ['409', refused(409), 5, 'conflict'],
    ['423', refused(423), 5, 'locked'],
    ['400', refused(400), 6, 'invalid'],
    ['413', refused(413), 6, 'too-large'],
    ['415', refused(415), 6, 'wrong-media-type'],
    ['an unreachable service', ended('unreachable'), 7, 'unreachable'],
    ['a request that was not sent', new TransportError('not-sent', 'refused'), 7, 'unreachable'],
    ['a batch with failures', new CliError('partial', '3 of 9 failed', { exit: EXIT.partial }), 8, 'partial'],
    ['429', refused(429), 9, 'throttled'],
    ['Status 429: rate limited, after retries', ended('throttled', 429), 9, 'throttled'],
    ['an unknown outcome', ended('unknown'), 10, 'unknown'],
    ['a truncated response', new TransportError('unknown', 'reset'), 10, 'unknown'],
    ['Ctrl-C in a call', ended('interrupted'), 130, 'interrupted'],
    ['Ctrl-C anywhere', new DOMException('stop', 'AbortError'), 130, 'interrupted'],
    ['Ctrl-C at a question', named('ExitPromptError'), 130, 'interrupted'],
    ['a closed reader', Object.assign(new Error('EPIPE'), { code: 'EPIPE', syscall: 'write' }), 0, 'closed'],
  ])('%s', (_, error, exit, kind) => {
    expect(explainError(error)).toMatchObject({ exit, kind });
    expect(explainError(error).cause).toBe(error);
  });

  it('any status is in the table', () => {
    const known = new Set<number>(Object.values(EXIT));
    for (let status = 100; status < 600; status++)
      expect(known.has(exitCodeForHttpStatus(status))).toBe(true);
  });
});

describe('the words for', () => {
  it('a full disk name the output, because only standard output has no path', () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      syscall: 'write',
    });
    expect(explainError(full).message).toBe('cannot write the output: the disk is full');
  });

  // Contract, "Output": `folder 12 not found` / `Hint: svc folder list shows the ids you can use.`
  it.each<[string, unknown, Partial<ErrorExplanation>]>([
    [
      '404',
      refused(404, { message: 'folder 12 not found' }),
      { message: 'folder 12 not found', http: 404, hint: 'Run svc folder list to see the ids.' },
    ],
    [
      '404 of a single record',
      refused(404, {}, '/v1/account'),
      { hint: 'Run svc account get to see the ids.' },
    ],
    [
      '404 of no resource',
      refused(404, {}, '/v1/nosuch/1'),
      { hint: 'Run svc api GET /v1/nosuch/1 to see the ids.' },
    ],
    [
      '401',
      refused(401, { additional_information: { time: 1796000000 } }),
      {
        details: [{ time: 1796000000 }],
        hint: "Check the key and the ids (svc profile show), and the clock of this machine: the service's clock shows 2026-11-30T00:53:20.000Z. To see the signed string, add --explain-signature. If your service uses other header names, add --naming FILE to svc profile add, or set SVC_NAMING.",
      },
    ],
    ['401 with an invalid time', refused(401, { additional_information: { time: 1e300 } }), { http: 401 }],
    [
      '409 for an existing record',
      refused(409, { message: 'username is taken', resource_id: 7 }),
      {
        details: [{ resource_id: 7 }],
        subcode: null,
        hint: 'To see the existing record, run svc folder get 7.',
      },
    ],
    [
      '423 subcode 10',
      refused(423, { subcode: 10 }),
      {
        subcode: 10,
        hint:
          'A scheduled or sent message cannot be changed. Create a new one.\n' +
          'To see what locks the record, run svc why folder 12.',
      },
    ],
    [
      'an unknown outcome',
      ended('unknown'),
      { hint: 'The service may have made the change. Check with svc task list before you try again.' },
    ],
    ['hints', new UsageError('no', { hints: ['One.', 'Two.'] }), { hint: 'One.\nTwo.' }],
    ['one hint', new UsageError('no', { hint: 'One.' }), { hint: 'One.' }],
  ])('%s', (_, error, words) => {
    expect(explainError(error)).toMatchObject(words);
  });
});

describe('printError', () => {
  const plain = { json: false, colour: false, debug: false };
  const printed = async (error: unknown, options: Partial<Parameters<typeof printError>[1]> = {}) => {
    const err = memoryStream();
    await printError(explainError(error), { ...plain, ...options }, err);
    return err.text();
  };
  const conflict = refused(409, {
    message: 'Automation Rule 3 cannot be unpaused',
    subcode: 12,
    additional_information: [{ attribute: 'list_id', reason: 'is gone' }],
  });

  // Contract, Output: {"error":{"kind":"conflict","exit":5,"message":"…","http":409,"subcode":12,"details":[…],"hint":"…"}}
  it('writes one JSON object in one line', async () => {
    expect(await printed(conflict, { json: true })).toBe(
      '{"error":{"kind":"conflict","exit":5,"message":"Automation Rule 3 cannot be unpaused","http":409,"subcode":12,' +
        '"details":[{"attribute":"list_id","reason":"is gone"}],' +
        '"hint":"Resume the rule and replace the missing record in the same update. Give another record, or null if the attribute can be null.' +
        '\\nTo see what locks the record, run svc why folder 12."}}\n',
    );
    expect(await printed(new CliError('partial', 'no', { exit: EXIT.partial }), { json: true })).toBe(
      '{"error":{"kind":"partial","exit":8,"message":"no","details":[]}}\n',
    );
  });

  // Contract, Safety: "reports all faults at once. Each fault names the attribute, the value, the rule and what to
  // write instead".
  it('writes a line for each fault', async () => {
    const details = [
      { attribute: 'name', reason: 'is required' },
      { attribute: 'count', reason: 'must be a whole number', value: 'many', instead: '200 is the most' },
      { attribute: 'html', reason: 'is too long', value: 'x'.repeat(1e6) },
    ];
    expect(await printed(new UsageError('3 faults', { details, hint: 'Nothing was sent.' }))).toBe(
      'svc: 3 faults\n  name is required\n  count must be a whole number (given: "many"); 200 is the most\n' +
        `  html is too long (given: "${'x'.repeat(40)}…")\nHint: Nothing was sent.\n`,
    );
    expect(await printed(refused(409, { message: 'taken', resource_id: 7 }))).toBe(
      'svc: taken\nHint: To see the existing record, run svc folder get 7.\n',
    );
  });

  const printedOf = async (message: string, findings: readonly object[]) => {
    const [text, json] = [memoryStream(), memoryStream()];
    const explained = explainError(refused(400, { message, additional_information: findings }));
    await printError(explained, { json: false, colour: false, debug: false }, text);
    await printError(explained, { json: true, colour: false, debug: false }, json);
    return { text: text.text(), error: JSON.parse(json.text()).error };
  };

  it('says the findings of the service once, and a sentence about several attributes without the first one', async () => {
    const findings = [
      { attribute: 'name', reason: 'is required' },
      { attribute: 'search_id', reason: 'give list_id or search_id, not both' },
    ];
    const message = 'name is required; give list_id or search_id, not both';
    const { text, error } = await printedOf(message, findings);
    expect(text).toBe(`svc: ${message}\n`);
    expect(error).toMatchObject({ message, details: findings });
  });

  it('lists the findings of a service whose message does not have them', async () => {
    const { text } = await printedOf('invalid', [{ attribute: 'name', reason: 'is required' }]);
    expect(text).toBe('svc: invalid\n  name is required\n');
  });

  it('never takes an object of the service for a reason of its own', async () => {
    const { text, error } = await printedOf('invalid', [
      { attribute: 'name', reason: { kind: 'phrase', texts: 5 } },
    ]);
    expect(text).toBe('svc: invalid\n  name {"kind":"phrase","texts":5}\n');
    expect(error.details).toEqual([{ attribute: 'name', reason: '{"kind":"phrase","texts":5}' }]);
  });

  it('colours its own words only if colour is on', async () => {
    const error = new UsageError('no \x1b[31m', { hint: 'yes' });
    expect(await printed(error)).toBe('svc: no ␛[31m\nHint: yes\n');
    expect(await printed(error, { colour: true })).toMatch(/^\x1b\[31m.*svc:.* no ␛\[31m\n\x1b\[2mHint:/);
    expect(await printed(error, { colour: true, json: true })).not.toContain('\x1b');
  });

  it('shows stacks, including those of causes, only in debug', async () => {
    const error = new CliError('storage', 'no', { exit: EXIT.failed, cause: new Error('the disk\x1b') });
    for (const json of [true, false]) {
      expect(await printed(error, { json })).not.toMatch(/^ +at /m);
      const traced = await printed(error, { json, debug: true });
      expect(traced).toMatch(/^CliError: no\n +at [\s\S]*^caused by Error: the disk␛\n +at /m);
      expect(JSON.parse(json ? (traced.trimEnd().split('\n').at(-1) ?? '') : '{}')).toBeTypeOf('object');
    }
  });

  it('prints no secret, in any form', async () => {
    const key = '0123456789abcdef0123456789abcdef';
    const details = [
      { attribute: 'password', reason: 'is too short', value: 'hunter2' },
      { attribute: 'name', reason: key, value: { deep: [key] } },
    ];
    const error = new UsageError(`no ${key}`, { details, hint: key, cause: new Error(key) });
    for (const json of [true, false]) {
      for (const debug of [true, false]) {
        const text = await printed(error, { json, debug, redact: createRedactor([key]) });
        expect(text).not.toContain(key);
        expect(text).not.toContain('hunter2');
        expect(text).toContain('[redacted]');
      }
    }
  });

  it('survives details that JSON cannot write', async () => {
    let deep: object = {};
    for (let level = 0; level < 100_000; level++) deep = [deep];
    const error = new CliError('invalid', 'no', { exit: EXIT.invalid, details: [deep, 10n, undefined] });
    expect(await printed(error, { json: true })).toContain('10');
    expect(await printed(error)).toContain('…');
  });

  it.each([Object.assign(new Error('EPIPE'), { code: 'EPIPE' })])(
    'prints nothing if the error has no message',
    async (error) => {
      expect(await printed(error)).toBe('');
      expect(await printed(error, { json: true, debug: true })).toBe('');
    },
  );
});
