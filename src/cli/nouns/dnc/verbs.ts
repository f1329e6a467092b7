/** Verbs of `dnc` in addition to those of its declaration, or replacing them. */
import type { Verb } from '../../command/command.ts';
import { dncAdd } from './add.ts';
import { dncCheck } from './check.ts';
import { dncDiff } from './diff.ts';
import { dncExport } from './export.ts';
import { dncGet, dncRemove } from './get-remove.ts';
import { dncImport } from './import.ts';

export const dncVerbs: readonly Verb[] = [dncGet, dncAdd, dncRemove, dncCheck, dncDiff, dncImport, dncExport];
