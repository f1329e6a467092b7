// Keyboard shortcuts, copy buttons and live updates. The pages also work without this script.
(() => {
  const main = () => document.getElementById('main');
  const rows = () => [...document.querySelectorAll('[data-row]')];
  const isTyping = (target) => target.closest?.('input, select, textarea, [contenteditable]') !== null;

  function dress(root) {
    for (const button of root.querySelectorAll('[data-copy][hidden], [data-scripted][hidden]'))
      button.hidden = false;
    for (const frame of root.querySelectorAll('.stage iframe')) {
      frame.addEventListener('load', () => fitHeight(frame));
      if (frame.contentDocument?.readyState === 'complete') fitHeight(frame);
    }
  }
  addEventListener('resize', () => {
    for (const frame of document.querySelectorAll('.stage iframe')) fitHeight(frame);
  });

  // The command beside a choice follows it.
  document.addEventListener('change', ({ target }) => {
    const flag = target.dataset?.inCommand;
    const command = flag && target.closest('li')?.querySelector('.command');
    if (!command) return;
    const words = [...command.querySelectorAll('.word')];
    const word = words[words.findIndex((each) => each.textContent === flag) + 1];
    const copy = command.querySelector('[data-copy]');
    copy.dataset.copy = copy.dataset.copy.replace(`${flag} ${word.textContent}`, `${flag} ${target.value}`);
    word.textContent = target.value;
  });

  /** Height in pixels above which a message scrolls in its frame. */
  const MAX_FRAME = 20_000;

  /** Makes the frame of a message as high as the message. Its document runs no script, and only its size is read. */
  function fitHeight(frame) {
    const inside = frame.contentDocument?.documentElement;
    if (!inside) return;
    const place = scrollY;
    // A message that is as high as its window would grow without end, so the window is small when it is measured.
    frame.style.height = '1px';
    const bar = inside.scrollWidth > inside.clientWidth ? 18 : 0;
    const height = Number(inside.scrollHeight) + bar + 2;
    frame.style.height = height > 3 ? `${Math.min(MAX_FRAME, height)}px` : '';
    scrollTo(scrollX, place);
  }

  function step(by) {
    const all = rows();
    const at = all.indexOf(document.activeElement);
    const next = all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + by))];
    next?.focus();
    next?.scrollIntoView({ block: 'nearest' });
  }

  const go = (path) => {
    if (path) location.assign(path);
  };

  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = document.querySelector('dialog.keys');
    if (event.key === 'Escape' && isTyping(event.target)) event.target.blur();
    if (isTyping(event.target) || keys?.open) return;
    const onRow = document.activeElement?.matches('[data-row]') === true;
    const inScroller = document.activeElement?.closest('.wide, .stage, .plain-text') !== null;
    if (event.key === 'j' || (onRow && event.key === 'ArrowDown')) step(1);
    else if (event.key === 'k' || (onRow && event.key === 'ArrowUp')) step(-1);
    else if (event.key === 'ArrowLeft' && !inScroller) go(main()?.dataset.before);
    else if (event.key === 'ArrowRight' && !inScroller) go(main()?.dataset.after);
    else if (event.key === '/') document.querySelector('input[type=search]')?.focus();
    else if (event.key === '?') keys?.showModal();
    else return;
    event.preventDefault();
  });

  document.addEventListener('click', async (event) => {
    const copy = event.target.closest?.('[data-copy]');
    if (copy) {
      try {
        await navigator.clipboard.writeText(copy.dataset.copy);
        copy.textContent = 'Copied';
      } catch {
        copy.textContent = 'Not copied';
      }
      setTimeout(() => {
        copy.textContent = 'Copy';
      }, 1500);
    }
    if (event.target.closest?.('.keys-open')) document.querySelector('dialog.keys')?.showModal();
    if (event.target.closest?.('.news')) {
      scrollTo(0, 0);
      await refresh();
    }
  });

  // Listens in the capture phase, so that a refused form reaches no other listener.
  document.addEventListener(
    'submit',
    (event) => {
      const asks = event.target.dataset?.asks;
      if (asks && !confirm(asks)) {
        event.preventDefault();
        event.stopImmediatePropagation();
      }
    },
    true,
  );

  const news = () => document.querySelector('.news');

  let turn = 0;
  /** Fetches a page and returns its document, or undefined after an error or when a later page was asked for. */
  async function fetched(path) {
    turn += 1;
    const own = turn;
    try {
      const response = await fetch(path);
      const text = response.ok ? await response.text() : '';
      const page = new DOMParser().parseFromString(text, 'text/html');
      return own === turn && page.getElementById('main') ? page : undefined;
    } catch {
      return undefined;
    }
  }

  /** Shows a page in place. Scroll position, open details, focus and the text that is being typed stay the same. */
  async function show(path) {
    const page = await fetched(path);
    if (!page) return false;
    const focused = document.activeElement;
    const open = [...document.querySelectorAll('details[open][id]')].map(({ id }) => id);
    main().replaceWith(document.adoptNode(page.getElementById('main')));
    document.title = page.title;
    dress(main());
    for (const id of open) document.getElementById(id)?.setAttribute('open', '');
    const again = focused?.id && !focused.isConnected ? document.getElementById(focused.id) : undefined;
    if (again?.matches('input[type=search]')) {
      again.value = focused.value;
      again.setSelectionRange(focused.selectionStart, focused.selectionEnd);
    }
    again?.focus({ preventScroll: true });
    return true;
  }

  /** Reloads the page in place. */
  async function refresh() {
    news().hidden = true;
    const isShown = await show(location.pathname + location.search);
    const clock = document.querySelector('.bar .clock');
    if (clock && main()?.dataset.clock) clock.querySelector('time').textContent = main().dataset.clock;
    return isShown;
  }

  let pause;
  // Searches while the user types. Without this script, the button of the form does.
  document.addEventListener('input', ({ target }) => {
    const { form } = target;
    if (form?.dataset.search === undefined) return;
    clearTimeout(pause);
    pause = setTimeout(async () => {
      const path = `${new URL(form.action).pathname}?${new URLSearchParams(new FormData(form))}`;
      if (!(await show(path))) return;
      history.pushState(null, '', path);
      shown = path;
    }, 250);
  });
  let shown = location.pathname + location.search;
  // Goes back to an earlier search. A link within the page changes only the hash.
  addEventListener('popstate', () => {
    if (location.pathname + location.search !== shown) location.reload();
  });

  let isSending = false;
  // A second press while a form is on its way does nothing.
  document.addEventListener('submit', (event) => {
    if (event.defaultPrevented) return;
    if (isSending) {
      event.preventDefault();
      return;
    }
    isSending = true;
    event.submitter?.setAttribute('aria-busy', 'true');
    document.documentElement.classList.add('busy');
  });
  // A page that takes a while shows that it is on its way.
  document.addEventListener('click', (event) => {
    const link = event.target.closest?.('a[href]');
    const isPlain =
      !event.defaultPrevented && event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (!link || !isPlain || link.hasAttribute('download') || link.getAttribute('href').startsWith('#'))
      return;
    if (link.pathname !== location.pathname || link.search !== location.search)
      document.documentElement.classList.add('busy');
  });
  addEventListener('pageshow', () => {
    isSending = false;
    document.documentElement.classList.remove('busy');
    for (const button of document.querySelectorAll('[aria-busy]')) button.removeAttribute('aria-busy');
  });

  /** Reports whether a reload would disturb the user, who is typing, sending a form or reading further down. */
  function disturbs() {
    return (
      isSending ||
      isTyping(document.activeElement ?? document.body) ||
      (main()?.dataset.live === 'top' &&
        (scrollY > 120 || document.activeElement?.matches('[data-row]') === true))
    );
  }

  let waits = false;
  function changed() {
    if (main()?.dataset.live === undefined || waits) return;
    if (disturbs()) {
      news().hidden = false;
      return;
    }
    waits = true;
    setTimeout(() => {
      waits = false;
      // The user may have begun to type meanwhile.
      if (disturbs()) news().hidden = false;
      else void refresh();
    }, 150);
  }

  const stopped = () => document.querySelector('.stopped');
  const isStopped = () => stopped()?.hidden === false;

  let events;
  let failures = 0;
  let again;
  function listen() {
    events?.close();
    clearTimeout(again);
    const path = document.body.dataset.events;
    if (!path || document.hidden) return;
    if (isStopped()) return void check();
    events = new EventSource(`${path}?seen=${main()?.dataset.changes}`);
    events.addEventListener('open', () => {
      failures = 0;
    });
    events.addEventListener('changed', (event) => {
      if (event.data !== main()?.dataset.changes) changed();
    });
    events.addEventListener('error', check);
  }

  /** Reports whether the sandbox responds, with whatever status. */
  const responds = () =>
    fetch('/ui', { method: 'HEAD', redirect: 'manual', cache: 'no-store' }).then(
      () => true,
      () => false,
    );

  /** Shows whether the sandbox runs, after its stream of changes has failed. The page continues once it runs again. */
  async function check() {
    events?.close();
    clearTimeout(again);
    const [was, runs] = [isStopped(), await responds()];
    if (document.hidden) return;
    stopped().hidden = runs;
    failures += 1;
    // A sandbox with 50 open pages, or one that is about to stop, responds to this request but refuses a stream.
    again = setTimeout(runs ? listen : check, runs ? (failures < 10 ? 500 : 30_000) : 1000);
    if (!was || !runs) return;
    if (disturbs()) news().hidden = false;
    else if (!(await refresh())) location.reload();
  }

  // The browser would replace the page with its own error.
  for (const [kind, place] of [
    ['click', 'a[href]:not([href^="#"])'],
    ['submit', 'form:not([method=dialog])'],
  ])
    document.addEventListener(
      kind,
      (event) => {
        if (!isStopped() || !event.target.closest?.(place)) return;
        event.preventDefault();
        event.stopImmediatePropagation();
      },
      true,
    );

  // A hidden page holds no connection: a browser allows six per host, across all windows.
  document.addEventListener('visibilitychange', listen);
  addEventListener('pagehide', () => events?.close());
  addEventListener('pageshow', listen);
  document.addEventListener('DOMContentLoaded', () => {
    dress(document);
    // On a narrow screen the last links of the navigation are outside the visible area.
    document.querySelector('.pages [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  });
  dress(document);
})();
