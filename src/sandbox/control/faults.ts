import type { OperationsOf } from './operation.ts';

export const faultOperations = {
  'fault set': async ({ faultInjection }, { kind, rate, times = null, match = null, delay }) => {
    const wanted = { kind, rate, times, match, delay };
    faultInjection.add(wanted);
    return wanted;
  },
  'fault clear': async ({ faultInjection }) => ({ cleared: faultInjection.clear() }),
  'fault list': async ({ faultInjection }) => faultInjection.list().map((each) => ({ ...each })),
} satisfies OperationsOf<'fault'>;
