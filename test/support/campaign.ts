/** A message, a list with subscribers, and the command that sends the message to the list. */
import { advance, outbox } from './engine.ts';
import { putEmail, putList, putSubscriber } from './messages.ts';
import { serviceOf } from './run-cli.ts';
import { createTestSandbox, type TestSandbox } from './sandbox.ts';

export async function campaign(subscribers = 2) {
  const put = async (empty: TestSandbox) => {
    const list = await putList(empty);
    for (let each = 1; each <= subscribers; each += 1)
      await putSubscriber(empty, [list], { email: `someone${each}@example.com` });
    await putEmail(empty);
  };
  const sandbox = await createTestSandbox({ holding: { kind: `campaign ${subscribers}`, put } });
  const create = ['task', 'create', '--name', 'Sale', '--channel', 'email', '--message', 'Message'];
  return {
    sandbox,
    ...serviceOf(sandbox),
    create: [...create, '--list', '1'],
    tasks: () => sandbox.rows('task'),
    /** Returns the messages sent by the end of the next day. */
    deliveries: async () => {
      await advance(sandbox, 86_400);
      return outbox(sandbox);
    },
  };
}
