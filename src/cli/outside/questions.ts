/** The four questions that are asked. Those that nobody asks, the editor's with its tables of encodings, stay out of the bundle. */
import { confirm, input, password, select } from '@inquirer/prompts';

export const questions = { confirm, input, password, select };
