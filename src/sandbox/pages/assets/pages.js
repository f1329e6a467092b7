// Keyboard shortcuts, copy buttons and live updates. The pages also work without this script.
(() => {
  const main = () => document.getElementById('main');
  const rows = () => [...document.querySelectorAll('[data-row]')];
  const isTyping = (target) => target.closest?.('input, select, textarea, [contenteditable]') !== null;

  function dress(root) {
    for (const button of root.querySelectorAll('[data-copy][hidden]')) button.hidden = false;
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
    if (event.target.closest?.('.news')) {
      scrollTo(0, 0);
      await refresh();
    }
  });

  // Listens in the capture phase, before htmx sends the form.
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

  /** Reloads the page in place. Focus and scroll position stay the same. */
  async function refresh() {
    news().hidden = true;
    const focused = document.activeElement?.id;
    const open = [...document.querySelectorAll('details[open][id]')].map(({ id }) => id);
    await window.htmx?.ajax('GET', location.pathname + location.search, {
      source: main(),
      target: '#main',
      select: '#main',
      swap: 'outerHTML show:none focus-scroll:false',
    });
    for (const id of open) document.getElementById(id)?.setAttribute('open', '');
    if (focused && document.activeElement === document.body)
      document.getElementById(focused)?.focus({ preventScroll: true });
    const clock = document.querySelector('.bar .clock');
    if (clock && main()?.dataset.clock) clock.querySelector('time').textContent = main().dataset.clock;
  }

  let isSending = false;
  // A form that htmx sends stays on the page; its default action is prevented.
  document.addEventListener('submit', (event) => {
    isSending = !event.defaultPrevented;
  });
  addEventListener('pageshow', () => {
    isSending = false;
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

  let events;
  function listen() {
    events?.close();
    const path = document.body.dataset.events;
    if (!path || document.hidden || main()?.dataset.live === undefined) return;
    events = new EventSource(`${path}?seen=${main().dataset.changes}`);
    events.addEventListener('changed', (event) => {
      if (event.data !== main()?.dataset.changes) changed();
    });
  }

  // A hidden page holds no connection: a browser allows six per host, across all windows.
  document.addEventListener('visibilitychange', listen);
  addEventListener('pagehide', () => events?.close());
  addEventListener('pageshow', listen);
  document.addEventListener('htmx:afterSettle', () => dress(document));
  document.addEventListener('DOMContentLoaded', () => {
    dress(document);
    // On a narrow screen the last links of the navigation are outside the visible area.
    document.querySelector('.pages [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  });
  dress(document);
})();
