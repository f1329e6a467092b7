/** `svc plan …` */
import type { Group } from '../../command/command.ts';
import { planShow } from './plan-show.ts';

export const plan: Group = {
  name: 'plan',
  summary: 'Show what applying a campaign file would do, and who approved it',
  commands: [planShow],
};
