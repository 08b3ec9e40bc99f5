// Marking by keyboard: drafts saved at each change, also without a network, and the next answer loaded ahead.
"use strict";

let page = null; // the answer in hand: its element, its form, when it was opened, and what can be undone
let ahead = null; // the page after it, as it came from the server

const at = (key) => `evalportal draft ${key}`;

function open(root) {
  page = { root, form: root.querySelector("#review-form"), since: performance.now(), undo: [], busy: false };
  page.criteria = [...root.querySelectorAll(".criterion")];
  if (page.criteria.length) {
    restore();
    focusOn(page.criteria.findIndex((one) => !one.querySelector(":checked")));
  }
  window.setTimeout(loadAhead, 400);
}

function status(text) {
  const line = document.getElementById("review-status");
  if (line) line.textContent = text;
}

function values() {
  const data = new FormData(page.form);
  data.set("seconds", ((performance.now() - page.since) / 1000).toFixed(1));
  return data;
}

// What is typed stays in this browser until the server has it.
function restore() {
  const kept = JSON.parse(localStorage.getItem(at(page.root.dataset.path)) || "null");
  if (!kept || kept.at < Date.parse(page.root.dataset.saved || 0)) return;
  for (const [name, value] of kept.values) {
    const field = page.form.elements.namedItem(name);
    if (!field || ["token", "seconds", "csrfmiddlewaretoken"].includes(name)) continue;
    if (field.type === "checkbox") field.checked = value === "on";
    else field.value = value;
  }
  saveDraft();
}

let timer = 0;
function changed() {
  const kept = { at: Date.now(), values: [...values()] };
  localStorage.setItem(at(page.root.dataset.path), JSON.stringify(kept));
  window.clearTimeout(timer);
  timer = window.setTimeout(saveDraft, 250);
}

async function saveDraft() {
  const { path, draft } = page.root.dataset;
  try {
    const response = await fetch(draft, { method: "POST", body: values() });
    const answer = await response.json();
    if (response.ok) localStorage.removeItem(at(path));
    status(response.ok ? `Draft saved ${answer.saved}` : answer.error);
  } catch {
    status("No connection: kept in this browser, trying again");
    window.clearTimeout(timer);
    timer = window.setTimeout(saveDraft, 3000);
  }
}

async function loadAhead() {
  if (!page || !page.root.dataset.ahead) return;
  try {
    const response = await fetch(page.root.dataset.ahead);
    ahead = response.status === 200 ? { path: response.headers.get("X-Review-Path"), html: await response.text() } : null;
  } catch {
    ahead = null;
  }
}

async function send(action, data) {
  if (page.busy) return;
  page.busy = true;
  window.clearTimeout(timer);
  status("Submitting");
  for (;;) {
    try {
      const response = await fetch(action, { method: "POST", body: data, headers: { "X-Requested-With": "fetch" } });
      if (response.ok && response.headers.get("Content-Type").includes("json")) {
        localStorage.removeItem(at(page.root.dataset.path));
        return go((await response.json()).next);
      }
      return show(await response.text(), page.root.dataset.path, false);
    } catch {
      status("No connection: your marks are kept and sent as soon as it is back");
      await new Promise((wait) => window.setTimeout(wait, 2000));
    }
  }
}

async function go(path) {
  if (ahead && path.endsWith("/next/")) {
    const { html, path: coming } = ahead;
    ahead = null;
    return show(html, coming, true);
  }
  const response = await fetch(path);
  if (!response.url.includes("/reviews/")) return window.location.assign(response.url);
  show(await response.text(), new URL(response.url).pathname, true);
}

function show(html, path, fresh) {
  const incoming = new DOMParser().parseFromString(html, "text/html");
  const root = incoming.getElementById("review");
  if (!root) return window.location.assign(path);
  if (fresh) history.pushState({}, "", path);
  document.title = incoming.title;
  document.getElementById("review").replaceWith(document.adoptNode(root));
  window.scrollTo(0, 0);
  open(root);
  document.getElementById("live").textContent = document.title;
}

function focusOn(index) {
  const fieldset = page.criteria[Math.max(0, Math.min(index, page.criteria.length - 1))];
  (fieldset.querySelector(":checked") || fieldset.querySelector("input")).focus();
}

function mark(value) {
  const index = Math.max(0, page.criteria.indexOf(document.activeElement.closest(".criterion")));
  const fieldset = page.criteria[index];
  const before = fieldset.querySelector(":checked");
  page.undo.push({ index, value: before && before.value });
  fieldset.querySelector(`input[value="${value}"]`).checked = true;
  changed();
  if (index + 1 < page.criteria.length) focusOn(index + 1);
}

function undo() {
  const last = page.undo.pop();
  if (!last) return status("Nothing to undo");
  for (const input of page.criteria[last.index].querySelectorAll("input")) input.checked = input.value === last.value;
  focusOn(last.index);
  changed();
}

const KEYS = {
  ArrowDown: () => focusOn(page.criteria.indexOf(document.activeElement.closest(".criterion")) + 1),
  ArrowUp: () => focusOn(page.criteria.indexOf(document.activeElement.closest(".criterion")) - 1),
  Enter: () => page.form.querySelector("[name=submit]")?.click(),
  s: () => page.form.querySelector("[data-skip]")?.click(),
  f: () => page.form.querySelector("[name=flagged]")?.click(),
  u: undo,
  c: () => page.form.querySelector("[value=confirm]")?.click(),
  o: () => (page.form.elements.reason?.value ? page.form.querySelector("[value=override]").click() : page.form.elements.reason?.focus()),
};

document.addEventListener("keydown", (event) => {
  if (!page || !page.form || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "?") return document.getElementById("review-keys").showModal();
  if (event.target.matches("textarea, input:not([type=radio]), button, a, summary") || document.querySelector("dialog[open]")) return;
  if (page.criteria.length && /^[1-5]$/.test(event.key)) mark(event.key);
  else if (KEYS[event.key] && (page.criteria.length || !event.key.startsWith("Arrow"))) KEYS[event.key]();
  else return;
  event.preventDefault();
});

document.addEventListener("change", (event) => {
  if (page && page.form && page.form.contains(event.target) && page.criteria.length) changed();
});
document.addEventListener("input", (event) => {
  if (page && page.form && page.form.contains(event.target) && event.target.matches("textarea")) changed();
});
document.addEventListener("submit", (event) => {
  if (!page || event.target !== page.form) return;
  event.preventDefault();
  const data = values();
  if (event.submitter?.name) data.set(event.submitter.name, event.submitter.value);
  send(event.submitter?.getAttribute("formaction") || page.form.action, data);
});
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-help]")) document.getElementById("review-keys").showModal();
});
window.addEventListener("popstate", () => window.location.reload());
window.addEventListener("online", () => page && page.criteria.length && saveDraft());

open(document.getElementById("review"));
