/** Groups `svc plan FILE…` and the commands for a plan before it is applied. */
import type { Group } from '../../command/command.ts';
import { planMake } from './plan-make.ts';
import { planShow } from './plan-show.ts';

export const plan: Group = {
  name: 'plan',
  summary: 'Show what a campaign file would change, or a saved plan',
  commands: [planMake, planShow],
  otherwise: 'make',
};
