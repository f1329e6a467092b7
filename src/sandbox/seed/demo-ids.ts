/** What stands in the demo, by id. */
export const DAY = 86_400;
export const TIMEZONE = 'Europe/London';

/** Ids of what the demo company has; the order of options makes them so. */
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

/** Two in five subscribers are in the loyalty club. */
export const isLoyal = (subscriberId: number): boolean => subscriberId % 5 < 2;
