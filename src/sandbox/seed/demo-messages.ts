/** The messages of the demo company. */
import type { Naming } from '../../service/protocol/naming.ts';

interface DemoEmail {
  readonly name: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly customoptin?: true;
}

const SHOP = 'https://shop.harbourcoffee.example';

const page = (title: string, paragraphs: readonly string[]): string =>
  `<!doctype html><html><head><title>${title}</title></head><body style="font-family:Georgia,serif">
<h1>${title}</h1>
${paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('\n')}
<p>Harbour Coffee Roasters, 12 Quayside, Bristol</p>
</body></html>`;

export const demoEmails = (naming: Naming): readonly DemoEmail[] => [
  {
    name: 'November news',
    subject: 'Three new coffees, and a rainy-day recipe',
    html: page('Fresh off the roaster', [
      `A washed Guatemalan, a natural Ethiopian and our winter blend. <a href="${SHOP}/new">Meet all three</a>.`,
      `Wet weekend? <a href="${SHOP}/recipes/mocha">Our mocha recipe</a> takes ten minutes.`,
      `Every bag over £20 ships free until Sunday. <a href="${SHOP}/basket">Fill yours</a>.`,
    ]),
    text: `Three new coffees are in the shop: ${SHOP}/new\nOver £20 ships free until Sunday.\n`,
  },
  {
    name: 'Espresso guide',
    subject: 'Pull a better shot at home',
    html: page('Five minutes to better espresso', [
      `Grind, dose, tamp, time, taste. <a href="${SHOP}/guides/espresso">Read the guide</a>.`,
      `No machine yet? <a href="${SHOP}/machines">These four</a> are the ones we use ourselves.`,
    ]),
    text: `Grind, dose, tamp, time, taste: ${SHOP}/guides/espresso\n`,
  },
  {
    name: 'Welcome',
    subject: 'Welcome aboard',
    html: page('Good to have you', [
      'Hello {{ field.Firstname | there }},',
      'Once or twice a month we write about what is on the roaster. Nothing else.',
      `Here is 10% off your first bag: <a href="${SHOP}/?code=AHOY10">use AHOY10</a>.`,
    ]),
    text: `Hello {{ field.Firstname | there }}, good to have you. 10% off your first bag with AHOY10: ${SHOP}/?code=AHOY10\n`,
  },
  {
    name: 'Birthday treat',
    subject: 'A bag on us, happy birthday',
    html: page('Many happy returns', [
      'Dear {{ field.Firstname | friend }},',
      `Your birthday bag is waiting. <a href="${SHOP}/birthday">Choose a coffee</a> this week.`,
    ]),
    text: `Your birthday bag is waiting: ${SHOP}/birthday\n`,
  },
  {
    name: 'Please confirm',
    subject: 'One click and you are on the list',
    customoptin: true,
    html: page('Nearly there', [
      `<${naming.linkElement} value="${naming.optInTag}" name="opt-in">Yes, send me coffee news</${naming.linkElement}>`,
    ]),
    text: `Please confirm: <${naming.nameElement} value="optin" alt="">\n`,
  },
  {
    name: 'Christmas hampers (draft)',
    subject: 'Hampers are here',
    html: page('Wrapped, ribboned, ready', [
      `Order by 18 December for delivery in time. <a href="${SHOP}/hampers">See the hampers</a>.`,
    ]),
    text: `Hampers, in time if ordered by 18 December: ${SHOP}/hampers\n`,
  },
];

export const demoSmsMessages: readonly {
  readonly name: string;
  readonly message: string;
  readonly subinfo: 0 | 1;
}[] = [
  {
    name: 'Cupping tonight',
    message: 'Harbour Coffee: free cupping tonight, 6pm at the Quayside. Reply COFFEE to save a seat.',
    subinfo: 1,
  },
  {
    name: 'Seat saved',
    message: 'Your seat is saved. See you at 12 Quayside at 6pm. Harbour Coffee',
    subinfo: 0,
  },
  {
    name: 'Loyalty double points',
    message: 'Double points on every bag this weekend, in the shop and online. Harbour Coffee',
    subinfo: 1,
  },
];
