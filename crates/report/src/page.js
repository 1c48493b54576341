"use strict";
for (const section of document.querySelectorAll("section")) {
  const all = (selector) => section.querySelectorAll(selector);
  const heat = (selector) => all(selector).forEach((e) => e.classList.add("hot"));
  const cool = () => {
    all(".hot").forEach((e) => e.classList.remove("hot"));
    all(".dimmed").forEach((e) => e.classList.remove("dimmed"));
  };
  const event = (id) => heat(`[data-event="${id}"], [data-events~="${id}"]`);
  for (const e of all("[data-event]")) {
    e.addEventListener("mouseenter", () => {
      event(e.dataset.event);
      if (!e.closest("svg")) return;
      all("svg .edge").forEach((edge) =>
        edge.classList.toggle("dimmed", edge.dataset.from !== e.dataset.event && edge.dataset.to !== e.dataset.event));
    });
    e.addEventListener("mouseleave", cool);
  }
  for (const e of all("[data-events]")) {
    e.addEventListener("mouseenter", () => e.dataset.events.split(" ").forEach(event));
    e.addEventListener("mouseleave", cool);
  }
  for (const e of all("[data-goto]")) {
    const go = () => {
      all(".here").forEach((other) => other.classList.remove("here"));
      e.classList.add("here");
      const line = section.querySelector(`.line[data-line="${e.dataset.goto}"]`);
      if (!line) return;
      line.classList.add("here");
      const box = line.closest("pre");
      box.scrollTop = line.offsetTop - box.offsetTop - box.clientHeight / 2;
    };
    e.addEventListener("click", go);
    e.addEventListener("focus", go);
  }
  for (const e of all("tr[data-goto]")) {
    e.addEventListener("keydown", (key) => {
      const next = { ArrowDown: e.nextElementSibling, ArrowUp: e.previousElementSibling }[key.key];
      if (next) { next.focus(); key.preventDefault(); }
    });
  }
  for (const e of all("li[data-from]")) {
    e.addEventListener("mouseenter", () => { e.classList.add("hot"); event(e.dataset.from); event(e.dataset.to); });
    e.addEventListener("mouseleave", cool);
  }
  for (const e of all("input[data-relation]")) {
    e.addEventListener("change", () =>
      all(`svg .rel-${e.dataset.relation}`).forEach((edge) => edge.classList.toggle("hidden", !e.checked)));
  }
}
