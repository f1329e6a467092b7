/** Contract, "The everyday screen": the operations that a token of each role may perform. */
import { describe, expect, it } from 'vitest';
import { mayCall } from '../../../src/sandbox/control/tokens.ts';
import {
  CONTROL_OPERATIONS,
  type ControlOperationName,
  controlOperationNamed,
} from '../../../src/service/protocol/control.ts';

const names = Object.keys(CONTROL_OPERATIONS) as ControlOperationName[];

describe('a token', () => {
  it('of the role outbox may read the outbox, the queue and the clock', () => {
    expect(names.filter((name) => mayCall('outbox', name)).sort()).toEqual([
      'clock show',
      'outbox eml',
      'outbox list',
      'outbox send list',
      'outbox show',
      'queue',
    ]);
  });

  // Otherwise a revoked token could live on in tokens that it created, and in sessions that it opened.
  it('of the role control may do everything except make tokens and open the pages', () => {
    const refused = names.filter((name) => !mayCall('control', name));
    expect(refused.filter((name) => !name.startsWith('token '))).toEqual(['open']);
    expect(refused.filter((name) => name.startsWith('token '))).toEqual(
      names.filter((name) => name.startsWith('token ')),
    );
  });
});

it('finds an operation by its name', () => {
  for (const name of names) expect(controlOperationNamed(name)).toBe(CONTROL_OPERATIONS[name]);
});
