/** Makes transcripts of different runs equal. */

/** The line of a sandbox that starts while another test has the default port. */
export const OTHER_PORT = /\n *Port 4010 is taken, so the sandbox uses [0-9]+\.$/gm;

/** Returns the text without the parts that differ from run to run: places, times, and the duration of each step. */
export const withoutChance = (text: string, home: string): string =>
  text
    .replaceAll(home, '~')
    .replace(/\/\S*svc-certificates-\w+\//g, 'CERTIFICATES/')
    .replace(/127\.0\.0\.1:[0-9]+/g, '127.0.0.1:PORT')
    .replace(OTHER_PORT, '')
    // Only a slow machine shows a wait.
    .replace(/^waiting for .*\n/gim, '')
    .replace(/(Mon|Tue|Wed|Thu|Fri|Sat|Sun) 20[0-9]{2}-[0-9]{2}-[0-9]{2}/g, 'DAY DATE')
    .replace(/20[0-9]{2}-[0-9]{2}-[0-9]{2}/g, 'DATE')
    .replace(/DATE [0-9]{2}:[0-9]{2}(:[0-9]{2})?( [+-][0-9]{2}:[0-9]{2})?/g, 'DATE TIME')
    // Only a test at night has this warning.
    .replace(/^Careful: the send is at night, at .*\n/gm, '')
    // In summer, the company's time differs from UTC and has a line of its own.
    .replace(/^Sends DAY DATE TIME \(UTC\), .*(?:\n {6}\S.*)+$/gm, 'Sends DAY DATE TIME (…)')
    .replace(
      /, (in [0-9]+ (day|hour|minute|second)s?|now|[0-9]+ (day|hour|minute|second)s? ago)$/gm,
      ', SO FAR OFF',
    )
    .replace(/UTC, in [0-9]+ (day|week|month|year)s?/g, 'UTC, IN SO LONG')
    .replace(/(node +yes +)[0-9].*$/m, '$1VERSION');
