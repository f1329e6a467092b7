/** Contract, "Rehearse": a rehearsal can be interrupted like every command, also while the clock of the copy moves. */
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { readAccountCopy } from '../../src/features/rehearse/read-account.ts';
import { rehearse } from '../../src/features/rehearse/rehearse.ts';
import { clientOf } from '../campaign/support.ts';
import { createTestSandbox } from '../support/sandbox.ts';
import { randomAccount } from './random-account.ts';

it('ends with the reason of its signal', async () => {
  const sandbox = await createTestSandbox();
  const { simulatedRecipients } = await randomAccount(sandbox, 2, { hasUnknown: false });
  const { copy, ...known } = await readAccountCopy(clientOf(sandbox), {
    keepsNotificationTargets: true,
  });
  const controller = new AbortController();
  const reason = new Error('interrupted');
  const rehearsal = rehearse(copy, [], {
    // The engine lets other code run before its next step.
    random: (octets) => {
      setImmediate(() => controller.abort(reason));
      return randomBytes(octets);
    },
    ...{
      signal: controller.signal,
      simulatedRecipients,
      maxDuration: 30 * 86_400,
      minGap: 86_400,
      ...known,
    },
  });
  await expect(rehearsal).rejects.toBe(reason);
  await sandbox.service.store.close();
});
