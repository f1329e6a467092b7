/** The behaviour of each resource that has one of its own. */
import type { Behaviours } from '../behaviour.ts';
import { folder } from './folder.ts';

export const behaviours: Behaviours = {
  folder,
};
