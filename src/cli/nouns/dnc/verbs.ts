/** What `dnc` has besides the verbs of its declaration, or in their place. */
import type { Verb } from '../../command/command.ts';
import { dncAdd } from './add.ts';
import { dncCheck } from './check.ts';
import { dncDiff } from './diff.ts';
import { dncExport } from './export.ts';
import { dncGet, dncRemove } from './get-remove.ts';
import { dncImport } from './import.ts';

export const dncVerbs: readonly Verb[] = [dncGet, dncAdd, dncRemove, dncCheck, dncDiff, dncImport, dncExport];
