/** Topics of `svc help` besides commands. A page is loaded only when it is requested. */
export const TOPIC_NAMES = [
  ...(['commands', 'flags', 'aliases', 'time', 'output', 'exit-codes', 'environment'] as const),
  ...(['ci', 'safety', 'sandbox', 'companies', 'campaigns', 'lint'] as const),
] as const;
export type TopicName = (typeof TOPIC_NAMES)[number];

/** Synonyms of the topics, each with the topic's name. */
const SYNONYMS: Readonly<Record<string, TopicName>> = {
  times: 'time',
  timezone: 'time',
  timezones: 'time',
  formats: 'output',
  formatting: 'output',
  'exit-code': 'exit-codes',
  env: 'environment',
};

/** Returns the topic with this name or synonym. Returns undefined for any other word. */
export const findTopic = (word: string): TopicName | undefined =>
  TOPIC_NAMES.find((each) => each === word) ?? (Object.hasOwn(SYNONYMS, word) ? SYNONYMS[word] : undefined);
