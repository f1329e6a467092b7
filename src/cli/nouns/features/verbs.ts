/** What `features` has besides the verbs of its declaration, or in their place. */
import type { Verb } from '../../command/command.ts';
import { featuresApply } from './apply.ts';
import { featuresDiff } from './diff.ts';
import { featuresSet } from './set.ts';

export const featuresVerbs: readonly Verb[] = [featuresSet, featuresDiff, featuresApply];
