/** What is counted, by attribute, in the order in which it happens. */
export const COUNTS: Readonly<Record<string, string>> = {
  emailuniquebounces: 'bounces',
  smsuniquebounces: 'bounces',
  emailuniqueopens: 'opens',
  emailuniqueclicks: 'clicks',
  emailuniqueunsubscriptions: 'unsubscribed',
  emailuniquecomplaints: 'complaints',
};
