/** The steps from an empty file to today's tables. A step that has landed is never edited; a change is a new one. */
import { initialSchema } from './initial-schema.ts';

/**
 * What the outbox is looked up by. An index by address on the contact records would make a large send many times slower:
 * they are found by the ids of who has, or had, the address.
 */
const OUTBOX_FILTERS = `
-- Recipients of tasks who have been deleted since.
create table former_recipient (
  account_id integer not null references account (id),
  address text not null,
  subscriber_id integer not null,
  primary key (account_id, address, subscriber_id)
) without rowid;
insert or ignore into former_recipient (account_id, address, subscriber_id)
  select k.account_id, r.address, r.subscriber_id from task k join task_recipient r on r.task_id = k.id
  where not exists (select 1 from subscriber s where s.id = r.subscriber_id);
create index delivery_recipient on delivery (account_id, lower(recipient), time);
create index delivery_channel on delivery (account_id, channel, time);
create index delivery_rule on delivery (account_id, rule_kind, cause_id, time) where rule_kind is not null;
`;

/** Each is SQL; the number of the last one that was run is kept in the database. */
export const migrations: readonly string[] = [initialSchema, OUTBOX_FILTERS];
