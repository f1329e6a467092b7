/** Declares `svc explain`. */

import { fieldsOf, isFieldWord, NAMES, readTopic } from '../../explain/find.ts';
import { pageOf, valuesOf } from '../../explain/topic-page.ts';
import type { Verb } from '../command/command.ts';
import { pageOutcome } from '../request/page.ts';
import { isForPeople } from '../session/for-people.ts';

/** Returns the verb `svc explain`. @param verbsOf returns the verbs of a noun */
export function explainVerb(verbsOf: (noun: string) => Promise<readonly Verb[]>): Verb {
  return {
    name: 'explain',
    summary: 'Explain a resource or one of its fields',
    about:
      'Lists traps first. Name a field by its own name or its flag, after a dot or as a separate word. For campaign ' +
      'files, run svc explain campaign',
    work: 'local',
    section: 'Resources and their fields',
    example: 'explain task.scheduledtime',
    positionals: [
      {
        name: 'what',
        describe: 'Noun or resource and field: task, task.size, task at; or campaign',
        optional: true,
        variadic: true,
        choices: NAMES,
        following: fieldsOf,
      },
    ],
    flags: [],
    explainUnknown: (flag) =>
      isFieldWord(flag) ? `write a field without dashes: svc explain <noun> ${flag}` : undefined,
    run: async (session, { positionals }) => {
      const topic = readTopic(positionals);
      if (!(await isForPeople(session))) return { result: await valuesOf(topic) };
      return pageOutcome(session, await pageOf(topic, verbsOf));
    },
  };
}
