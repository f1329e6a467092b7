/**
 * Ways to put a text or an address into HTML so that a reader of another kind overlooks it (second attack H3). Mail programs show the text,
 * or open or load the address.
 */
export interface HidingWay {
  readonly name: string;
  /** Returns the HTML. The text has letters and digits only. */
  readonly html: (text: string, address: string) => string;
  readonly has: 'text' | 'address' | 'both';
}

const way = (name: string, has: HidingWay['has'], html: HidingWay['html']): HidingWay => ({
  name,
  html,
  has,
});

/** Escapes a text for CSS, as in `\61 bc`. */
const inCss = (text: string): string =>
  [...text].map((letter, at) => (at % 2 ? letter : `\\${letter.charCodeAt(0).toString(16)} `)).join('');

const inSvgImage = (text: string): string =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg"><text y="9">${text}</text></svg>`)}`;

/** The ways of the attack: those that the page of a plan did not show, and others that it did or might not. */
export const ATTACKED_WAYS: readonly HidingWay[] = [
  // Visible in Chromium, and not on the page.
  way('a paragraph in the head', 'text', (text) => `<head><title>x</title><p>${text}</p></head><body>y`),
  way('a late head', 'text', (text) => `<body><p>y</p><head><p>${text}</p></head>`),
  way('text after a malformed comment', 'text', (text) => `<!-- x --!><p>${text}</p>`),
  way(
    'text deeper than 200 elements',
    'text',
    (text) => `${'<div>'.repeat(300)}${text}${'</div>'.repeat(300)}`,
  ),
  way(
    'content in a style sheet',
    'text',
    (text) => `<style>.w${text}::after{content:" ${text} "}</style><p class="w${text}">y</p>`,
  ),
  way(
    'content in escapes',
    'text',
    (text) => `<style>.w${text}::before{c\\6f ntent:"${inCss(text)}"}</style><p class="w${text}">y</p>`,
  ),
  way(
    'content of an attribute',
    'text',
    (text) =>
      `<style>.w${text}::after{content:attr(data-w)}</style><p class="w${text}" data-w="${text}">y</p>`,
  ),
  way('text of SVG', 'text', (text) => `<svg width="300" height="20"><text y="15">${text}</text></svg>`),
  way(
    'a foreign object',
    'text',
    (text) =>
      `<svg width="300" height="20"><foreignObject width="300" height="20"><div>${text}</div></foreignObject></svg>`,
  ),
  way('a paragraph in SVG', 'text', (text) => `<svg><p>${text}</p></svg>`),
  way('the value of an input', 'text', (text) => `<input value="${text}">`),
  way('a placeholder', 'text', (text) => `<input placeholder="${text}">`),
  // Shown by other mail programs, or sent and loaded.
  way(
    'a conditional comment',
    'both',
    (text, address) => `<!--[if mso]><p>${text} <a href="${address}">y</a></p><![endif]-->`,
  ),
  way('the fallback of a video', 'text', (text) => `<video width="9">${text}</video>`),
  way('the fallback of a sound', 'text', (text) => `<audio>${text}</audio>`),
  way(
    'the label of a group of options',
    'text',
    (text) => `<select size="4"><optgroup label="${text}"><option>y</select>`,
  ),
  way('an image', 'address', (_, address) => `<img src="${address}" alt="y">`),
  way('a form', 'address', (_, address) => `<form action="${address}"><input></form>`),
  way('a base', 'address', (_, address) => `<base href="${address}">`),
  // Others.
  way('text that a style hides', 'text', (text) => `<p style="display:none">${text}</p>`),
  way('a title', 'text', (text) => `<p title="${text}">y</p>`),
  way('a text area', 'text', (text) => `<textarea>${text}</textarea>`),
  way('details that are closed', 'text', (text) => `<details><summary>y</summary><p>${text}</p></details>`),
  way('noscript', 'text', (text) => `<noscript><p>${text}</p></noscript>`),
  way('a template', 'text', (text) => `<template><p>${text}</p></template>`),
  way('the fallback of an object', 'text', (text) => `<object>${text}</object>`),
  way('a frame with its own page', 'text', (text) => `<iframe srcdoc="&lt;p&gt;${text}&lt;/p&gt;"></iframe>`),
  way('an area of an image', 'address', (_, address) => `<map name="m"><area href="${address}"></map>`),
  way(
    'a link of SVG',
    'both',
    (text, address) => `<svg><a xlink:href="${address}"><text y="9">${text}</text></a></svg>`,
  ),
  way('the text instead of an image', 'text', (text) => `<img alt="${text}">`),
  way('a refresh', 'address', (_, address) => `<meta http-equiv="refresh" content="999; url='${address}'">`),
  way(
    'an image of a style',
    'address',
    (_, address) => `<p style="background:u\\72l(&quot;${address}&quot;)">y</p>`,
  ),
  way(
    'a button with its own target',
    'both',
    (text, address) => `<form><button formaction="${address}">${text}</button></form>`,
  ),
];

/** More ways, which nobody has used yet. */
export const MORE_WAYS: readonly HidingWay[] = [
  way(
    'the sign of a list',
    'text',
    (text) => `<style>.w${text}{list-style:"${text} "}</style><ul><li class="w${text}">y</ul>`,
  ),
  way(
    'quotation marks',
    'text',
    (text) => `<style>.w${text}{quotes:"${text}" ""}</style><q class="w${text}">y</q>`,
  ),
  way(
    'a sign of a counter',
    'text',
    (text) =>
      `<style>@counter-style w${text}{system:cyclic;symbols:"${text}"}.w${text}{list-style:w${text}}</style><ul><li class="w${text}">y</ul>`,
  ),
  way(
    'a variable of a style',
    'text',
    (text) =>
      `<style>.w${text}{--w:"${text}"}.w${text}::after{content:var(--w)}</style><p class="w${text}">y</p>`,
  ),
  way(
    'two texts of a style',
    'text',
    (text) =>
      `<style>.w${text}::after{content:"${text.slice(0, 4)}" "${text.slice(4)}"}</style><p class="w${text}">y</p>`,
  ),
  way(
    'a style in SVG',
    'text',
    (text) => `<svg><style>.w${text}::after{content:"${text}"}</style></svg><p class="w${text}">y</p>`,
  ),
  way(
    'a style with nested rules',
    'text',
    (text) =>
      `<style>@media all{@supports (color:red){.w${text}{&::after{content:'${text}'}}}}</style><p class="w${text}">y</p>`,
  ),
  way(
    'a hyphen that is a text',
    'text',
    (text) =>
      `<style>.w${text}{hyphenate-character:"${text}";width:1px}</style><p lang="en" class="w${text}">hyphen&shy;ation</p>`,
  ),
  way('the style sheet of another server', 'address', (_, address) => `<style>@import "${address}";</style>`),
  way('a linked style sheet', 'address', (_, address) => `<link rel="stylesheet" href="${address}">`),
  way('a font', 'address', (_, address) => `<style>@font-face{font-family:f;src:url(${address})}</style>`),
  way('a background', 'address', (_, address) => `<table background="${address}"><tr><td>y</table>`),
  way('a set of images', 'address', (_, address) => `<img srcset="a.png 1x, ${address} 2x" alt="y">`),
  way(
    'a source of a picture',
    'address',
    (_, address) => `<picture><source srcset="${address}"><img alt="y"></picture>`,
  ),
  way('a poster', 'address', (_, address) => `<video poster="${address}"></video>`),
  way(
    'an image of SVG',
    'address',
    (_, address) => `<svg><image href="${address}"/><use xlink:href="${address}#x"/></svg>`,
  ),
  way(
    'an animated link',
    'address',
    (_, address) => `<svg><a><set attributeName="href" to="${address}"/><text y="9">y</text></a></svg>`,
  ),
  way('an object', 'address', (_, address) => `<object data="${address}"></object><embed src="${address}">`),
  way('a link with a ping', 'address', (_, address) => `<a href="#y" ping="${address}">y</a>`),
  way('a link without a name of its own', 'address', (_, address) => `<q cite="${address}">y</q>`),
  way('a paragraph between cells', 'text', (text) => `<table><tr><p>${text}</p><td>y</table>`),
  way(
    'a word around a cell',
    'text',
    (text) => `<table>${text.slice(0, 3)}<tr><td>y</td></tr>${text.slice(3)}</table>`,
  ),
  way(
    'a word in elements',
    'text',
    (text) =>
      `<p>${text.slice(0, 3)}<b title="y">${text.slice(3, 5)}</b><i><!-- y -->${text.slice(5)}</i></p>`,
  ),
  way(
    'a word with an invisible hyphen',
    'text',
    (text) => `<p>${text.slice(0, 3)}&shy;<wbr>${text.slice(3)}</p>`,
  ),
  way('a character data section', 'text', (text) => `<svg><text y="9"><![CDATA[${text}]]></text></svg>`),
  way('MathML', 'text', (text) => `<math><mtext>${text}</mtext></math>`),
  way(
    'a word in an option',
    'text',
    (text) => `<select size="3"><option><p>${text.slice(0, 4)}</p><p>${text.slice(4)}</p></option></select>`,
  ),
  way(
    'a style in an option',
    'text',
    (text) => `<select size="3"><option><style>${text}</style></option></select>`,
  ),
  way('plain text without an end', 'text', (text) => `<xmp><p>${text}</p></xmp><listing>${text}</listing>`),
  way('an option', 'text', (text) => `<select size="3"><option label="${text}">y</option></select>`),
  way('a comment that ends at once', 'text', (text) => `<!--><p>${text}</p><!-- -->`),
  way(
    'a comment that another element hides',
    'text',
    (text) => `<select><style><!-- </style></select><p>${text}</p><!-- -->`,
  ),
  way(
    'a comment without an end in a title',
    'text',
    (text) => `<svg><title><!-- </title></svg><p>${text}</p><!-- -->`,
  ),
  way('a quotation mark in a style', 'text', (text) => `<style>"</style><p>${text}</p><style>"</style>`),
  way('a marquee', 'text', (text) => `<marquee>${text}</marquee>`),
  way('ruby', 'text', (text) => `<ruby>y<rp>(</rp><rt>${text}</rt></ruby>`),
  way('a legend', 'text', (text) => `<fieldset><legend>${text}</legend></fieldset>`),
  way('a caption', 'text', (text) => `<table><caption>${text}</caption></table>`),
  way(
    'an image that is a form field',
    'both',
    (text, address) => `<input type="image" alt="${text}" src="${address}">`,
  ),
  way('a picture inside its address', 'text', (text) => `<img src="${inSvgImage(text)}" alt="y">`),
];

/** Ways that Chromium does not show, but other mail programs may. */
export const WAYS_OF_OTHERS: readonly HidingWay[] = [
  way('a conditional comment without an end', 'text', (text) => `<!--[if gte mso 9]><p>${text}</p>-->`),
  way(
    'a drawing for Outlook',
    'both',
    (text, address) =>
      `<!--[if vml]><v:shape href="${address}"><v:textpath string="${text}"/></v:shape><![endif]-->`,
  ),
  way('a list for Outlook', 'text', (text) => `<style>@list l0:level1{mso-level-text:"${text}"}</style>`),
  way(
    'data for offers in the list of mails',
    'text',
    (text) => `<script type="application/ld+json">{"description":"${text}"}</script>`,
  ),
  way('a description for offers', 'text', (text) => `<meta itemprop="description" content="${text}">`),
  way(
    'a description behind a technical name',
    'text',
    (text) => `<meta name="viewport" itemprop="description" content="${text}">`,
  ),
  way(
    'a title with a namespace',
    'text',
    (text) => `<!--[if vml]><v:rect o:title="${text}"></v:rect><![endif]-->`,
  ),
  way(
    'the content of a frame set',
    'both',
    (text, address) => `<frameset><frame src="${address}"><noframes>${text}</noframes></frameset>`,
  ),
  way('text after a frame set', 'text', (text) => `<frameset></frameset><p>${text}</p>`),
  way('text instead of a frame', 'text', (text) => `<iframe><p>${text}</p></iframe>`),
  way(
    'a tag that a list leaves out',
    'both',
    (text, address) => `<select><a href="${address}" title="${text}">y</a></select>`,
  ),
  way('a form in a form', 'address', (_, address) => `<form><form action="${address}"></form></form>`),
  way('a comment with HTML', 'text', (text) => `<!-- <p>${text}</p> -->`),
  way('a section in HTML', 'text', (text) => `<![CDATA[${text}]]>`),
  way('a link without an end', 'address', (_, address) => `<a href="${address}`),
  way('a label for people who hear it', 'text', (text) => `<p aria-label="${text}">y</p>`),
  way(
    'a style in a conditional comment',
    'text',
    (text) => `<!--[if mso]><style>p::after{content:"${text}"}</style><![endif]-->`,
  ),
  way(
    'two comments around one tag',
    'address',
    (_, address) => `<!--[if mso]><a href="${address}<![endif]--><!--[if mso]>">y</a><![endif]-->`,
  ),
];
