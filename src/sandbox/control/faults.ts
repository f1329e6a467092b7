import { invalid } from '../../protocol/faults.ts';
import { FAULT_KINDS, type Misbehaviour } from '../fault-injection.ts';
import { type Arguments, number, oneOf, optional, text } from './arguments.ts';
import { type Operations, ofSandbox } from './operation.ts';

export const faultOperations: Operations = {
  'fault set': ofSandbox(async ({ misbehaviours }, args) => {
    const wanted: Misbehaviour = {
      kind: oneOf(args, 'kind', FAULT_KINDS),
      rate: rate(args),
      times:
        optional(args, 'times', (given, name) => number(given, name, { least: 1, most: 1_000_000 })) ?? null,
      match: optional(args, 'match', text) ?? null,
      delay:
        optional(args, 'delay', (given, name) => number(given, name, { least: 0, most: 600_000 })) ?? 2000,
    };
    misbehaviours.add(wanted);
    return { ...wanted };
  }),
  'fault clear': ofSandbox(async ({ misbehaviours }) => ({ cleared: misbehaviours.clear() })),
  'fault list': ofSandbox(async ({ misbehaviours }) => misbehaviours.list().map((each) => ({ ...each }))),
};

function rate(args: Arguments): number {
  const value = args['rate'] ?? 1;
  if (typeof value === 'number' && value >= 0 && value <= 1) return value;
  throw invalid([{ attribute: 'rate', reason: 'must be a number from 0 to 1' }]);
}
