/** Tells programs what a command may do, and whether it asks first (contract, "Help for programs"). */
import type { Effect, Verb, VerbActionKind } from './command.ts';

type Declared = Pick<Verb, 'work' | 'methods' | 'does' | 'asks'>;

export const effectOf = ({ work, methods = [], does }: Declared): Effect =>
  does ?? (methods.includes('DELETE') ? 'removes' : EFFECT_OF_WORK[work]);

export const asksFirst = ({ methods = [], asks }: Declared): boolean => asks ?? methods.includes('DELETE');

const EFFECT_OF_WORK: Readonly<Record<VerbActionKind, Effect>> = {
  local: 'local',
  reads: 'reads',
  finds: 'reads',
  creates: 'changes',
  'sends rows': 'changes',
  changes: 'changes',
  'reads sandbox': 'local',
  'finds in sandbox': 'local',
  'changes sandbox': 'local',
};
