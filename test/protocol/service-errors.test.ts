/** Interface, "Errors": the messages to the letter; wire, "Responses": status, subcode and envelope of each refusal. */
import { describe, expect, it } from 'vitest';
import { errorBody } from '../../src/protocol/envelope.ts';
import * as faults from '../../src/protocol/service-errors.ts';

describe('the messages of the document, $id filled in', () => {
  it.each([
    [
      faults.cannotUnpause(12, 'list', 7),
      409,
      12,
      'Automation Rule 12 cannot be unpaused: Dependent list resource 7 no longer exists',
    ],
    [faults.messageLocked(5), 423, 10, 'Message 5 is locked'],
    [faults.folderTargeted(3), 423, 4, 'Folder 3 or one of its lists is to be or has been targeted'],
    [faults.folderPermanent(9), 423, 5, 'Folder contains List 9 which is permanent'],
  ])('%s', (fault, status, subcode, message) => {
    expect(envelope(fault)).toEqual({
      status: 'error',
      // Wire, "Responses", error: `additional_information` is left out where there is nothing to say.
      response: { code: status, subcode, message },
    });
    expect(fault.status).toBe(status);
  });

  it('400 subcode 11: "(dynamic content syntax error)" is not a text to repeat; it says what and where', () => {
    const fault = faults.dynamicContent('{% if %} is not closed', [{ attribute: 'html', reason: 'line 3' }]);
    expect(envelope(fault).response).toEqual({
      code: 400,
      subcode: 11,
      message: expect.stringContaining('{% if %} is not closed'),
      additional_information: [{ attribute: 'html', reason: 'line 3' }],
    });
  });
});

describe('where the document is open', () => {
  it('400 lists all faults, each with attribute and reason', () => {
    const { response } = envelope(
      faults.invalid([
        { attribute: 'name', reason: 'is required' },
        { attribute: 'rate', reason: 'must be 1 or more', value: 0, instead: 'leave it out' },
      ]),
    );
    expect(response).toMatchObject({ code: 400, subcode: null });
    expect(response.additional_information).toEqual([
      { attribute: 'name', reason: 'is required' },
      { attribute: 'rate', reason: 'must be 1 or more (leave it out)' },
    ]);
    expect(response.message).toContain('name is required');
    expect(response.message).toContain('rate must be 1 or more');
  });

  it("401 gives the service's time and the same words for every cause", () => {
    expect(envelope(faults.unauthenticated(1_796_115_600)).response).toEqual({
      code: 401,
      subcode: null,
      message: 'Authentication failed',
      additional_information: { time: 1_796_115_600 },
    });
  });

  it('405 with Allow', () => {
    const fault = faults.unsupported('PUT', 'sms', ['GET', 'HEAD', 'POST']);
    expect([fault.status, fault.details.headers]).toEqual([405, { allow: 'GET, HEAD, POST' }]);
  });

  it('"A 409 for something that exists carries resource_id"', () => {
    expect(envelope(faults.conflict('It exists', 5)).response).toMatchObject({
      code: 409,
      subcode: null,
      resource_id: 5,
    });
    expect(envelope(faults.conflict('It is completed')).response).not.toHaveProperty('resource_id');
  });

  it('"creating past an account limit is 409 naming the limit"', () => {
    const { response } = envelope(faults.limitReached('list_limit', 200));
    expect(response).toMatchObject({ code: 409, subcode: null });
    expect(response.message).toMatch(/list_limit.*200/);
  });

  it('429 with Retry-After', () => {
    const fault = faults.throttled(7);
    expect([fault.status, fault.details.headers]).toEqual([429, { 'retry-after': '7' }]);
  });

  it('500 with a request id, no stack trace and nothing of the cause', () => {
    const text = errorBody(faults.internal('abc123', new Error('secret at /home/x.ts:1')));
    expect(JSON.parse(text).response).toEqual({
      code: 500,
      subcode: null,
      message: 'Internal error',
      additional_information: { request_id: 'abc123' },
    });
  });

  it.each([
    [faults.forbidden('no'), 403],
    [faults.notFound('folder 5'), 404],
    [faults.tooLarge(10), 413],
    [faults.wrongMediaType('text/plain'), 415],
    [faults.malformed('bad'), 400],
  ])('%s is %i', (fault, status) => {
    expect(envelope(fault).response).toMatchObject({ code: status, subcode: null });
  });
});

function envelope(fault: faults.ServiceError): { status: string; response: Record<string, unknown> } {
  return JSON.parse(errorBody(fault));
}
