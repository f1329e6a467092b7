/** Wire, "Responses". */
import { describe, expect, it } from 'vitest';
import {
  errorResponseBody,
  okPageResponseBody,
  okResponseBody,
  readEnvelope,
} from '../../src/service/protocol/envelope.ts';
import { createForbiddenError, ServiceError } from '../../src/service/protocol/service-errors.ts';

describe('{"status":"ok","response":{"count":n,"next":v,"data":…}}', () => {
  it.each([
    [{ id: 1 }, 1],
    [[{ id: 1 }, { id: 2 }], 2],
    [[], 0],
  ])('%j counts %i', (data, count) => {
    expect(JSON.parse(okResponseBody(data))).toEqual({ status: 'ok', response: { count, next: null, data } });
  });

  it.each([[[]], [[{ id: 1 }]], [[{ id: 1 }, { id: 2 }]]])(
    'is the same for items that are already JSON: %j',
    (items) => {
      const texts = items.map((item) => JSON.stringify(item));
      expect(okPageResponseBody(texts, 'x')).toBe(okResponseBody(items, 'x'));
    },
  );

  it('has next', () => {
    expect(JSON.parse(okResponseBody([{ id: 1 }], 201)).response.next).toBe(201);
  });
});

it('returns an error as it was written', () => {
  const details = { subcode: 12, resourceId: 5, additionalInformation: { a: [1] } };
  expect(readEnvelope(errorResponseBody(new ServiceError(409, 'No', details)))).toEqual({
    kind: 'error',
    code: 409,
    message: 'No',
    ...details,
  });
  expect(errorResponseBody(createForbiddenError('No'))).toBe(
    '{"status":"error","response":{"code":403,"subcode":null,"message":"No"}}',
  );
});

describe('readEnvelope', () => {
  it.each(['ok', 'OK', 'Ok'])('"status is compared without regard to case": %s', (status) => {
    expect(readEnvelope(JSON.stringify({ status, response: { count: 1, next: 'x', data: [{}] } }))).toEqual({
      kind: 'ok',
      count: 1,
      next: 'x',
      data: [{}],
    });
  });

  it.each(['error', 'ERROR', 'Error'])('reads an error: %s', (status) => {
    const response = {
      code: 409,
      subcode: 12,
      message: 'No',
      additional_information: [1],
      resource_id: 5,
    };
    expect(readEnvelope(JSON.stringify({ status, response }))).toEqual({
      kind: 'error',
      code: 409,
      subcode: 12,
      message: 'No',
      additionalInformation: [1],
      resourceId: 5,
    });
  });

  it('keeps unknown fields of data', () => {
    const data = { id: 1, custommaildomain: true, brandNew: { x: [null] } };
    expect(readEnvelope(JSON.stringify({ status: 'ok', response: { data } }))).toMatchObject({ data });
  });

  it('accepts an error that lacks required members', () => {
    expect(readEnvelope('{"status":"error","response":{}}')).toStrictEqual({
      kind: 'error',
      code: 0,
      subcode: null,
      message: 'no message',
      additionalInformation: null,
    });
  });

  it.each(['"2"', 'null'])('returns 0 if the count is %s', (count) => {
    expect(readEnvelope(`{"status":"ok","response":{"count":${count},"data":[]}}`)).toMatchObject({
      count: 0,
      next: null,
    });
  });

  const EMPTY = 'the response is empty';
  const NO_JSON = 'the response is not JSON';
  const NO_ENVELOPE = 'the response has no status and response';
  it.each([
    ['', EMPTY],
    ['   ', EMPTY],
    ['<html>502</html>', NO_JSON],
    ['{"status":"ok"', NO_JSON],
    ['[]', NO_ENVELOPE],
    ['null', NO_ENVELOPE],
    ['7', NO_ENVELOPE],
    ['"ok"', NO_ENVELOPE],
    ['{}', NO_ENVELOPE],
    ['{"status":"ok"}', NO_ENVELOPE],
    ['{"status":"ok","response":null}', NO_ENVELOPE],
    ['{"status":"ok","response":[]}', NO_ENVELOPE],
    ['{"status":1,"response":{"data":1}}', NO_ENVELOPE],
    ['{"status":"ok","response":{}}', 'the response has no data'],
    ['{"status":"maybe","response":{"data":1}}', 'the status of the response must be ok or error'],
  ])('recognises a text without the envelope: %j', (body, problem) => {
    expect(readEnvelope(body)).toEqual({ kind: 'not-ours', problem });
  });
});
