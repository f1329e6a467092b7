/** Adds the color switch, copy buttons, the menu on a telephone, and search to each page of the documentation. */

(() => {
  const root = document.documentElement;

  // This runs before the browser paints the page, so that it never flashes in the other colors.
  const SCHEMES = ['system', 'light', 'dark'];
  let scheme = read('svc-colors') ?? 'system';
  if (!SCHEMES.includes(scheme)) scheme = 'system';
  root.dataset.colors = scheme;
  document.addEventListener('DOMContentLoaded', start);

  function start() {
    for (const each of document.querySelectorAll('[data-scripted]')) each.hidden = false;
    startColors();
    startMenu();
    startCopying();
    startTabs();
    startSearch();
  }

  /** Returns a stored value or null. Some browsers forbid storage, for example in a local file. */
  function read(name) {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  }

  function keep(name, value) {
    try {
      localStorage.setItem(name, value);
    } catch {
      // The choice holds for this page only.
    }
  }

  function startColors() {
    const button = document.querySelector('.scheme');
    const SAYS = { system: 'as the system', light: 'light', dark: 'dark' };
    const SIGNS = { system: '◐', light: '☀', dark: '☾' };
    const show = () => {
      root.dataset.colors = scheme;
      button.setAttribute('aria-label', `Colors: ${SAYS[scheme]}`);
      button.title = `Colors: ${SAYS[scheme]}`;
      button.firstElementChild.textContent = SIGNS[scheme];
    };
    button.addEventListener('click', () => {
      scheme = SCHEMES[(SCHEMES.indexOf(scheme) + 1) % SCHEMES.length];
      keep('svc-colors', scheme);
      show();
    });
    show();
  }

  function startMenu() {
    const link = document.querySelector('.menu');
    const navigation = document.querySelector('#navigation');
    if (link === null || navigation === null) return;
    root.classList.add('scripted');
    link.setAttribute('role', 'button');
    link.setAttribute('aria-expanded', 'false');
    link.setAttribute('aria-controls', 'navigation');
    const toggle = (isOpen) => {
      root.classList.toggle('open', isOpen);
      link.setAttribute('aria-expanded', String(isOpen));
      link.textContent = isOpen ? 'Close' : 'Menu';
      if (isOpen) navigation.querySelector('[aria-current]')?.scrollIntoView({ block: 'center' });
    };
    link.addEventListener('click', (event) => {
      event.preventDefault();
      toggle(!root.classList.contains('open'));
    });
    link.addEventListener('keydown', (event) => {
      if (event.key !== ' ') return;
      event.preventDefault();
      link.click();
    });
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && root.classList.contains('open')) toggle(false);
    });
    const current = navigation.querySelector('[aria-current]');
    if (current !== null && current.offsetTop > navigation.clientHeight / 2)
      navigation.scrollTop = current.offsetTop - navigation.clientHeight / 2;
    // A long table of contents would hide the page on a telephone.
    const contents = document.querySelector('.contents details');
    if (contents !== null && matchMedia('(max-width: 75rem)').matches) contents.open = false;
  }

  function startCopying() {
    for (const block of document.querySelectorAll('.code')) {
      const code = block.querySelector('code');
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'copy';
      button.textContent = 'Copy';
      button.addEventListener('click', async () => {
        const isCopied = await copy(commandsIn(code));
        button.textContent = isCopied ? 'Copied' : 'Press Ctrl-C';
        setTimeout(() => {
          button.textContent = 'Copy';
        }, 2000);
      });
      block.append(button);
    }
  }

  /** Returns the commands of a console without their prompts and output, or else the whole code. */
  function commandsIn(code) {
    const text = code.textContent;
    if (code.dataset.language !== 'console') return text;
    return text
      .split('\n')
      .filter((line) => line.startsWith('$ '))
      .map((line) => line.slice(2))
      .join('\n');
  }

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // The clipboard may be closed to files, so this falls back to the older way.
      const area = document.createElement('textarea');
      area.value = text;
      document.body.append(area);
      area.select();
      const isCopied = document.execCommand('copy');
      area.remove();
      return isCopied;
    }
  }

  /** Makes each heading of a part into a tab. The headings stay for print, and links to them select their tab. */
  function startTabs() {
    for (const [number, part] of document.querySelectorAll('.tabs').entries()) {
      const headings = [...part.querySelectorAll(':scope > :is(h2, h3, h4)')];
      if (headings.length < 2) continue;
      part.classList.add('tabbed');
      const list = document.createElement('div');
      list.setAttribute('role', 'tablist');
      list.setAttribute('aria-label', 'Variants');
      const tabs = headings.map((heading, at) => {
        const panel = document.createElement('div');
        const tab = document.createElement('button');
        panel.setAttribute('role', 'tabpanel');
        panel.id = `tab-${number}-${at}`;
        heading.before(panel);
        let next = heading;
        while (next !== null && (next === heading || !headings.includes(next))) {
          const after = next.nextElementSibling;
          panel.append(next);
          next = after;
        }
        tab.type = 'button';
        tab.setAttribute('role', 'tab');
        tab.setAttribute('aria-controls', panel.id);
        tab.textContent = heading.firstChild.textContent.trim();
        panel.setAttribute('aria-label', tab.textContent);
        heading.classList.add('in-tab');
        list.append(tab);
        return { tab, panel, heading };
      });
      part.prepend(list);
      const select = (chosen) => {
        for (const each of tabs) {
          const isChosen = each === chosen;
          each.tab.setAttribute('aria-selected', String(isChosen));
          each.tab.tabIndex = isChosen ? 0 : -1;
          each.panel.hidden = !isChosen;
        }
      };
      const followHash = () => {
        const named = tabs.find(({ heading }) => `#${heading.id}` === location.hash);
        if (named === undefined) return;
        select(named);
        part.scrollIntoView();
      };
      for (const each of tabs) each.tab.addEventListener('click', () => select(each));
      list.addEventListener('keydown', ({ key }) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
        if (step === undefined) return;
        const at = tabs.findIndex(({ tab }) => tab === document.activeElement);
        const chosen = tabs[(at + step + tabs.length) % tabs.length];
        select(chosen);
        chosen.tab.focus();
      });
      select(tabs[0]);
      addEventListener('hashchange', followHash);
      followHash();
    }
  }

  function startSearch() {
    const input = document.querySelector('#search');
    const panel = document.querySelector('#results');
    const status = panel.querySelector('[role=status]');
    const list = panel.querySelector('ol');
    const MOST = 12;
    let loading;
    const close = () => {
      panel.hidden = true;
    };
    const load = () => {
      loading ??= Promise.all(['assets/search.js', 'assets/search-index.js'].map(loadScript)).then(() =>
        globalThis.svcSearch.open(globalThis.svcSearchIndex),
      );
      return loading;
    };
    const search = async () => {
      const words = input.value.trim();
      if (words === '') return close();
      const index = await load().catch(() => undefined);
      if (words !== input.value.trim()) return;
      const began = performance.now();
      const found = index?.search(words) ?? [];
      list.replaceChildren(...found.slice(0, MOST).map(resultOf));
      panel.dataset.milliseconds = (performance.now() - began).toFixed(1);
      status.textContent =
        index === undefined
          ? 'The search index could not be loaded.'
          : found.length === 0
            ? `No page has “${words}”.`
            : found.length === 1
              ? '1 result'
              : `${found.length} results${found.length > MOST ? `, the first ${MOST}` : ''}`;
      panel.hidden = false;
    };
    input.addEventListener('focus', () => void load().catch(() => undefined));
    input.addEventListener('input', search);
    input.form.addEventListener('submit', (event) => {
      event.preventDefault();
      list.querySelector('a')?.click();
    });
    document.addEventListener('click', (event) => {
      if (!panel.contains(event.target) && event.target !== input) close();
    });
    document.addEventListener('keydown', (event) => {
      const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '');
      if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        input.focus();
        input.select();
      }
      if (panel.hidden) return;
      if (event.key === 'Escape') {
        close();
        input.focus();
      }
      if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
      const stops = [input, ...list.querySelectorAll('a')];
      const at = stops.indexOf(document.activeElement);
      if (at < 0) return;
      event.preventDefault();
      stops[Math.min(stops.length - 1, Math.max(0, at + (event.key === 'ArrowDown' ? 1 : -1)))].focus();
    });
  }

  function resultOf({ path, title, page, section, lead }) {
    const item = document.createElement('li');
    const link = document.createElement('a');
    link.href = `${root.dataset.root}${path}`;
    const name = document.createElement('b');
    name.textContent = title;
    const place = document.createElement('small');
    place.textContent = page === '' ? section : `${section} › ${page}`;
    const text = document.createElement('span');
    text.textContent = lead;
    link.append(name, place, text);
    item.append(link);
    return item;
  }

  function loadScript(path) {
    return new Promise((resolve, reject) => {
      const script = document.createElement('script');
      script.src = `${root.dataset.root}${path}`;
      script.onload = resolve;
      script.onerror = reject;
      document.head.append(script);
    });
  }
})();
