/** What `svc help` has pages of besides commands; the pages are loaded only when one is asked for. */
export const TOPIC_NAMES = [
  'flags',
  'aliases',
  'companies',
  'environment',
  'exit-codes',
  'lint',
  'times',
] as const;
export type TopicName = (typeof TOPIC_NAMES)[number];
