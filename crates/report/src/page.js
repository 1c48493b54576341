"use strict";
// Links story, source and picture, and steps through executions. The page says all of it without this script, too.
document.documentElement.classList.add("js");
const make = (name, className, text) => {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
};
const steppers = [];
for (const section of document.querySelectorAll("section.execution")) {
  const all = (selector) => [...section.querySelectorAll(selector)];
  const one = (selector) => section.querySelector(selector);
  const ids = (element) => (element.dataset.events || "").split(" ").filter(Boolean);
  const of = (id) => all(`[data-event="${CSS.escape(id)}"], [data-events~="${CSS.escape(id)}"]`);
  const cool = () => all(".hot, .dimmed").forEach((e) => e.classList.remove("hot", "dimmed"));
  const heat = (id) => of(id).forEach((e) => e.classList.add("hot"));

  // The bar: a step is an element with a number, and what there is after it.
  const bar = one(".bar");
  const steps = all("[data-step]");
  const data = one("script.moments");
  const { moments, threads } = data ? JSON.parse(data.textContent) : { moments: [], threads: [] };
  let current = 0;
  const chips = (title, items) => {
    const row = make("div");
    row.append(make("span", "", title), ...items);
    return row;
  };
  const chip = ([name, value], className) => make("code", `chip ${className}`, `${name} = ${value}`);
  const show = () => {
    const state = bar.querySelector(".state");
    state.replaceChildren();
    const now = moments[current];
    if (!now) return;
    const before = moments[current - 1] || now;
    const old = new Map(before.memory);
    const fresh = ([name, value]) => (old.get(name) === value ? "" : "new");
    if (now.memory.length) state.append(chips("memory", now.memory.map((cell) => chip(cell, fresh(cell)))));
    now.buffers.forEach((buffer, thread) => {
      if (!buffer.length) return;
      const same = JSON.stringify(before.buffers[thread]) === JSON.stringify(buffer);
      state.append(chips(`store buffer of ${threads[thread]}`, buffer.map((cell, at) =>
        chip(cell, !same && at === buffer.length - 1 && buffer.length > before.buffers[thread].length ? "waits new" : "waits"))));
    });
    if (now.locks.length) {
      state.append(chips("locks", now.locks.map(([name, owners]) => make("code", "chip", `${name}: ${owners.join(", ")}`))));
    }
  };
  const into = (element, box) => {
    if (!element || !box) return;
    const [inner, outer] = [element.getBoundingClientRect(), box.getBoundingClientRect()];
    if (inner.top < outer.top || inner.bottom > outer.bottom) box.scrollTop += inner.top - outer.top - outer.height / 2;
    if (inner.left < outer.left || inner.right > outer.right) box.scrollLeft += inner.left - outer.left - outer.width / 2;
  };
  const go = (wanted) => {
    if (!bar || !steps.length) return;
    current = Math.max(0, Math.min(steps.length, wanted));
    all(".here").forEach((e) => e.classList.remove("here"));
    all(".event.lit, .instruction.lit").forEach((e) => e.classList.remove("lit"));
    const step = steps[current - 1];
    const words = bar.querySelector(".now");
    words.replaceChildren();
    bar.querySelector("output").textContent = `${bar.dataset.what} ${current} of ${steps.length}`;
    bar.querySelector("input").value = current;
    for (const [name, off] of [["first", current === 0], ["back", current === 0], ["next", current === steps.length], ["last", current === steps.length]]) {
      bar.querySelector(`[data-go="${name}"]`).disabled = off;
    }
    show();
    if (!step) {
      words.textContent = "Before the first step.";
      return;
    }
    step.classList.add("here");
    if (step.cells) words.append(make("b", "", step.cells[1].textContent), step.cells[step.cells.length - 1].textContent);
    else words.textContent = step.textContent;
    const events = ids(step);
    events.forEach((id) => of(id).forEach((e) => {
      if (e.matches(".event, .instruction")) e.classList.add("lit");
    }));
    const lines = new Set([step.dataset.goto, ...events.map((id) => one(`.event[data-event="${CSS.escape(id)}"]`)?.dataset.line)]);
    let first = true;
    for (const mark of lines) {
      const line = mark && mark !== "0" && one(`.line[data-line="${CSS.escape(mark)}"]`);
      if (!line) continue;
      line.classList.add("here");
      if (first) into(line, line.closest("pre"));
      first = false;
    }
    const drawn = one(".view.shown .event.lit");
    if (drawn) into(drawn, drawn.closest(".canvas"));
    const table = step.closest(".wide");
    if (table && table.scrollHeight > table.clientHeight) into(step, table);
  };
  const stepOf = (id) => steps.findIndex((step) => ids(step).includes(id)) + 1;
  if (bar && steps.length) {
    bar.hidden = false;
    const by = { first: () => 0, back: () => current - 1, next: () => current + 1, last: () => steps.length };
    bar.querySelectorAll("[data-go]").forEach((b) => b.addEventListener("click", () => go(by[b.dataset.go]())));
    bar.querySelector("input").addEventListener("input", (e) => go(Number(e.target.value)));
    steps.forEach((step, at) => {
      step.addEventListener("click", () => go(at + 1));
      step.addEventListener("keydown", (key) => { if (key.key === "Enter") go(at + 1); });
    });
    all(".waiting").forEach((e) => e.addEventListener("click", () => {
      const line = one(`.line[data-line="${CSS.escape(e.dataset.goto)}"]`);
      all(".line.here").forEach((other) => other.classList.remove("here"));
      if (line) { line.classList.add("here"); into(line, line.closest("pre")); }
    }));
    steppers.push({ section, go, by, last: steps.length });
    go(0);
  }
  const jump = (id) => { const step = stepOf(id); if (step) go(step); };
  for (const e of all("[data-event]")) {
    e.addEventListener("mouseenter", () => {
      heat(e.dataset.event);
      const svg = e.closest("svg");
      if (!svg) return;
      const far = (edge) => edge.dataset.from !== e.dataset.event && edge.dataset.to !== e.dataset.event;
      svg.querySelectorAll(".edge, .label").forEach((edge) => edge.classList.toggle("dimmed", far(edge)));
    });
    e.addEventListener("mouseleave", cool);
    e.addEventListener("click", () => jump(e.dataset.event));
  }
  for (const e of all("[data-events]")) {
    e.addEventListener("mouseenter", () => ids(e).forEach(heat));
    e.addEventListener("mouseleave", cool);
    if (e.matches(".instruction")) {
      e.addEventListener("click", (click) => {
        // A line that is executed often: each click goes to its next step.
        const known = ids(e).map(stepOf).filter(Boolean).sort((a, b) => a - b);
        const next = known.find((step) => step > current) || known[0];
        if (next) go(next);
        click.stopPropagation();
      });
    }
  }
  for (const e of all("li[data-from]:not([data-events])")) {
    e.addEventListener("mouseenter", () => { heat(e.dataset.from); heat(e.dataset.to); });
    e.addEventListener("mouseleave", cool);
  }

  // The pictures: which one, which relations, how large.
  const views = all(".view");
  const fit = (view) => {
    const canvas = view.querySelector(".canvas");
    canvas.classList.remove("zoomed");
    canvas.querySelector("svg").style.width = "";
  };
  const select = (at) => {
    views.forEach((view) => view.classList.toggle("shown", view.dataset.view === at));
    all("[data-tab]").forEach((tab) => tab.setAttribute("aria-selected", String(tab.dataset.tab === at)));
  };
  if (views.length) select("0");
  all("[data-tab]").forEach((tab) => tab.addEventListener("click", () => select(tab.dataset.tab)));
  const zoom = (view, factor) => {
    const canvas = view.querySelector(".canvas");
    const svg = canvas.querySelector("svg");
    const width = svg.getBoundingClientRect().width;
    canvas.classList.add("zoomed");
    svg.style.width = `${Math.max(120, Math.min(12000, width * factor))}px`;
  };
  all("[data-zoom]").forEach((button) => button.addEventListener("click", () => {
    const view = one(".view.shown");
    if (!view) return;
    if (button.dataset.zoom === "fit") fit(view);
    else zoom(view, button.dataset.zoom === "in" ? 1.25 : 0.8);
  }));
  for (const view of views) {
    const canvas = view.querySelector(".canvas");
    let from = null;
    canvas.addEventListener("pointerdown", (e) => {
      if (e.pointerType === "mouse" && e.button === 0) from = { x: e.clientX, y: e.clientY, left: canvas.scrollLeft, top: canvas.scrollTop };
    });
    canvas.addEventListener("pointermove", (e) => {
      if (!from) return;
      canvas.classList.add("dragged");
      canvas.scrollLeft = from.left - (e.clientX - from.x);
      canvas.scrollTop = from.top - (e.clientY - from.y);
    });
    for (const end of ["pointerup", "pointerleave", "pointercancel"]) {
      canvas.addEventListener(end, () => { from = null; canvas.classList.remove("dragged"); });
    }
    canvas.addEventListener("wheel", (e) => {
      if (!e.ctrlKey && !e.metaKey) return;
      e.preventDefault();
      zoom(view, e.deltaY < 0 ? 1.15 : 0.87);
    }, { passive: false });
    const switches = [...view.querySelectorAll("input[data-relation]")];
    const apply = () => {
      const off = new Set(switches.filter((input) => !input.checked).map((input) => input.dataset.relation));
      view.querySelectorAll(".edge, .label").forEach((edge) => {
        const relation = [...edge.classList].find((name) => name.startsWith("rel-")).slice(4);
        const hidden = off.has(relation) || (edge.classList.contains("of-init") && off.has("init"));
        edge.classList.toggle("hidden", hidden && !edge.classList.contains("lit"));
      });
      const needed = new Set();
      view.querySelectorAll(".edge.lit").forEach((edge) => { needed.add(edge.dataset.from); needed.add(edge.dataset.to); });
      view.querySelectorAll(".event.initial").forEach((e) => e.classList.toggle("hidden", off.has("init") && !needed.has(e.dataset.event)));
    };
    switches.forEach((input) => input.addEventListener("change", apply));
    apply();
  }
}
// Arrow keys step through the execution that is on the screen.
document.addEventListener("keydown", (key) => {
  if (key.ctrlKey || key.metaKey || key.altKey || !steppers.length) return;
  if (key.target.matches("input, textarea, select, .canvas.zoomed")) return;
  const seen = (stepper) => {
    const box = stepper.section.getBoundingClientRect();
    return Math.max(0, Math.min(box.bottom, innerHeight) - Math.max(box.top, 0));
  };
  const stepper = steppers.reduce((best, other) => (seen(other) > seen(best) ? other : best));
  const move = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last" }[key.key];
  if (!move) return;
  key.preventDefault();
  stepper.go(stepper.by[move]());
});
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((e) => { e.open = true; }));
