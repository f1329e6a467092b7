/** Defines `svc approve PLAN`, which writes a signature of the plan's digest by a person's SSH key to a file next to the plan. */

import type { Verb } from '../../command/command.ts';
import { type Flag, switchFlag, textFlag } from '../../command/flag.ts';
import { allowLintErrorsFlag } from '../../request/message-lint.ts';

const identityFlag: Flag<string | undefined> = {
  ...textFlag('identity', {
    describe: 'SSH key: a private key, or a public key in ssh-agent (default: your only key)',
    value: 'file',
  }),
  completes: 'file',
};
const nameFlag = textFlag('name', {
  describe:
    'NAME of the signature file PLAN.NAME.sig (default: the comment in your SSH key, or your user name)',
});

const offlineFlag = switchFlag('offline', {
  describe:
    'Compare the plan with its files, but not with the service; svc apply accepts this approval only with --allow-offline',
});

export const approve: Verb = {
  name: 'approve',
  summary: 'Approve a plan: sign it with an SSH key',
  about:
    'Compares the plan with its campaign and content files and with the service, and shows what recipients will get. Asks, then signs the plan with ssh-keygen, and writes the signature to PLAN.NAME.sig. The signers file says which key belongs to whom',
  work: 'reads',
  does: 'local',
  asks: true,
  exits: { 5: 'the service no longer has the state of the plan' },
  section: 'States and transitions',
  example: 'approve spring.plan --identity ~/.ssh/id_ed25519',
  positionals: [{ name: 'plan', describe: 'Plan file from svc plan --out', completes: 'file' }],
  flags: [identityFlag, nameFlag, offlineFlag, allowLintErrorsFlag],
  needsNoCompany: true,
  run: async (session, input) => {
    const { approvePlan } = await import('./approve-plan.ts');
    return approvePlan(session, {
      plan: input.positionals[0] ?? '',
      identity: input.get(identityFlag),
      name: input.get(nameFlag),
      isOffline: input.get(offlineFlag),
      allowsLintErrors: input.get(allowLintErrorsFlag),
    });
  },
};
