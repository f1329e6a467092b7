import type { OperationsOf } from './operation.ts';

export const faultOperations = {
  'fault set': async ({ misbehaviours }, { kind, rate, times = null, match = null, delay }) => {
    const wanted = { kind, rate, times, match, delay };
    misbehaviours.add(wanted);
    return wanted;
  },
  'fault clear': async ({ misbehaviours }) => ({ cleared: misbehaviours.clear() }),
  'fault list': async ({ misbehaviours }) => misbehaviours.list().map((each) => ({ ...each })),
} satisfies OperationsOf<'fault'>;
