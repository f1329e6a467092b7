/** Attack M11: pieces of HTML that are slow to read if the work is quadratic, and how often a text of 1.5 MB repeats each. */
export const LONG_HTML = [
  ['<a href="https://a.example/?x=1&amp;y=2">x</a>', 33_000],
  ['<div>', 300_000],
  ['<a href="', 160_000],
  ['<!--', 370_000],
  ['{{ ', 500_000],
  ['{% {', 370_000],
] as const;
