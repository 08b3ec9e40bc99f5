// What the pages need beyond htmx; every page works without it.
"use strict";

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const field = document.getElementById(button.dataset.copy);
  field.select();
  await navigator.clipboard.writeText(field.value);
  document.getElementById("live").textContent = "Copied.";
  button.querySelector("span").textContent = "Copied";
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-sign-in]");
  if (!button) return;
  document.getElementById("id_username").value = button.dataset.signIn;
  document.getElementById("id_password").value = button.dataset.password;
  document.getElementById("id_username").form.requestSubmit();
});

for (const zone of document.querySelectorAll(".drop")) {
  const input = zone.querySelector("input[type=file]");
  const over = (on) => (event) => {
    event.preventDefault();
    zone.classList.toggle("over", on);
  };
  zone.addEventListener("dragover", over(true));
  zone.addEventListener("dragleave", over(false));
  zone.addEventListener("drop", (event) => {
    over(false)(event);
    input.files = event.dataTransfer.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.closest("input, textarea, select")) return;
  const search = document.querySelector("[data-search]");
  if (search) {
    event.preventDefault();
    search.focus();
  }
});

// What a part that is fetched again and again has to say goes to the one live region, once for each change.
const said = new Map();
function tell(event) {
  for (const part of document.querySelectorAll("[data-live]")) {
    const words = part.dataset.live;
    if (event && words !== said.get(part.id)) document.getElementById("live").textContent = words;
    said.set(part.id, words);
  }
}
tell();
document.addEventListener("htmx:afterSettle", tell);

// A part that is swapped keeps what was unfolded in it, and how far its tables were moved.
const kept = new Map();
document.addEventListener("htmx:beforeSwap", ({ detail: { target } }) => {
  const parts = [...target.querySelectorAll("details[id], .table-scroll[id]")];
  kept.set(target.id, parts.map(({ id, open, scrollLeft }) => ({ id, open, scrollLeft })));
});
document.addEventListener("htmx:afterSettle", ({ target }) => {
  for (const { id, open, scrollLeft } of kept.get(target.id) ?? []) {
    const part = document.getElementById(id);
    if (part) Object.assign(part, part.matches("details") ? { open } : { scrollLeft });
  }
  kept.delete(target.id);
});
