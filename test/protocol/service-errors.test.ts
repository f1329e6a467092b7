/** Interface, "Errors": the exact messages; wire, "Responses": the status, subcode and envelope of each refusal. */
import { describe, expect, it } from 'vitest';
import { phrase } from '../../src/kit/schema/reason.ts';
import { atMostOne } from '../../src/kit/schema/rules.ts';
import { errorResponseBody } from '../../src/service/protocol/envelope.ts';
import * as faults from '../../src/service/protocol/service-errors.ts';

describe('the messages of the document, $id filled in', () => {
  it.each([
    [
      faults.createCannotUnpauseRuleError(12, 'list', 7),
      409,
      12,
      'Automation Rule 12 cannot be unpaused: Dependent list resource 7 no longer exists',
    ],
    [faults.createMessageLockedError(5), 423, 10, 'Message 5 is locked'],
    [
      faults.createFolderTargetedByTaskError(3),
      423,
      4,
      'Folder 3 or one of its lists is to be or has been targeted',
    ],
    [faults.createPermanentListInFolderError(9), 423, 5, 'Folder contains List 9 which is permanent'],
  ])('%s', (fault, status, subcode, message) => {
    expect(envelope(fault)).toEqual({
      status: 'error',
      // Wire, "Responses", error: `additional_information` is left out if it would be empty.
      response: { code: status, subcode, message },
    });
    expect(fault.status).toBe(status);
  });

  it('400 subcode 11: "(dynamic content syntax error)" is not repeated, and the message says what is wrong and where', () => {
    const fault = faults.createInvalidDynamicContentError('{% if %} is not closed', [
      { attribute: 'html', reason: 'line 3' },
    ]);
    expect(envelope(fault).response).toEqual({
      code: 400,
      subcode: 11,
      message: expect.stringContaining('{% if %} is not closed'),
      additional_information: [{ attribute: 'html', reason: 'line 3' }],
    });
  });
});

describe('if the document leaves the message open', () => {
  it('400 lists all faults, each with attribute and reason', () => {
    const { response } = envelope(
      faults.createInvalidRequestError([
        { attribute: 'name', reason: 'is required' },
        { attribute: 'rate', reason: 'must be 1 or more', value: 0, instead: 'leave it out' },
      ]),
    );
    expect(response).toMatchObject({ code: 400, subcode: null });
    expect(response['additional_information']).toEqual([
      { attribute: 'name', reason: 'is required' },
      { attribute: 'rate', reason: 'must be 1 or more (leave it out)' },
    ]);
    expect(response['message']).toContain('name is required');
    expect(response['message']).toContain('rate must be 1 or more');
  });

  it("401 gives the service's time, and the same message for every cause", () => {
    expect(envelope(faults.createUnauthenticatedError(1_796_115_600)).response).toEqual({
      code: 401,
      subcode: null,
      message: 'Authentication failed',
      additional_information: { time: 1_796_115_600 },
    });
  });

  it('405 has Allow', () => {
    const fault = faults.createUnsupportedMethodError('PUT', 'sms', ['GET', 'HEAD', 'POST']);
    expect([fault.status, fault.details.headers]).toEqual([405, { allow: 'GET, HEAD, POST' }]);
    expect(fault.message).toBe('PUT is not supported on sms');
  });

  it('"A 409 for a record that exists has resource_id"', () => {
    expect(envelope(faults.createConflictError('It exists', 5)).response).toMatchObject({
      code: 409,
      subcode: null,
      resource_id: 5,
    });
    expect(errorResponseBody(faults.createConflictError('It is completed'))).not.toContain('resource_id');
    expect(faults.createConflictError('It is completed').details).toStrictEqual({});
  });

  it('"creating past an account limit is 409 naming the limit"', () => {
    const { response } = envelope(faults.createLimitReachedError('list_limit', 200));
    expect(response).toMatchObject({ code: 409, subcode: null });
    expect(response['message']).toMatch(/list_limit.*200/);
  });

  it('429 has Retry-After', () => {
    const fault = faults.createTooManyRequestsError(7);
    expect([fault.status, fault.details.headers]).toEqual([429, { 'retry-after': '7' }]);
    expect(fault.message).toBe('Too many requests');
  });

  it('500 has a request id, but no stack trace and no part of the cause', () => {
    const text = errorResponseBody(faults.createInternalError('abc123', new Error('secret at /home/x.ts:1')));
    expect(JSON.parse(text).response).toEqual({
      code: 500,
      subcode: null,
      message: 'Internal error',
      additional_information: { request_id: 'abc123' },
    });
  });

  it('503 says what is known, and keeps its cause for the log', () => {
    const cause = new Error('disk');
    const fault = faults.createInternalError('abc123', cause, { status: 503, words: 'The disk is full' });
    expect(fault).toMatchObject({ status: 503, message: 'The disk is full', cause });
    expect(faults.createInternalError('abc123').details).toStrictEqual({
      additionalInformation: { request_id: 'abc123' },
    });
    expect(faults.createInternalError('abc123')).not.toHaveProperty('cause');
  });

  // Wire, "Responses": `additional_information` of a 404 names the record.
  it('404 of a record names it only in additional_information', () => {
    expect(envelope(faults.createNoRecordError('folder', { id: 7 })).response).toEqual({
      code: 404,
      subcode: null,
      message: 'Not Found',
      additional_information: { resource: 'folder', id: 7 },
    });
    expect(envelope(faults.createNoRecordError('folder')).response).toMatchObject({
      additional_information: { resource: 'folder' },
    });
  });

  it.each([
    ['', 'Content type (none) is not supported; send application/json'],
    ['text/plain', 'Content type text/plain is not supported; send application/json'],
  ])('415 names the type %j', (given, message) => {
    expect(faults.createWrongMediaTypeError(given).message).toBe(message);
  });

  describe('400 is no larger than the request', () => {
    const finding = (at: number) => ({ attribute: `a${at}`, reason: 'is wrong' });
    const many = (count: number) =>
      faults.createInvalidRequestError(Array.from({ length: count }, (_, at) => finding(at)));

    it('names 50 findings, and counts the others', () => {
      expect(many(2).message).toBe('a0 is wrong; a1 is wrong');
      expect(many(50).message).toMatch(/; a49 is wrong$/);
      expect(many(53).message).toMatch(/; a49 is wrong; and 3 more$/);
      expect(envelope(many(53)).response['additional_information']).toHaveLength(50);
    });

    it.each([
      [1000, 'x'.repeat(1000)],
      [1001, `${'x'.repeat(1000)}…`],
    ])('shows 1000 characters of a text: %i', (count, shown) => {
      expect(faults.createInvalidRequestError([{ attribute: 'a', reason: 'x'.repeat(count) }]).message).toBe(
        `a ${shown}`,
      );
    });
  });

  it.each([
    [faults.createForbiddenError('no'), 403],
    [faults.createNotFoundError('folder 5'), 404],
    [faults.createTooLargeBodyError(10), 413],
    [faults.createWrongMediaTypeError('text/plain'), 415],
    [faults.createMalformedRequestError('bad'), 400],
  ])('%s is %i', (fault, status) => {
    expect(envelope(fault).response).toMatchObject({ code: status, subcode: null });
  });
});

// Wire, "Vendor names".
describe('an error with the names of a deployment', () => {
  const nameOf = (attribute: string) => (attribute === 'name' ? 'title' : attribute);

  it('uses them for attributes, in its message and in additional_information', () => {
    const findings = [
      { attribute: 'name', reason: 'is required' },
      { attribute: 'rate', reason: 'must be 1 or more', instead: 'leave it out' },
    ];
    const error = faults.renameAttributesInError(faults.createInvalidRequestError(findings), nameOf);
    expect(error).toMatchObject({ status: 400, message: 'title is required; rate must be 1 or more' });
    expect(error.details).toEqual({
      additionalInformation: [
        { attribute: 'title', reason: 'is required' },
        { attribute: 'rate', reason: 'must be 1 or more (leave it out)' },
      ],
      findings: [{ attribute: 'title', reason: 'is required' }, findings[1]],
    });
  });

  it('uses them in sentences about several attributes, and in advice', () => {
    const findings = [
      atMostOne('name', 'rate'),
      {
        attribute: 'rate',
        reason: phrase`can be set only if ${'name'} is set`,
        instead: phrase`${{ unset: 'name' }}`,
      },
    ];
    const { message, details } = faults.renameAttributesInError(
      faults.createInvalidRequestError(findings),
      nameOf,
    );
    expect(message).toBe('give title or rate, not both; rate can be set only if title is set');
    expect(details.additionalInformation).toEqual([
      { attribute: 'title', reason: 'give title or rate, not both' },
      { attribute: 'rate', reason: 'can be set only if title is set (set title to null)' },
    ]);
  });

  it('keeps a message that does not contain attributes', () => {
    const error = faults.renameAttributesInError(
      faults.createInvalidDynamicContentError('{% if %} is not closed', [
        { attribute: 'name', reason: 'line 3' },
      ]),
      nameOf,
    );
    expect(error.message).toBe('Dynamic content syntax error: {% if %} is not closed');
    expect(error.details).toMatchObject({ subcode: 11, findings: [{ attribute: 'title' }] });
  });

  it('is the same error if it names no attribute', () => {
    const error = faults.createForbiddenError('no');
    expect(faults.renameAttributesInError(error, nameOf)).toBe(error);
  });

  it('has the name of its class in the log', () => {
    expect(String(faults.createForbiddenError('no'))).toBe('ServiceError: no');
  });
});

function envelope(fault: faults.ServiceError): { status: string; response: Record<string, unknown> } {
  return JSON.parse(errorResponseBody(fault));
}
