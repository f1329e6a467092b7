/** The sandbox's own records. */
import { decimal, id, index, integer, keyed, logId, real, table, text } from './table.ts';

const setting = keyed(['key'], {
  key: text,
  value: text,
});

const nonce = keyed(
  ['identity', 'nonce'],
  {
    identity: text,
    nonce: text,
    expires: integer,
  },
  {
    expires: index('expires'),
  },
);

const log = table({
  id,
  time: integer,
  kind: text,
  text,
});

/** Incoming requests, newest id last. Old rows are deleted. */
const request_log = table({
  id: logId,
  /** Unix seconds of the machine's clock. */
  time: integer,
  /** The identity that the headers claimed. */
  who: text.orNull,
  method: text,
  path: text,
  /** Null if the connection was cut on purpose. */
  status: integer.orNull,
  milliseconds: real,
  /** For a 401: the check, the reason, the signed text without its key, and the beginnings of both signatures. */
  failed: text.orNull,
  why: text.orNull,
  signed: text.orNull,
  signature: text.orNull,
  expected: text.orNull,
  /** The message of a refusal and the problem of each field, as JSON. */
  problems: text.orNull,
});

/** Tokens of the control plane. */
const control_token = keyed(['name'], {
  name: text,
  role: text,
  /** SHA-256 in hexadecimal. */
  hash: text,
  cdate: decimal,
});

export const records = {
  setting,
  nonce,
  log,
  request_log,
  control_token,
};
