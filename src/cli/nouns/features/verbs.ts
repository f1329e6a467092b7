/** Verbs of `features` in addition to those of its declaration, or replacing them. */
import type { Verb } from '../../command/command.ts';
import { featuresApply } from './apply.ts';
import { featuresDiff } from './diff.ts';
import { featuresSet } from './set.ts';

export const featuresVerbs: readonly Verb[] = [featuresSet, featuresDiff, featuresApply];
