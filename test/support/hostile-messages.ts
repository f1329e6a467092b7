/** Random hostile messages for the page of a plan: hidden texts and addresses, nested in each other and in malformed HTML. */
import { type Chance, createChance } from '../client/simulation-world.ts';
import { ATTACKED_WAYS, MORE_WAYS, WAYS_OF_OTHERS } from './hiding-html.ts';

/** Matches the texts of `makeHostileMessage`. */
export const HOSTILE_TEXT = /zq[a-f0-9]{8}/g;
/** Matches the addresses of `makeHostileMessage`. */
export const HOSTILE_ADDRESS = /https:\/\/h[a-f0-9]{8}\.example\/p/g;

const WAYS = [...ATTACKED_WAYS, ...MORE_WAYS, ...WAYS_OF_OTHERS];

type Wrap = (html: string) => string;

const WRAPS: readonly Wrap[] = [
  (html) => `<div>${html}</div>`,
  (html) => `<p>${html}`,
  (html) => `</p>${html}</div>`,
  (html) => `<b><i>${html}</b></i>`,
  (html) => `<table><tr><td>${html}</td></tr></table>`,
  (html) => `<table>${html}<tr>`,
  (html) => `<table><colgroup>${html}</table>`,
  (html) => `<ul><li>${html}<li></ul>`,
  (html) => `<a href="#y">${html}</a>`,
  (html) => `<svg><foreignObject width="300" height="90">${html}</foreignObject></svg>`,
  (html) => `<svg><desc>${html}</desc></svg>`,
  (html) => `<svg>${html}`,
  (html) => `<math><mtext>${html}</mtext></math>`,
  (html) => `<math><annotation-xml encoding="text/html">${html}</annotation-xml></math>`,
  (html) => `<select><option>${html}</select>`,
  (html) => `<span title="<!--">${html}</span>`,
  (html) => `<style><!-- </style>${html}<!-- -->`,
  (html) => `<noscript>${html}</noscript>`,
  (html) => `<head>${html}</head>`,
  (html) => `</body></html>${html}`,
  (html) => `<body title="x"><html lang="en">${html}`,
  (html) => `<![if !mso]>${html}<![endif]>`,
  (html) => `<!--[if !mso]><!-->${html}<!--<![endif]-->`,
  (html) => `<!--[if mso]>${html}<![endif]-->`,
  (html) => `<!-- ${html} --!>`,
  (html) => `<!-->${html}<!--->`,
  (html) => `<?xml ${html}?>`,
  (html) => `<form>${html}`,
  (html) => `<button>${html}</button>`,
  (html) => `<object>${html}</object>`,
  (html) => `<template>${html}</template>`,
  (html) => `<details>${html}</details>`,
  (html) => `<blockquote><h1>${html}</h1></blockquote>`,
  (html) => `<div style="display:none">${html}</div>`,
  (html) => `<font size="7"><center>${html}</font>`,
  (html) => `<nobr><nobr>${html}</nobr>`,
  (html) => `<applet><marquee>${html}</applet>`,
  (html) => `<textarea>${html}</textarea>`,
  (html) => `<title>${html}</title>`,
  (html) => `<ruby><rt>${html}</ruby>`,
  (html) => `<dl><dd>${html}<dt></dl>`,
  (html) => `${'<div><span>'.repeat(300)}${html}`,
];

/** Characters that change what HTML means, wherever they are. */
const SIGNS = [
  '<',
  '>',
  '"',
  "'",
  '/',
  '=',
  '!',
  '-',
  '&',
  ';',
  ' ',
  '</',
  '<!--',
  '-->',
  '<p>',
  '</p>',
  '\n',
  '&lt;',
];

/** Returns the HTML of the message with this number. Each text and each address in it is another one. */
export function makeHostileMessage(seed: number): string {
  const chance = createChance(seed);
  const token = (): string => Buffer.from(chance.octets(4)).toString('hex');
  const part = (depth: number): string => {
    const name = token();
    let html = chance.pick(WAYS).html(`zq${name}`, `https://h${name}.example/p`);
    if (depth > 0 && chance.is(0.4)) html += part(depth - 1);
    for (let wraps = Math.floor(chance.between(0, 3)); wraps > 0; wraps -= 1) html = chance.pick(WRAPS)(html);
    return html;
  };
  const parts = Array.from({ length: Math.floor(chance.between(4, 14)) }, () => part(4));
  const message = parts.join(chance.pick(['', ' ', '\n']));
  // Half of the messages are malformed in other ways, too.
  return chance.is(0.5) ? mutated(message, chance) : message;
}

/** Inserts and removes characters at random places. */
function mutated(html: string, chance: Chance): string {
  let text = html;
  for (let times = Math.floor(chance.between(1, 6)); times > 0; times -= 1) {
    const at = Math.floor(chance.between(0, text.length));
    const removed = chance.is(0.5) ? Math.floor(chance.between(1, 4)) : 0;
    text = text.slice(0, at) + (removed > 0 ? '' : chance.pick(SIGNS)) + text.slice(at + removed);
  }
  return text;
}
