// Marking by keyboard: drafts saved at each change, also without a network, and the next answer loaded ahead.
"use strict";

let page = null; // the answer in hand: its element, its form, the time spent on it, and what can be undone
let ahead = null; // the page after it, as it came from the server, and how much was marked by then
let last = null; // where to take back what was submitted last
let marked = 0;

const at = (key) => `evalportal draft ${key}`;
const pause = (milliseconds) => new Promise((wait) => window.setTimeout(wait, milliseconds));

function open(root) {
  const spent = Number(root.dataset.seconds || 0);
  page = { root, form: root.querySelector("#review-form"), spent, since: performance.now(), undo: [], busy: false };
  page.criteria = [...root.querySelectorAll("#review-form .criterion")];
  // Only the criterion at hand shows what its marks stand for; without this script, all do.
  if (page.form) page.form.classList.add("compact");
  if (page.form) restore();
  if (page.criteria.length) focusOn(page.criteria.findIndex((one) => !one.querySelector(":checked")));
  showTime();
  window.setTimeout(loadAhead, 400);
}

function status(text) {
  const line = document.getElementById("review-status");
  if (line) line.textContent = text;
}

// Something that waiting does not mend: it is said in full, and the page stays as it is.
function refuse(text) {
  const line = document.getElementById("review-refusal");
  if (!line) return;
  line.textContent = `${text} What you typed is still here, and kept in this browser.`;
  line.hidden = false;
  status("");
}

function why(response) {
  if (response.redirected) return "You are signed out. Sign in again in another tab, then go on here.";
  if (response.status === 403) return "You may not mark this answer any more. Ask an admin.";
  return `The server did not take it (${response.status}). Try again in a while.`;
}

// Only the time in which the page is in front of somebody counts.
function seconds() {
  return page.spent + (document.hidden ? 0 : (performance.now() - page.since) / 1000);
}

function showTime() {
  const clock = document.getElementById("review-time");
  if (!clock || !page.form) return;
  const whole = Math.floor(seconds());
  clock.textContent = `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

function values() {
  const data = new FormData(page.form);
  data.set("seconds", seconds().toFixed(1));
  return data;
}

// What is typed stays in this browser until the server has it.
function restore() {
  const kept = JSON.parse(localStorage.getItem(at(page.root.dataset.path)) || "null");
  if (!kept || kept.at < Date.parse(page.root.dataset.saved || 0)) return;
  const known = new Map(kept.values);
  for (const name of new Set([...page.form.elements].map((field) => field.name))) {
    const field = page.form.elements.namedItem(name);
    if (["", "token", "seconds", "csrfmiddlewaretoken", "submit", "decision"].includes(name)) continue;
    if (field.type === "checkbox") field.checked = known.has(name);
    else if (known.has(name)) field.value = known.get(name);
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

const ours = (response) => (response.headers.get("Content-Type") || "").includes("json");

async function saveDraft() {
  const of = page;
  try {
    const response = await fetch(of.root.dataset.draft, { method: "POST", body: values() });
    if (page !== of) return;
    if (!ours(response)) return refuse(why(response));
    const answer = await response.json();
    if (response.ok) localStorage.removeItem(at(of.root.dataset.path));
    status(response.ok ? `Draft saved ${answer.saved}` : answer.error);
  } catch {
    if (page !== of) return;
    status("No connection: kept in this browser, trying again");
    window.clearTimeout(timer);
    timer = window.setTimeout(saveDraft, 3000);
  }
}

async function loadAhead() {
  const of = page;
  if (!of.root.dataset.ahead) return;
  try {
    const response = await fetch(of.root.dataset.ahead);
    const html = await response.text();
    // Whoever has gone on meanwhile has that very answer before them.
    if (page !== of) return;
    ahead = response.status === 200 ? { path: response.headers.get("X-Review-Path"), html, marked } : null;
  } catch {
    ahead = null;
  }
}

async function untilThereIsANetwork(path, options) {
  for (;;) {
    try {
      return await fetch(path, options);
    } catch {
      status("No connection: your marks are kept and sent as soon as it is back");
      await pause(2000);
    }
  }
}

async function send(action, data) {
  if (page.busy) return;
  page.busy = true;
  window.clearTimeout(timer);
  status("Submitting");
  const response = await untilThereIsANetwork(action, { method: "POST", body: data, headers: { "X-Requested-With": "fetch" } });
  if (response.ok && ours(response)) {
    localStorage.removeItem(at(page.root.dataset.path));
    if (action.endsWith("/submit/")) [last, marked] = [page.root.dataset.undo, marked + 1];
    return go((await response.json()).next);
  }
  if (!show(await response.text(), page.root.dataset.path, false)) {
    page.busy = false;
    refuse(why(response));
  }
}

async function go(path) {
  if (ahead && path.endsWith("/next/") && ahead.path !== page.root.dataset.path) {
    const coming = ahead;
    ahead = null;
    if (show(coming.html, coming.path, true)) return count(marked - coming.marked);
  }
  arrive(await untilThereIsANetwork(path, { headers: { "X-Requested-With": "fetch" } }));
}

async function arrive(response) {
  const path = response.headers.get("X-Review-Path") || new URL(response.url).pathname;
  if (!path.includes("/reviews/") || !show(await response.text(), path, true)) window.location.assign(response.url);
}

function count(more) {
  const tag = document.getElementById("review-count");
  if (tag) tag.textContent = Number(tag.textContent) + more;
}

function show(html, path, fresh) {
  const incoming = new DOMParser().parseFromString(html, "text/html");
  const root = incoming.getElementById("review");
  if (!root) return false;
  if (fresh && path !== window.location.pathname) history.pushState({}, "", path);
  document.title = incoming.title;
  document.getElementById("review").replaceWith(document.adoptNode(root));
  window.scrollTo(0, 0);
  open(root);
  document.getElementById("live").textContent = document.title;
  return true;
}

function focusOn(index) {
  const fieldset = page.criteria[Math.max(0, Math.min(index, page.criteria.length - 1))];
  (fieldset.querySelector(":checked") || fieldset.querySelector("input")).focus();
}

// While a button of the mouse is down nothing may move, or it would be released over something else.
let pressed = false;
document.addEventListener("pointerdown", () => (pressed = true));
document.addEventListener("pointerup", () => (pressed = false));
document.addEventListener("pointercancel", () => (pressed = false));

function unfold(target) {
  const chosen = target.closest?.("#review-form .criterion");
  if (chosen && page) for (const one of page.criteria) one.classList.toggle("current", one === chosen);
}
document.addEventListener("focusin", (event) => !pressed && unfold(event.target));
document.addEventListener("click", (event) => unfold(event.target));

const inFocus = () => page.criteria.indexOf(document.activeElement.closest(".criterion"));

function mark(value) {
  const index = Math.max(0, inFocus());
  const fieldset = page.criteria[index];
  const before = fieldset.querySelector(":checked");
  page.undo.push({ index, value: before && before.value });
  fieldset.querySelector(`input[value="${value}"]`).checked = true;
  changed();
  if (index + 1 < page.criteria.length) focusOn(index + 1);
}

async function undo() {
  const step = page.undo.pop();
  if (!step) return takeBack();
  for (const input of page.criteria[step.index].querySelectorAll("input")) input.checked = input.value === step.value;
  focusOn(step.index);
  changed();
}

async function takeBack() {
  if (!last || page.busy) return status("Nothing to undo");
  page.busy = true;
  const body = new FormData();
  body.set("csrfmiddlewaretoken", document.querySelector("[name=csrfmiddlewaretoken]").value);
  [ahead, marked] = [null, marked - 1];
  const where = last;
  last = null;
  arrive(await untilThereIsANetwork(where, { method: "POST", body }));
}

const KEYS = {
  arrowdown: () => focusOn(inFocus() + 1),
  arrowup: () => focusOn(inFocus() - 1),
  enter: () => page.form.querySelector("[name=submit]")?.click(),
  s: () => page.form.querySelector("[data-skip]")?.click(),
  f: () => page.form.querySelector("[name=flagged]")?.click(),
  u: undo,
  c: () => page.form.querySelector("[value=confirm]")?.click(),
  o: () => (page.form.elements.reason?.value ? page.form.querySelector("[value=override]").click() : page.form.elements.reason?.focus()),
  "?": () => document.getElementById("review-keys").showModal(),
};

document.addEventListener("keydown", (event) => {
  if (!page || !page.form || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("textarea, input:not([type=radio]), button, a, summary") || document.querySelector("dialog[open]")) return;
  const key = event.key.toLowerCase();
  if (event.repeat && !key.startsWith("arrow")) return event.preventDefault();
  if (page.criteria.length && /^[1-5]$/.test(key)) mark(key);
  else if (KEYS[key] && (page.criteria.length || !key.startsWith("arrow"))) KEYS[key]();
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
  send(event.submitter?.getAttribute("formaction") || page.form.getAttribute("action"), data);
});
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-help]")) document.getElementById("review-keys").showModal();
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) page.spent += (performance.now() - page.since) / 1000;
  else page.since = performance.now();
});
window.addEventListener("popstate", () => window.location.reload());
window.addEventListener("online", () => page && page.criteria.length && saveDraft());
window.setInterval(showTime, 1000);

open(document.getElementById("review"));
