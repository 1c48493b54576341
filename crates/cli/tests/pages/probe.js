// Asks a page what the tests want to know, and writes the answers where they are found in the document.
"use strict";
{
  const errors = [];
  addEventListener("error", (event) => errors.push(String(event.message)));
  const visible = (e) => e.getClientRects().length > 0 && getComputedStyle(e).visibility !== "hidden";
  document.querySelectorAll("details").forEach((e) => { e.open = true; });

  // Texts in pictures that cover each other.
  const overlaps = [];
  for (const tabs of [...document.querySelectorAll(".picture")]) {
    const views = Math.max(1, tabs.querySelectorAll("[data-tab]").length);
    for (let at = 0; at < views; at++) {
      tabs.querySelector(`[data-tab="${at}"]`)?.click();
      const view = tabs.querySelector(".view.shown");
      for (const all of [false, true]) {
        view.querySelectorAll("input[data-relation]").forEach((input) => { if (all && !input.checked) input.click(); });
        const texts = [...view.querySelectorAll(".event text, .label text, .name")].filter(visible);
        const boxes = texts.map((text) => [text.textContent, text.getBoundingClientRect()]);
        boxes.forEach(([one, a], i) => boxes.slice(i + 1).forEach(([other, b]) => {
          const [w, h] = [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
          if (w > 1 && h > 1) overlaps.push(`${one} / ${other} (${at}${all ? ", all" : ""})`);
        }));
      }
    }
    tabs.querySelector('[data-tab="0"]')?.click();
  }

  // Contrast of texts with what is behind them.
  const channels = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (e) => {
    for (let at = e; at; at = at.parentElement) {
      const c = channels(getComputedStyle(at).backgroundColor);
      if (c.length === 3 || c[3] === 1) return c;
    }
    return channels(getComputedStyle(document.body).backgroundColor);
  };
  const faint = new Set();
  const compare = (text, back, what) => {
    const [a, b] = [luminance(text), luminance(back)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) faint.add(`${what}: ${ratio.toFixed(2)}`);
  };
  const own = (e) => [...e.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  const look = () => {
    for (const e of document.querySelectorAll("body *:not(script):not(style)")) {
      if (!own(e) || !visible(e) || e.closest("svg") || e.disabled) continue;
      compare(channels(getComputedStyle(e).color), behind(e), `${e.tagName} ${e.className} "${e.textContent.trim().slice(0, 20)}"`);
    }
    for (const e of document.querySelectorAll(".canvas svg text")) {
      if (!visible(e)) continue;
      const rect = e.parentElement.querySelector(":scope > rect:not(.paper)") || e.ownerSVGElement.querySelector(".lane, .paper");
      compare(channels(getComputedStyle(e).fill), channels(getComputedStyle(rect).fill), `svg "${e.textContent}"`);
    }
  };
  look();

  // The keyboard.
  const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const bar = [...document.querySelectorAll(".bar")].find(visible);
  if (bar) bar.closest("section").scrollIntoView();
  const steps = bar ? bar.closest("section").querySelectorAll("[data-step]").length : 0;
  const at = () => (bar ? Number(bar.querySelector("input").value) : 0);
  const unlinked = [];
  let walked = 0;
  for (let step = 1; step <= steps; step++) {
    press("ArrowRight");
    if (at() === step) walked = step;
    const here = bar.closest("section").querySelector("[data-step].here");
    if (!here) unlinked.push(`step ${step} is not marked`);
    const line = here?.dataset.goto;
    if (line && line !== "0" && !bar.closest("section").querySelector(".line.here")) unlinked.push(`step ${step} shows no line`);
    if (!bar.querySelector(".now").textContent) unlinked.push(`step ${step} says nothing`);
  }
  look();
  let back = true;
  if (steps) {
    press("ArrowLeft");
    back = at() === steps - 1;
    press("Home");
    back = back && at() === 0;
    // An event of the picture leads to its step.
    const event = bar.closest("section").querySelector(".happenings [data-events]:not([data-events=''])");
    const id = event?.dataset.events.split(" ")[0];
    const drawn = id && bar.closest("section").querySelector(`.canvas .event[data-event="${id}"]`);
    if (drawn) {
      drawn.dispatchEvent(new MouseEvent("click", { bubbles: true }));
      if (at() !== Number(event.dataset.step)) unlinked.push("an event of the picture does not lead to its step");
    }
  }
  // What a step says is there in every window, and a picture of a search is not cut off.
  const wordless = [...document.querySelectorAll(".happenings [data-step]")].filter((row) => !row.lastElementChild.getClientRects().length).map((row) => row.textContent);
  const cut = [...document.querySelectorAll(".search")].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => `${e.scrollWidth} of ${e.clientWidth}`);
  // Lines of a diff stand close: each is as high as its text.
  const spread = [...document.querySelectorAll("pre.diff")].filter((e) => e.getBoundingClientRect().height > 26 * e.children.length + 40).map((e) => e.textContent.slice(0, 40));
  const requests = performance.getEntriesByType("resource").map((entry) => entry.name);
  const wide = document.documentElement.scrollWidth > document.documentElement.clientWidth;
  const answers = {
    overlaps: overlaps.slice(0, 10), faint: [...faint].slice(0, 10), requests, errors, wordless, cut, spread, unlinked: unlinked.slice(0, 10), scrolls: wide, steps, walked, back,
    dark: matchMedia("(prefers-color-scheme: dark)").matches, broken: "broken" in window, images: document.images.length,
  };
  document.title = `PROBE ${JSON.stringify(answers)} EBORP`;
}
