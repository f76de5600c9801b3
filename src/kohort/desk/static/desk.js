// Every page works without this script. With it, a page that waits shows the stage and reloads when the work is over; a
// page with changes that were not sent asks before it is left; figures appear once they are known; a form that leads back
// to its page keeps the place and the focus; columns are found while one types, and unique people counted.
"use strict";

const task = document.querySelector("[data-task]");
let leaving = false;

function named(button) {
  const text = button?.querySelector("strong")?.textContent ?? button?.textContent.trim();
  return [button?.form.getAttribute("action"), button?.name, text || button?.value].join(" ");
}

addEventListener("submit", (event) => {
  leaving = true;
  const open = [...document.querySelectorAll("details[open] > summary")].map((one) => one.textContent);
  sessionStorage.setItem("place", JSON.stringify([location.pathname, scrollY, open, named(event.submitter)]));
});

async function look() {
  try {
    const answer = await fetch("/working");
    const told = await answer.json();
    if (leaving) return;
    if (!told.open) {
      location.replace(location.pathname + location.search); // as it was asked for, without a place in it
      return;
    }
    const stage = document.querySelector("[data-stage]");
    if (stage.textContent !== told.stage) stage.textContent = told.stage;
    const bar = task.querySelector("progress");
    if (told.steps) [bar.value, bar.max] = told.steps;
    else bar.removeAttribute("value");
  } catch {
    document.querySelector("[data-stage]").textContent = "kohort app does not answer; was it stopped?";
  }
  setTimeout(look, 500);
}

if (task) setTimeout(look, 400);

function said(form) {
  const data = new FormData(form);
  for (const key of ["q", "of", "which", "to"]) data.delete(key); // what is looked for, not what is changed
  return new URLSearchParams(data).toString();
}

for (const form of document.querySelectorAll("form[data-watched]")) {
  const before = said(form);
  addEventListener("beforeunload", (event) => {
    if (!leaving && said(form) !== before) event.preventDefault();
  });
}

// ── the place of a form ──

const [path, above, unfolded, pressed] = JSON.parse(sessionStorage.getItem("place") ?? "[]");
if (!task) sessionStorage.removeItem("place");
if (!task && path === location.pathname && !location.hash) {
  for (const one of document.querySelectorAll("details > summary")) one.parentElement.open ||= unfolded.includes(one.textContent);
  scrollTo(0, above);
  [...document.querySelectorAll("button:enabled")].find((one) => named(one) === pressed)?.focus({ preventScroll: true });
}

// ── figures that are still to come ──

// What the desk answers; nothing where it does not, as when the page is left.
async function answered(address, read) {
  try {
    return await read(await fetch(address));
  } catch {
    return null;
  }
}

async function fill(late) {
  const text = await answered(late.dataset.late, (answer) => answer.text());
  const found = text && new DOMParser().parseFromString(text, "text/html").getElementById(late.id);
  const at = (one) => one.querySelector("[name=at]").value;
  if (leaving || !found || at(found) !== at(late)) return; // the job was changed meanwhile
  if (found.dataset.late) setTimeout(fill, 700, late);
  else delete late.dataset.late;
  if (found.innerHTML === late.innerHTML) return; // nothing new is known
  const buttons = () => [...late.querySelectorAll("button")];
  const focused = buttons().indexOf(document.activeElement);
  late.replaceChildren(...found.childNodes);
  buttons()[focused]?.focus({ preventScroll: true });
}

for (const late of document.querySelectorAll("[data-late]")) setTimeout(fill, 500, late);

// ── columns ──

const roles = document.querySelector("[data-roles]");
const unique = document.querySelector("[data-unique]");
let asked = 0;

async function count(query, turn) {
  const found = await answered(`/unique?${query}`, async (answer) => [answer.status, answer.status === 200 && await answer.json()]);
  if (turn !== asked || leaving || !found) return;
  if (found[0] === 200) unique.textContent = found[1].text;
  else if (found[0] === 202) setTimeout(count, 300, query, turn);
}

function counted() {
  const folded = new Set(roles.dataset.quasi.split(",").filter(Boolean));
  for (const one of roles.querySelectorAll("input[type=radio]:checked")) {
    for (const place of one.dataset.places.split(",")) {
      if (one.value === "quasi") folded.add(place);
      else folded.delete(place);
    }
  }
  asked += 1;
  count([...folded].map((place) => `place=${place}`).join("&"), asked);
}

if (roles) {
  if ("unknown" in unique.dataset) counted();
  roles.addEventListener("change", (event) => {
    if (event.target.type === "radio") counted();
  });
  const find = document.querySelector("[data-find]");
  const show = () => {
    const [text, role] = [find.elements.q.value.trim().toLowerCase(), find.elements.of.value];
    roles.elements.q.value = text;
    roles.elements.of.value = role;
    for (const row of roles.querySelectorAll("[data-column]")) {
      row.hidden = !row.dataset.names.toLowerCase().includes(text) || (role !== "" && row.dataset.role !== role);
    }
  };
  if (roles.elements.q.value + roles.elements.of.value === "") find.addEventListener("input", show); // all are here
}
