/** A message, a list with subscribers, and the command that sends the message to the list. */
import { advance, outbox } from './engine.ts';
import { putEmail, putList, putSubscriber } from './messages.ts';
import { serviceOf } from './run-cli.ts';
import { createTestSandbox } from './sandbox.ts';

export async function campaign(subscribers = 2) {
  const sandbox = await createTestSandbox();
  const list = await putList(sandbox);
  for (let each = 1; each <= subscribers; each += 1)
    await putSubscriber(sandbox, [list], { email: `someone${each}@example.com` });
  await putEmail(sandbox);
  const create = ['task', 'create', '--name', 'Sale', '--channel', 'email', '--message', 'Message'];
  return {
    sandbox,
    ...serviceOf(sandbox),
    create: [...create, '--list', String(list)],
    tasks: () => sandbox.rows('task'),
    /** Returns the messages sent by the end of the next day. */
    deliveries: async () => {
      await advance(sandbox, 86_400);
      return outbox(sandbox);
    },
  };
}
