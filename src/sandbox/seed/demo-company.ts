/** The ids of the demo company, and fictional people with reserved domains (RFC 2606) and numbers (Ofcom, NANPA). */
import type { Naming } from '../../service/protocol/naming.ts';
import { seededRandom } from '../seeded-random.ts';
import type { Db } from '../store/open.ts';

export const DAY_SECONDS = 86_400;
export const DEMO_TIMEZONE = 'Europe/London';

/** Ids of the demo company's records. They follow from the order in which the seed creates them. */
export const DEMO_RECORD_IDS = {
  company: 1,
  users: { admin: 1, marketing: 2, shop: 3 },
  folders: { customers: 1, events: 2 },
  lists: { newsletter: 1, loyalty: 2, tastings: 3 },
  fields: { firstname: 1, city: 2, drink: 3, birthday: 4 },
  searches: { espresso: 1 },
  emails: { news: 1, espresso: 2, welcome: 3, birthday: 4, confirm: 5, hampers: 6 },
  sms: { cupping: 1, seat: 2, points: 3 },
} as const;

/** Reports whether the subscriber is in the loyalty club. Two in five are. */
export const isLoyaltyMember = (subscriberId: number): boolean => subscriberId % 5 < 2;

/** The input of each part of a seed. */
export interface SeedOptions {
  readonly db: Db;
  /** Unix seconds at which the demo data is created. All past times of the demo are relative to it. */
  readonly now: number;
  readonly naming: Naming;
  /** Creates a key. Keys differ in every data folder; everything else is the same. */
  readonly key: (octets: number) => string;
}

export interface DemoPerson {
  readonly id: number;
  readonly firstname: string;
  readonly lastname: string;
  readonly email: string | null;
  readonly msisdn: string | null;
  readonly city: string;
  readonly drink: string;
  /** Month and day as `MM-DD`. */
  readonly birthday: string;
}

/** Makes up people with ids from `firstId`: the same for the same arguments, and no two with an address or a number in common. */
export function makeDemoPeople(firstId: number, count: number): readonly DemoPerson[] {
  const random = seededRandom(firstId);
  const pick = (choices: readonly string[]): string => choices[Math.floor(random() * choices.length)] ?? '';
  return Array.from({ length: count }, (_, index): DemoPerson => {
    const id = firstId + index;
    const firstname = pick(FIRST);
    const lastname = pick(LAST);
    const address = `${firstname}.${lastname}${id}@${pick(DOMAINS)}`.toLowerCase();
    const phone = random() < 0.45 ? numberOf(id) : null;
    return {
      id,
      firstname,
      lastname,
      email: phone !== null && random() < 0.15 ? null : address,
      msisdn: phone,
      city: pick(CITIES),
      drink: pick(DRINKS),
      birthday: `${two(1 + Math.floor(random() * 12))}-${two(1 + Math.floor(random() * 28))}`,
    };
  });
}

/** Returns a fictional phone number: 07700 900000 to 900999 for the first ids, then 555-0100 to 0199 in American area codes. */
function numberOf(id: number): string {
  if (id < 1000) return `447700900${String(id).padStart(3, '0')}`;
  const area = AREAS[Math.floor((id - 1000) / 100) % AREAS.length] ?? 212;
  return `1${area}55501${two(id % 100)}`;
}

const two = (value: number): string => String(value).padStart(2, '0');

const DOMAINS = ['example.com', 'example.org', 'example.net', 'mail.example', 'post.example'];
const AREAS = [212, 312, 415, 503, 617];
const CITIES = ['Bristol', 'Bath', 'Cardiff', 'Exeter', 'Gloucester', 'Newport', 'Swindon', 'Taunton'];
const DRINKS = ['espresso', 'filter', 'flat white', 'cold brew', 'decaf'];
const FIRST = [
  ...['Amelia', 'Arthur', 'Beatrice', 'Callum', 'Chidi', 'Clara', 'Daniel', 'Elif', 'Esther', 'Farah'],
  ...['Finn', 'Gwen', 'Harriet', 'Hugo', 'Imogen', 'Isaac', 'Jamila', 'Jonas', 'Kezia', 'Leo'],
  ...['Lucia', 'Marek', 'Maya', 'Nadia', 'Noah', 'Olive', 'Owen', 'Priya', 'Rhys', 'Rosa'],
  ...['Samuel', 'Sian', 'Tariq', 'Thea', 'Tomasz', 'Vera', 'Wei', 'Yusuf', 'Zara', 'Zoe'],
];
const LAST = [
  ...['Abbott', 'Ahmed', 'Baker', 'Brennan', 'Chen', 'Clarke', 'Davies', 'Dunne', 'Evans', 'Fraser'],
  ...['Garcia', 'Griffiths', 'Hassan', 'Hughes', 'Ito', 'Jones', 'Kaur', 'Khan', 'Lewis', 'Lindqvist'],
  ...['Marsh', 'Mensah', 'Morgan', 'Nowak', 'Okafor', 'Osei', 'Parry', 'Patel', 'Quinn', 'Reid'],
  ...['Rossi', 'Silva', 'Singh', 'Taylor', 'Thomas', 'Walsh', 'Webb', 'White', 'Wood', 'Young'],
];
