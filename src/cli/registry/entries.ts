import type { Entry } from '../command/command.ts';
import { commands } from './commands.ts';
import { nouns } from './nouns.ts';

/** The first level of the command line, in the order of its help. */
export const entries: readonly Entry[] = [...nouns, ...commands];
