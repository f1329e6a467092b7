/**
 * Lists features of HTML that widely used mail clients do not show. The data comes from https://www.caniemail.com (MIT), version of
 * 2025-09-09. Each feature lists the clients whose newest tested version does not support it, and the date of the test. The list has only
 * features that authors use and that readers would miss. The npm package of caniemail is not used, because it would add a second HTML
 * parser.
 */

import { parseCssDeclarations } from '../../kit/text/css.ts';
import type { FindingDraft } from './drafts.ts';
import type { EmailLintRuleName } from './email-rules.ts';
import type { ParsedHtml } from './html-parts.ts';

interface UnsupportedFeature {
  readonly feature: string;
  /** Last part of the feature's address: https://www.caniemail.com/features/SLUG/ */
  readonly slug: string;
  readonly tested: string;
  readonly clients: string;
  readonly instead: string;
}

const EVERYWHERE = 'Gmail, Outlook and Yahoo Mail';

const ELEMENTS: Readonly<Record<string, UnsupportedFeature>> = {
  audio: of('<audio>', 'html-audio', '2020-04-21', EVERYWHERE, 'Link to a page that plays the sound.'),
  dialog: of(
    '<dialog>',
    'html-dialog',
    '2019-02-28',
    EVERYWHERE,
    'Put the text of the <dialog> element into the message itself.',
  ),
  form: of(
    '<form>',
    'html-form',
    '2019-09-10',
    'Outlook on Windows and Yahoo Mail on iOS',
    'Link to a page with the form.',
  ),
  object: of('<object>', 'html-object', '2021-02-20', EVERYWHERE, 'Use an image with a link.'),
  svg: of('<svg>', 'html-svg', '2020-02-06', EVERYWHERE, 'Use a PNG or JPEG image.'),
  video: of('<video>', 'html-video', '2019-09-16', EVERYWHERE, 'Use an image that links to the video.'),
};

const STYLESHEET = of(
  '<link rel="stylesheet">',
  'html-link',
  '2023-12-21',
  'Gmail, Yahoo Mail, Thunderbird and Outlook (except on Windows)',
  'Put the styles in the elements or in <style>.',
);

const IMAGES: readonly (readonly [RegExp, UnsupportedFeature])[] = [
  [/\.svg$/i, of('An SVG image', 'image-svg', '2023-01-15', 'Gmail on the web', 'Use a PNG or JPEG image.')],
  [
    /\.webp$/i,
    of('A WebP image', 'image-webp', '2021-02-06', 'Outlook on Windows', 'Use a PNG or JPEG image.'),
  ],
  [
    /\.avif$/i,
    of('An AVIF image', 'image-avif', '2023-01-14', 'Outlook on Windows', 'Use a PNG or JPEG image.'),
  ],
];
const DATA_IMAGE = of(
  'An image that is embedded in the HTML (data:)',
  'image-base64',
  '2020-02-06',
  'Gmail',
  'Put the image on a web server.',
);

const BACKGROUND = of(
  'A background image',
  'css-background-image',
  '2023-07-24',
  'Outlook on Windows',
  'Also set a background-color on which the text is readable.',
);

/** Unsupported features by CSS property. If a row has a pattern, the value of the property must also match the pattern. */
const PROPERTIES: readonly (readonly [property: string, value: RegExp, UnsupportedFeature])[] = [
  [
    'display',
    /^(inline-)?flex\b/i,
    of(
      'display: flex',
      'css-display-flex',
      '2021-11-02',
      'Outlook on Windows',
      'Use a table for the layout.',
    ),
  ],
  [
    'display',
    /^(inline-)?grid\b/i,
    of(
      'display: grid',
      'css-display-grid',
      '2019-02-28',
      'Gmail, Yahoo Mail, Outlook on Windows, and Outlook on phones',
      'Use a table for the layout.',
    ),
  ],
  [
    'position',
    /^(absolute|fixed|relative|sticky)\b/i,
    of(
      'position',
      'css-position',
      '2021-05-16',
      'Gmail, Outlook on Windows, and Outlook on iOS',
      'Use a table for the layout.',
    ),
  ],
  [
    'float',
    /^(left|right)\b/i,
    of(
      'float',
      'css-float',
      '2024-05-08',
      'Outlook on Windows',
      'Use the align attribute of the table or image.',
    ),
  ],
  ['background-image', /url\(/i, BACKGROUND],
  ['background', /url\(/i, BACKGROUND],
  ['animation', /./, of('animation', 'css-animation', '2023-12-19', EVERYWHERE, 'Use an animated GIF.')],
  [
    'transform',
    /./,
    of('transform', 'css-transform', '2019-02-28', EVERYWHERE, 'Rotate or scale the image file.'),
  ],
  [
    'filter',
    /./,
    of(
      'filter',
      'css-filter',
      '2024-01-03',
      EVERYWHERE,
      'Edit the image file so that it shows the effect without CSS.',
    ),
  ],
  ['clip-path', /./, of('clip-path', 'css-clip-path', '2021-03-09', EVERYWHERE, 'Crop the image file.')],
  [
    'object-fit',
    /./,
    of(
      'object-fit',
      'css-object-fit',
      '2021-07-15',
      'Yahoo Mail and Outlook on Windows',
      'Crop the image file to the size that you need.',
    ),
  ],
  [
    'aspect-ratio',
    /./,
    of(
      'aspect-ratio',
      'css-aspect-ratio',
      '2023-12-19',
      EVERYWHERE,
      'Set the width and the height of the element.',
    ),
  ],
  [
    'column-count',
    /./,
    of(
      'column-count',
      'css-column-count',
      '2019-02-28',
      'Yahoo Mail and Outlook on Windows',
      'Use a table with columns.',
    ),
  ],
];

/** Unsupported CSS features, each with a pattern that finds the feature in the value of any property. */
const VALUES: readonly (readonly [RegExp, UnsupportedFeature])[] = [
  [/\bvar\(/i, of('var()', 'css-variables', '2020-02-25', EVERYWHERE, 'Write the value instead of var().')],
  [
    /\bcalc\(/i,
    of(
      'calc()',
      'css-unit-calc',
      '2020-02-25',
      'Outlook and Yahoo Mail',
      'Write the value instead of calc().',
    ),
  ],
  [
    /\b(repeating-)?linear-gradient\(/i,
    of(
      'linear-gradient()',
      'css-linear-gradient',
      '2021-12-29',
      'Outlook and Yahoo Mail',
      'Also set a background-color, which mail programs without gradients show.',
    ),
  ],
];

const AT_RULES: Readonly<Record<string, UnsupportedFeature>> = {
  'font-face': of(
    '@font-face',
    'css-at-font-face',
    '2023-12-19',
    EVERYWHERE,
    'List a common font after the web font, as a fallback.',
  ),
  import: of(
    '@import',
    'css-at-import',
    '2019-02-28',
    'Gmail, Yahoo Mail, Thunderbird and Outlook (except on Windows)',
    'Put the styles in the elements or in <style>.',
  ),
};

function of(
  what: string,
  slug: string,
  tested: string,
  clients: string,
  instead: string,
): UnsupportedFeature {
  return { feature: what, slug, tested, clients, instead };
}

export function unsupportedFeatureFindings(html: ParsedHtml): readonly FindingDraft[] {
  const inHtml = createTally('unrendered-html');
  for (const tag of html.tags) {
    const element = Object.hasOwn(ELEMENTS, tag.name) ? ELEMENTS[tag.name] : undefined;
    if (element) inHtml.add(element, tag.start);
    if (tag.name === 'link' && /\bstylesheet\b/i.test(tag.attribute('rel') ?? ''))
      inHtml.add(STYLESHEET, tag.start);
    const source = tag.name === 'img' ? tag.attribute('src')?.trim() : undefined;
    if (source === undefined) continue;
    if (/^data:/i.test(source)) inHtml.add(DATA_IMAGE, tag.start);
    const path = source.replace(/[?#].*/s, '');
    for (const [pattern, image] of IMAGES) if (pattern.test(path)) inHtml.add(image, tag.start);
  }
  return [...inHtml.drafts(), ...unfollowed(html)];
}

function unfollowed(html: ParsedHtml): readonly FindingDraft[] {
  const tally = createTally('unrendered-css');
  for (const { text, at, isValue } of html.styles) {
    for (const found of parseCssDeclarations(text)) {
      const place = isValue ? at : at + found.at;
      if (found.kind === 'at-rule') {
        const rule = Object.hasOwn(AT_RULES, found.name) ? AT_RULES[found.name] : undefined;
        if (rule) tally.add(rule, place);
        continue;
      }
      for (const [property, value, feature] of PROPERTIES)
        if (found.property.replace(/^-(webkit|moz|ms)-/, '') === property && value.test(found.value))
          tally.add(feature, place);
      for (const [value, feature] of VALUES) if (value.test(found.value)) tally.add(feature, place);
    }
  }
  return tally.drafts();
}

function createTally(rule: EmailLintRuleName) {
  const found = new Map<
    string,
    { readonly feature: UnsupportedFeature; readonly at: number; count: number }
  >();
  return {
    add: (feature: UnsupportedFeature, at: number): void => {
      const known = found.get(feature.slug);
      if (known) known.count += 1;
      else found.set(feature.slug, { feature, at, count: 1 });
    },
    drafts: (): readonly FindingDraft[] =>
      [...found.values()].map(({ feature, at, count }) => ({
        rule,
        part: 'html',
        at,
        message:
          `${feature.feature} is not supported by ${feature.clients}${count > 1 ? `; it is used ${count} times` : ''} ` +
          `(https://www.caniemail.com/features/${feature.slug}/, tested ${feature.tested}).`,
        instead: feature.instead,
      })),
  };
}
