"use strict";
(() => {
  const MOST = 12;
  const COPIED = 1600; // milliseconds that a button says so
  const field = document.getElementById("find");
  const list = document.getElementById("found");
  const hits = document.getElementById("hits");
  const said = document.querySelector(".said");
  const contents = document.querySelector(".contents");

  // What needs a script is only shown where one runs.
  document.querySelector(".find").hidden = false;
  for (const each of document.querySelectorAll(".acts")) each.hidden = false;
  if (matchMedia("(max-width: 61.99rem)").matches) contents.open = false;

  // Addresses: what is folded opens when it is asked for.
  const reveal = () => {
    let id = location.hash.slice(1);
    let found = document.getElementById(id);
    if (!found) {
      try { id = decodeURIComponent(id); } catch { return; }
      found = document.getElementById(id);
    }
    for (let each = found; each; each = each.parentElement) {
      if (each instanceof HTMLDetailsElement) each.open = true;
    }
    if (found) found.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  if (location.hash) reveal();

  // Search
  let index = null;
  let shown = [];
  let chosen = -1;
  const entry = (element, kind, name, server) => {
    const title = element.querySelector(".title")?.textContent ?? "";
    const texts = [...element.querySelectorAll(".prose, tbody th > code, td > p, td > bdi")];
    const words = texts.map((each) => each.textContent).join(" ");
    const text = `${name} ${title} ${kind} ${server} ${words}`.toLowerCase();
    return { id: element.id, kind, name, server, title, text, low: name.toLowerCase() };
  };
  const build = () => [
    ...[...document.querySelectorAll("[data-kind]")].map((each) =>
      entry(each, each.dataset.kind, each.dataset.name, each.dataset.server)),
    ...[...document.querySelectorAll("[data-shape]")].map((each) =>
      entry(each, "shape", each.dataset.shape, "")),
    ...[...document.querySelectorAll("section.server[aria-label]")].map((each) => ({
      id: each.id, kind: "server", name: each.id, server: "", low: each.id,
      title: each.querySelector("h2").textContent,
      text: `${each.id} ${each.querySelector("h2").textContent} server`.toLowerCase(),
    })),
  ];
  const rank = (each, query, words) => {
    if (!words.every((word) => each.text.includes(word))) return -1;
    if (each.low === query) return 0;
    if (each.low.startsWith(query)) return 1;
    if (words.every((word) => each.low.includes(word))) return 2;
    if (words.every((word) => each.title.toLowerCase().includes(word))) return 3;
    return 4;
  };
  const search = (query) => {
    index ??= build();
    const words = query.split(/\s+/).filter(Boolean);
    if (!words.length) return [];
    return index
      .map((each, order) => ({ each, order, rank: rank(each, query, words) }))
      .filter((found) => found.rank >= 0)
      .sort((a, b) => a.rank - b.rank || a.order - b.order)
      .map((found) => found.each);
  };
  const choose = (number) => {
    chosen = number;
    [...list.children].forEach((each, at) => each.setAttribute("aria-selected", String(at === number)));
    if (number < 0) return field.removeAttribute("aria-activedescendant");
    field.setAttribute("aria-activedescendant", list.children[number].id);
    list.children[number].scrollIntoView({ block: "nearest" });
  };
  const show = () => {
    const query = field.value.trim().toLowerCase();
    const found = search(query);
    shown = found.slice(0, MOST);
    list.replaceChildren(...shown.map((each, at) => {
      const line = document.createElement("li");
      line.id = `hit-${at}`;
      line.setAttribute("role", "option");
      const name = document.createElement("b");
      name.textContent = each.name;
      const about = document.createElement("span");
      about.textContent = [each.kind, each.server, each.title].filter(Boolean).join(" · ");
      line.append(name, about);
      line.addEventListener("click", () => go(at));
      return line;
    }));
    list.hidden = !shown.length;
    contents.hidden = Boolean(query);
    field.setAttribute("aria-expanded", String(!list.hidden));
    const more = found.length > MOST ? `, the best ${MOST} shown` : "";
    hits.textContent = query ? `${found.length || "Nothing"} found${more}` : "";
    choose(shown.length ? 0 : -1);
  };
  const clear = () => { field.value = ""; show(); };
  const go = (at) => {
    const id = shown[at].id;
    clear();
    field.blur();
    if (location.hash.slice(1) === id) reveal();
    else location.hash = id;
    const target = document.getElementById(id);
    target.querySelector("a, summary")?.focus({ preventScroll: true });
  };
  field.addEventListener("input", show);
  field.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      if (shown.length) choose((chosen + step + shown.length) % shown.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (chosen >= 0) go(chosen);
    } else if (event.key === "Escape") {
      event.preventDefault();
      if (field.value) clear();
      else field.blur();
    }
  });
  document.querySelector(".find").addEventListener("submit", (event) => event.preventDefault());
  addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
    field.select();
  });

  // Copying. A call is one line, as servers read it from stdin; the arguments stay the text that
  // they are, since a number may be longer than a script can hold.
  const dense = (json) => json.replace(/"(?:[^"\\]|\\.)*"|\s+/g, (part) => (part[0] === '"' ? part : ""));
  const call = (button, text) => {
    const name = JSON.stringify(button.closest("[data-name]").dataset.name);
    const revision = button.closest("[data-revision]")?.dataset.revision;
    const about = "io.modelcontextprotocol/";
    const meta = revision
      ? `"_meta":{"${about}protocolVersion":"${revision}","${about}clientCapabilities":{}},`
      : "";
    const params = `{${meta}"name":${name},"arguments":${dense(text)}}`;
    return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
  };
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      area.className = "said";
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      return done;
    }
  };
  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("button[data-copy]");
    if (!button) return;
    const text = button.closest(".code").querySelector("pre").textContent;
    const done = await copy(button.dataset.copy === "call" ? call(button, text) : text);
    button.focus();
    const label = (button.dataset.label ??= button.textContent);
    button.textContent = done ? "Copied" : "Select and copy by hand";
    button.classList.toggle("done", done);
    said.textContent = button.textContent;
    setTimeout(() => {
      button.textContent = label;
      button.classList.remove("done");
      said.textContent = "";
    }, COPIED);
  });

  // Where the reader is, in the contents.
  const links = new Map([...contents.querySelectorAll("li a")].map((each) => [each.hash.slice(1), each]));
  let current = null;
  const seen = new IntersectionObserver((changes) => {
    const entered = changes.find((change) => change.isIntersecting);
    if (!entered) return;
    current?.removeAttribute("aria-current");
    current = links.get(entered.target.id);
    current?.setAttribute("aria-current", "true");
    const side = document.querySelector(".side");
    if (!current || side.scrollHeight <= side.clientHeight) return;
    const place = current.getBoundingClientRect();
    if (place.top < 0 || place.bottom > side.clientHeight) {
      side.scrollTop += place.top - side.clientHeight / 2;
    }
  }, { rootMargin: "-10% 0px -80% 0px" });
  for (const each of document.querySelectorAll(".tool, .list, #types, #wording")) seen.observe(each);

  // On paper everything is unfolded, and afterwards as it was.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    for (const each of folded) each.open = true;
  });
  addEventListener("afterprint", () => {
    for (const each of folded) each.open = false;
  });
})();
