/** The four prompts in use. The others stay out of the bundle, such as the editor's with its tables of encodings. */
import { confirm, input, password, select } from '@inquirer/prompts';

export const questions = { confirm, input, password, select };
