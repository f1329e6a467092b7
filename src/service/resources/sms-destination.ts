import { bool, filterableAndSortable, id, lastChangeTime, orNull, string } from '../../kit/schema/field.ts';
import { defineResource } from '../../kit/schema/resource.ts';

/** Declares the resource `smsDestination` (interface, "smsDestination"). */
export const smsDestination = defineResource({
  name: 'smsDestination',
  noun: 'sms-destination',
  describe: 'A phone number or shortcode that receives SMS',
  singular: 'an SMS destination',
  plural: 'SMS destinations',
  comesFrom: 'The operators of the service set up SMS destinations.',
  fields: {
    id: id('Destination id'),
    keyword: orNull(
      string('Word that inbound SMS must begin with, 4 to 64 characters', { format: 'destination-keyword' }),
    ),
    destination: string('The phone number or shortcode'),
    isshortcode: bool('The destination is a shortcode', filterableAndSortable),
    mdate: orNull(lastChangeTime()),
  },
  methods: { get: {}, head: { attributes: ['id', 'isshortcode'] }, put: { optional: ['keyword'] } },
  identifiedBy: [],
  examples: { update: 'sms-destination update 2 --keyword SALE' },
  columns: ['id', 'destination', 'isshortcode', 'keyword', 'mdate'],
});
