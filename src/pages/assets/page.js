// Follows the session, shows local times, copies the details of transfers and sends a form only once.
(() => {
  const root = document.documentElement;
  const announcer = document.getElementById('announcer');
  let source;
  let leaving = false;
  let fetching = false;

  function prepare() {
    const format = new Intl.DateTimeFormat(root.dataset.format, {
      year: 'numeric',
      month: 'long',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      timeZoneName: 'short',
    });
    for (const time of document.querySelectorAll('time'))
      time.textContent = format.format(new Date(time.dateTime));
    for (const button of document.querySelectorAll('[data-print]')) {
      button.hidden = false;
      button.onclick = () => print();
    }
    for (const button of document.querySelectorAll('[data-copy]')) {
      button.hidden = false;
      button.onclick = () => copy(button);
    }
  }

  async function copy(button) {
    const { copied } = button.closest('[data-copied]').dataset;
    const label = button.textContent;
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
    } catch {
      // Pages that are not served over TLS have no clipboard, and others may not be allowed to use it.
      if (!copySelected(button)) return;
    }
    announcer.textContent = `${copied}: ${button.dataset.copy}`;
    if (label === copied) return;
    button.textContent = copied;
    setTimeout(() => {
      button.textContent = label;
    }, 2_000);
  }

  // Should this be refused as well, the text is left selected for whoever copies it by keyboard.
  function copySelected(button) {
    const selection = getSelection();
    const write = (event) => {
      event.clipboardData.setData('text/plain', button.dataset.copy);
      event.preventDefault();
    };
    selection.selectAllChildren(button.previousElementSibling);
    addEventListener('copy', write, { once: true });
    const done = document.execCommand('copy');
    removeEventListener('copy', write);
    if (done) selection.removeAllRanges();
    return done;
  }

  // The new state takes the place of the old one; choices and focus stay where they can.
  async function refresh() {
    const old = document.querySelector('main');
    if (leaving || fetching) return;
    fetching = true;
    try {
      const answer = await fetch(old.dataset.page);
      const next = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const main = next.querySelector('main');
      if (leaving || !answer.ok || !main.dataset.version) return;
      for (const { id } of old.querySelectorAll('input:checked')) {
        const input = main.querySelector(`[id="${id}"]`);
        if (input) input.checked = true;
      }
      const focused = old.contains(document.activeElement) ? document.activeElement : null;
      old.replaceWith(document.adoptNode(main));
      document.title = next.title;
      prepare();
      if (focused)
        ((focused.id && document.getElementById(focused.id)) || document.getElementById('title')).focus();
      announcer.textContent = document.getElementById('state').textContent;
    } catch {
      // The next event, or the next connection, tries again.
    } finally {
      fetching = false;
      follow();
    }
  }

  function follow() {
    const { events } = document.querySelector('main').dataset;
    if (!events) {
      source?.close();
      source = undefined;
      return;
    }
    if (source) return;
    source = new EventSource(events);
    source.onmessage = ({ data }) => {
      if (Number(data) > Number(document.querySelector('main').dataset.version)) refresh();
    };
    source.onerror = () => {
      // A broken connection mends itself; a refused one is left to us.
      if (source?.readyState !== EventSource.CLOSED) return;
      source = undefined;
      setTimeout(refresh, 15_000);
    };
  }

  document.addEventListener('submit', (event) => {
    if (leaving) return event.preventDefault();
    leaving = true;
    // Only after the form's data has been gathered, which a disabled button is not part of.
    setTimeout(() => {
      for (const button of document.querySelectorAll('main button')) button.disabled = true;
    });
  });
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload();
  });

  prepare();
  follow();
})();
