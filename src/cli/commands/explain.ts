/** Declares `svc explain`, which prints a page about a resource, a field or campaign files. */

import {
  EXPLAIN_TOPIC_FIRST_WORDS,
  fieldNamesOfTopic,
  isFieldOrFlagName,
  parseExplainTopic,
} from '../../features/explain/find.ts';
import { explainTopicAsData, topicPage } from '../../features/explain/topic-page.ts';
import { formatJson } from '../../service/protocol/json.ts';
import type { Outcome, Verb } from '../command/command.ts';
import { switchFlag } from '../command/flag.ts';
import { UsageError } from '../errors/errors.ts';
import { createItemResult } from '../output/result.ts';
import { createTextPageOutcome } from '../request/page.ts';
import { isResultPrintedForPeople } from '../request/write-outcome.ts';
import type { Invocation, ServiceAccess, Tell } from '../session/ports.ts';

const openapi = switchFlag('openapi', {
  describe: 'Print the HTTP API as an OpenAPI 3.1 document: JSON, or YAML with -o yaml',
});
const collection = switchFlag('collection', {
  describe:
    'Print a collection for API clients such as Postman, Insomnia and Bruno, with a script that signs requests',
});

export function createExplainVerb(verbsOf: (noun: string) => Promise<readonly Verb[]>): Verb {
  return {
    name: 'explain',
    summary: 'Explain a resource, a field or an error',
    about:
      'Lists common mistakes (traps) first. To explain one field, write it after a dot or as a separate word: task.size or task size. You can write the name of the field or of its flag. For campaign files and their tests, run svc explain campaign and svc explain campaign-test; for an error of the service, svc explain 423 or svc explain 423/10. To print the HTTP API of the service as an OpenAPI document, add --openapi',
    work: 'local',
    section: 'Resources and their fields',
    example: 'explain task.scheduledtime',
    positionals: [
      {
        name: 'what',
        describe: 'Resource, perhaps with a field (task.size); campaign; or an error (423/10)',
        optional: true,
        variadic: true,
        choices: EXPLAIN_TOPIC_FIRST_WORDS,
        nextChoices: fieldNamesOfTopic,
      },
    ],
    flags: [openapi, collection],
    explainUnknown: (flag) =>
      isFieldOrFlagName(flag) ? `write a field without dashes: svc explain <noun> ${flag}` : undefined,
    run: async (session, { positionals, get }) => {
      const [document, other] = [openapi, collection].filter((flag) => get(flag));
      if (other) throw new UsageError('cannot combine --openapi with --collection');
      if (document) return wholeInterface(session, positionals, document.name);
      if (/^[0-9]/.test(positionals[0] ?? '')) {
        const { errorPage, explainErrorAsData, parseErrorTopic } = await import(
          '../../features/explain/error-page.ts'
        );
        const error = parseErrorTopic(positionals);
        if (error !== undefined)
          return (await isResultPrintedForPeople(session))
            ? createTextPageOutcome(session, errorPage(error))
            : { result: createItemResult(explainErrorAsData(error)) };
      }
      const topic = parseExplainTopic(positionals);
      if (!(await isResultPrintedForPeople(session))) return { result: await explainTopicAsData(topic) };
      return createTextPageOutcome(session, await topicPage(topic, verbsOf));
    },
  };
}

/** Without `-o`, the document is JSON, because a table cannot show it. */
async function wholeInterface(
  session: Invocation & Tell & ServiceAccess,
  words: readonly string[],
  flag: string,
): Promise<Outcome> {
  if (words.length > 0)
    throw new UsageError(
      `cannot combine --${flag} with ${words.join(' ')}: it describes the whole interface`,
      { hint: `run svc explain --${flag}` },
    );
  const value = await documentOf(flag);
  if (await isResultPrintedForPeople(session))
    return { result: { kind: 'text', text: `${formatJson(value, 2)}\n` } };
  return { result: createItemResult(value) };
}

async function documentOf(flag: string): Promise<object> {
  if (flag === openapi.name)
    return (await import('../../features/explain/openapi/document.ts')).openApiDocument();
  return (await import('../../features/explain/openapi/collection.ts')).createPostmanCollection();
}
