/** Contract, "The everyday screen": what a token of each role may do. */
import { describe, expect, it } from 'vitest';
import { mayAsk } from '../../../src/protocol/control/roles.ts';
import { CONTROL_OPERATIONS, type OperationName, operationOf } from '../../../src/protocol/control.ts';

const names = Object.keys(CONTROL_OPERATIONS) as OperationName[];

describe('a token', () => {
  it('of the outbox may read what was sent, what is due and the time', () => {
    expect(names.filter((name) => mayAsk('outbox', name)).sort()).toEqual([
      'clock show',
      'outbox eml',
      'outbox list',
      'outbox send list',
      'outbox show',
      'queue',
    ]);
  });

  // A revoked token could live on in tokens that it created, and in sessions that it opened.
  it('of the control plane may do all but make tokens and open the pages', () => {
    const refused = names.filter((name) => !mayAsk('control', name));
    expect(refused.filter((name) => !name.startsWith('token '))).toEqual(['open']);
    expect(refused.filter((name) => name.startsWith('token '))).toEqual(
      names.filter((name) => name.startsWith('token ')),
    );
  });
});

it('an operation is found by its name', () => {
  for (const name of names) expect(operationOf(name)).toBe(CONTROL_OPERATIONS[name]);
});
