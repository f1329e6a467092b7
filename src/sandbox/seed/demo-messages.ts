/** The messages of the demo company. */
import type { Naming } from '../../service/protocol/naming.ts';
import {
  buttonLink,
  buttonRow,
  layOutDemoEmail,
  markedRow,
  panel,
  paragraph,
  textLink,
} from './demo-email-layout.ts';

interface DemoEmail {
  readonly name: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly customoptin?: true;
}

const SHOP = 'https://shop.harbourcoffee.example';

export const demoEmails = (naming: Naming): readonly DemoEmail[] => [
  {
    name: 'November news',
    subject: 'Three new coffees, and a rainy-day recipe',
    html: layOutDemoEmail({
      title: 'Fresh off the roaster',
      picture: 'coffeeBags',
      alt: 'Three bags of coffee on a shelf, and rain at the window',
      rows: [
        paragraph('A washed Guatemalan, a natural Ethiopian and our winter blend.'),
        markedRow('G', '#55744a', 'Huehuetenango, &pound;9.50', 'Milk chocolate, red apple, brown sugar'),
        markedRow('E', '#9c4423', 'Guji, &pound;10.50', 'Blueberry, jasmine, lemon peel'),
        markedRow('W', '#7a5510', 'Harbour Winter, &pound;8.95', 'Fig, dark honey, toasted almond'),
        buttonRow(buttonLink(`${SHOP}/new`, 'Meet all three')),
        panel(
          `<b>Wet weekend?</b> ${textLink(`${SHOP}/recipes/mocha`, 'Our mocha recipe')} takes ten minutes: two shots, a bar of dark chocolate, and milk.`,
        ),
        paragraph(
          `Every bag over &pound;20 ships free until Sunday. ${textLink(`${SHOP}/basket`, 'Fill yours')}.`,
        ),
      ],
      language: 'en',
    }),
    text: `Three new coffees are in the shop: ${SHOP}/new\nOver £20 ships free until Sunday.\n`,
  },
  {
    name: 'Espresso guide',
    subject: 'Pull a better shot at home',
    html: layOutDemoEmail({
      title: 'Five minutes to better espresso',
      picture: 'espressoMachine',
      alt: 'An espresso runs into a cup, beside a clock',
      rows: [
        paragraph('Grind, dose, tamp, time, taste. The first shot of the day is the one to learn from.'),
        markedRow('1', '#9c4423', 'Grind', 'Fine as table salt. If the shot runs too fast, go finer.'),
        markedRow('2', '#9c4423', 'Dose and tamp', '18 grams, level, and one firm press.'),
        markedRow(
          '3',
          '#9c4423',
          'Time and taste',
          '36 grams in 28 seconds. Sour is too fast, bitter is too slow.',
        ),
        buttonRow(buttonLink(`${SHOP}/guides/espresso`, 'Read the guide')),
        paragraph(
          `No machine yet? ${textLink(`${SHOP}/machines`, 'These four')} are the ones we use ourselves.`,
        ),
      ],
      language: 'en',
    }),
    text: `Grind, dose, tamp, time, taste: ${SHOP}/guides/espresso\n`,
  },
  {
    name: 'Welcome',
    subject: 'Welcome aboard',
    html: layOutDemoEmail({
      title: 'Good to have you',
      picture: 'sailingBoat',
      alt: 'A small boat sails out of the harbour',
      rows: [
        paragraph('Hello {{ field.Firstname | there }},'),
        paragraph('Once or twice a month we write about what is on the roaster. Nothing else.'),
        panel('Here is <b>10% off</b> your first bag. The code is <b>AHOY10</b>, and it has no end date.'),
        buttonRow(buttonLink(`${SHOP}/?code=AHOY10`, 'use AHOY10')),
      ],
      language: 'en',
    }),
    text: `Hello {{ field.Firstname | there }}, good to have you. 10% off your first bag with AHOY10: ${SHOP}/?code=AHOY10\n`,
  },
  {
    name: 'Birthday treat',
    subject: 'A bag on us, happy birthday',
    html: layOutDemoEmail({
      title: 'Many happy returns',
      picture: 'birthdayBag',
      alt: 'A bag of coffee with a ribbon, below coloured flags',
      rows: [
        paragraph('Dear {{ field.Firstname | friend }},'),
        paragraph(
          'Your birthday bag is waiting: 250 grams of any coffee in the shop, ground as you like it.',
        ),
        buttonRow(buttonLink(`${SHOP}/birthday`, 'Choose a coffee')),
        paragraph('It is yours for this week.'),
      ],
      language: 'en',
    }),
    text: `Your birthday bag is waiting: ${SHOP}/birthday\n`,
  },
  {
    name: 'Please confirm',
    subject: 'One click and you are on the list',
    customoptin: true,
    html: layOutDemoEmail({
      title: 'Nearly there',
      picture: 'envelope',
      alt: 'A letter with a tick',
      rows: [
        paragraph('You asked for our coffee news. One click, and the next letter is on its way.'),
        buttonRow(
          `<${naming.linkElement} value="${naming.optInTag}" name="opt-in">Yes, send me coffee news</${naming.linkElement}>`,
        ),
        paragraph('If it was not you, do nothing. We will not write again.'),
      ],
      language: 'en',
    }),
    text: `Please confirm: <${naming.nameElement} value="optin" alt="">\n`,
  },
  {
    name: 'Christmas hampers (draft)',
    subject: 'Hampers are here',
    html: layOutDemoEmail({
      title: 'Wrapped, ribboned, ready',
      picture: 'hamper',
      alt: 'A hamper with coffee and honey in the snow',
      rows: [
        paragraph('Two coffees, a jar of honey and a box of shortbread, packed by hand on the quayside.'),
        markedRow('S', '#55744a', 'The Skipper, &pound;28', 'Two bags, honey, shortbread'),
        markedRow('A', '#7a5510', 'The Admiral, &pound;45', 'Three bags, honey, a filter and two mugs'),
        paragraph('Order by 18 December for delivery in time.'),
        buttonRow(buttonLink(`${SHOP}/hampers`, 'See the hampers')),
      ],
    }),
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
