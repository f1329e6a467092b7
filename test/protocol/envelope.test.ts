/** Wire, "Responses". */
import { describe, expect, it } from 'vitest';
import { okBody, readEnvelope } from '../../src/protocol/envelope.ts';

describe('{"status":"ok","response":{"count":n,"next":v,"data":…}}', () => {
  it.each([
    [{ id: 1 }, 1],
    [[{ id: 1 }, { id: 2 }], 2],
    [[], 0],
  ])('%j counts %i', (data, count) => {
    expect(JSON.parse(okBody(data))).toEqual({ status: 'ok', response: { count, next: null, data } });
  });

  it('carries next', () => {
    expect(JSON.parse(okBody([{ id: 1 }], 201)).response.next).toBe(201);
  });
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

  it('bears an error that lacks what it should have', () => {
    expect(readEnvelope('{"status":"error","response":{}}')).toMatchObject({
      kind: 'error',
      subcode: null,
      message: expect.any(String),
    });
  });

  it.each([
    '',
    '   ',
    '<html>502</html>',
    '{"status":"ok"',
    '[]',
    'null',
    '7',
    '"ok"',
    '{}',
    '{"status":"ok"}',
    '{"status":"ok","response":null}',
    '{"status":"ok","response":[]}',
    '{"status":"ok","response":{}}',
    '{"status":1,"response":{"data":1}}',
    '{"status":"maybe","response":{"data":1}}',
  ])('tells what is not ours: %j', (body) => {
    expect(readEnvelope(body)).toMatchObject({ kind: 'not-ours', problem: expect.any(String) });
  });
});
