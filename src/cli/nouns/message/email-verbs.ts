/** What `email` has besides the verbs of its declaration. */
import type { Verb } from '../../command/command.ts';
import { emailLint } from './email-lint.ts';
import { emailPreview } from './email-preview.ts';

export const emailVerbs: readonly Verb[] = [emailLint, emailPreview];
