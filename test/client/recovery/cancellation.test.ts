/** Acceptance, "What is sent again": GET decides; cancelled is success, completed is too late. */
import { describe, expect, it } from 'vitest';
import { ClientError } from '../../../src/client/requests/errors.ts';
import { cancelsTask, verifyTaskCancellation } from '../../../src/client/requests/recovery/cancellation.ts';
import type { JsonObject } from '../../../src/service/protocol/envelope.ts';
import { emailMessage } from '../../../src/service/resources/email-message.ts';
import { task } from '../../../src/service/resources/task.ts';

const ABOUT = { method: 'PUT', path: '/v1/task/5' } as const;
const unknown = new ClientError('unknown', 'no response to PUT /v1/task/5', ABOUT);
const refused = new ClientError('refused', 'task 5 is cancelled', { ...ABOUT, status: 409 });
const open = { id: 5, cancelled: false, completed: false };

const decide = (failure: unknown, found: JsonObject | undefined) =>
  verifyTaskCancellation(failure, async () => found).catch((error: unknown) => error);

describe('a body that cancels a task', () => {
  it.each([
    ['cancelled true of a task', task, { cancelled: true }, true],
    ['cancelled false of a task', task, { cancelled: false }, false],
    ['another attribute of a task', task, { name: 'x' }, false],
    ['cancelled true of another resource', emailMessage, { cancelled: true }, false],
  ])('%s', (_name, resource, body, expected) => {
    expect(cancelsTask(resource, body)).toBe(expected);
  });
});

describe('a cancellation with an unknown outcome', () => {
  it.each([
    ['no response', unknown],
    ['refused', refused],
  ])('returns the task that is cancelled: %s', async (_name, failure) => {
    const found = { ...open, cancelled: true };
    expect(await decide(failure, found)).toBe(found);
  });

  it('reports a task that was completed first as a refusal, with the failure as its cause', async () => {
    const error = await decide(unknown, { ...open, completed: true });
    expect(error).toMatchObject({
      ...ABOUT,
      kind: 'refused',
      status: 409,
      message: '/v1/task/5: too late to cancel, the task is completed',
      cause: unknown,
    });
  });

  it('reports a task in neither state as unknown, and advises to try again', async () => {
    const failure = new ClientError('failed', 'PUT /v1/task/5: 503', { ...ABOUT, status: 503 });
    expect(await decide(failure, open)).toMatchObject({
      ...ABOUT,
      kind: 'unknown',
      status: 503,
      message: 'PUT /v1/task/5: 503; the task is not cancelled yet, so try again',
      cause: failure,
    });
  });

  it.each([
    ['the refusal of a task in neither state', refused, open],
    ['the failure if the task does not exist', unknown, undefined],
    ['the refusal if the task does not exist', refused, undefined],
  ])('throws %s', async (_name, failure, found) => {
    expect(await decide(failure, found)).toBe(failure);
  });

  it('throws the failure if the look-up fails', async () => {
    const look = () => Promise.reject(new Error('cut'));
    await expect(verifyTaskCancellation(unknown, look)).rejects.toBe(unknown);
  });

  it('throws any other error without a look-up', async () => {
    const bug = new TypeError('a bug');
    let looks = 0;
    const look = async () => {
      looks += 1;
      return { ...open, cancelled: true };
    };
    await expect(verifyTaskCancellation(bug, look)).rejects.toBe(bug);
    expect(looks).toBe(0);
  });
});
