/** Records the effects of rules as the engine makes them, each with the time of the service's clock. */
import { sql } from '../../src/sandbox/store/driver/sql.ts';
import type { Db } from '../../src/sandbox/store/open.ts';

export interface RuleEffect {
  /** The time in Unix seconds. */
  readonly time: number;
  readonly what: 'sent' | 'joined' | 'left';
  /** The recipient for `sent`, with `message 3` if there is a message; otherwise the list. */
  readonly to: string;
  readonly subscriber: number | null;
}

/**
 * Records every delivery and every change of a list from now on.
 * @returns a function that returns the effects since its last call
 */
export async function watchEffects(db: Db): Promise<() => Promise<readonly RuleEffect[]>> {
  await db.exec(
    sql`create table effect (n integer primary key, time integer, what text, "to" text, subscriber integer)`,
  );
  const note = (name: string, on: string, values: string) =>
    db.run(
      sql.raw(
        `create trigger ${name} after ${on} begin insert into effect (time, what, "to", subscriber)
         values ((select cast(value as integer) from setting where key = 'clock.time'), ${values}); end`,
      ),
    );
  await note(
    'effect_sent',
    'insert on delivery',
    "'sent', coalesce('message ' || new.message_id, new.recipient), new.subscriber_id",
  );
  await note('effect_joined', 'insert on subscription', "'joined', new.list_id, new.subscriber_id");
  await note('effect_left', 'delete on subscription', "'left', old.list_id, old.subscriber_id");
  return async () => {
    const rows = await db.all(sql<RuleEffect>`select time, what, "to", subscriber from effect order by n`);
    await db.run(sql`delete from effect`);
    return rows;
  };
}
