/** Ids of the records of the demo. */
export const DAY = 86_400;
export const TIMEZONE = 'Europe/London';

/** Ids of the demo company's records. They follow from the order in which the seed creates them. */
export const DEMO = {
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
export const isLoyal = (subscriberId: number): boolean => subscriberId % 5 < 2;
