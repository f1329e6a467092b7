/** Exports the four prompts that svc uses, so that the bundle leaves out the other prompts of the package. */
import { confirm, input, password, select } from '@inquirer/prompts';

export const questions = { confirm, input, password, select };
