/** The type of a record follows from the declaration of its resource. `npm run types` checks what `@ts-expect-error` says. */
import { expectTypeOf, it } from 'vitest';
import type { Client } from '../../src/client/requests/client.ts';
import type { Scalar } from '../../src/kit/schema/field.ts';
import type {
  AnyRecord,
  BodyOf,
  JsonObject,
  RecordOf,
  Resource,
  Values,
} from '../../src/kit/schema/resource.ts';
import type { accountFeatures } from '../../src/service/resources/account-features.ts';
import type { emailMessage } from '../../src/service/resources/email-message.ts';
import type { smsMessage } from '../../src/service/resources/sms-message.ts';
import { task } from '../../src/service/resources/task.ts';
import type {
  clickAutomation,
  subscriptionAutomation,
} from '../../src/service/resources/timed-automations.ts';
import type { user } from '../../src/service/resources/user.ts';

type Task = RecordOf<typeof task>;

// Interface, "task": the types of its table.
it('has the types of the interface', () => {
  expectTypeOf<Task['id']>().toEqualTypeOf<number | bigint>();
  expectTypeOf<Task['cancelled']>().toEqualTypeOf<boolean>();
  expectTypeOf<Task['channel']>().toEqualTypeOf<'email' | 'sms'>();
  expectTypeOf<Task['list_id']>().toEqualTypeOf<number | bigint | null>();
  expectTypeOf<Task['endtime']>().toEqualTypeOf<number | null>();
  expectTypeOf<Task['scheduledtime']>().toEqualTypeOf<number>();
  expectTypeOf<Task['name']>().toEqualTypeOf<string>();
  expectTypeOf<RecordOf<typeof clickAutomation>['link_id']>().toEqualTypeOf<number | bigint | null>();
  expectTypeOf<RecordOf<typeof subscriptionAutomation>['actionhour']>().toEqualTypeOf<string | null>();
  expectTypeOf<RecordOf<typeof accountFeatures>['locked']>().toEqualTypeOf<boolean>();
});

it('has the common attributes of several resources, each with the values of any of them', () => {
  type Message = RecordOf<typeof emailMessage | typeof smsMessage>;
  expectTypeOf<Message['editable']>().toEqualTypeOf<boolean | number>();
  expectTypeOf<Message['name']>().toEqualTypeOf<string>();
  expectTypeOf<Message>().not.toHaveProperty('subject');
});

it('has no attribute that the interface does not name, and none that is never returned', () => {
  // @ts-expect-error The attribute is `scheduledtime`.
  expectTypeOf<Task>().toHaveProperty('scheduled_time');
  expectTypeOf<RecordOf<typeof user>>().not.toHaveProperty('password');
});

// `--no-validate` sends values of any kind.
it('gives a body the attributes of the declaration, with values of any kind', () => {
  expectTypeOf<BodyOf<typeof task>['scheduledtime']>().toEqualTypeOf<Scalar | undefined>();
  // @ts-expect-error The attribute is `scheduledtime`.
  expectTypeOf<BodyOf<typeof task>>().toHaveProperty('scheduled_time');
  expectTypeOf<BodyOf<typeof task>>().toExtend<Values>();
  expectTypeOf<BodyOf<Resource>>().toEqualTypeOf<Values>();
});

it('comes from the client, and is an object if the resource is only known at run time', () => {
  expectTypeOf<Client>().toHaveProperty('get');
  const read = async (client: Client, any: Resource) => ({
    known: await client.get(task, 1),
    other: await client.get(any, 1),
  });
  expectTypeOf(read).returns.resolves.toEqualTypeOf<{
    known: Task | undefined;
    other: AnyRecord | undefined;
  }>();
  expectTypeOf<Task>().toExtend<JsonObject>();
});
