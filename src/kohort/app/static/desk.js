// Every page works without this script. With it, a page that waits shows the stage and reloads when the work is over, and
// a page with changes that were not sent asks before it is left.
"use strict";

const task = document.querySelector("[data-task]");
let leaving = false;
addEventListener("submit", () => { leaving = true; });

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
  } catch {
    document.querySelector("[data-stage]").textContent = "kohort app does not answer; was it stopped?";
  }
  setTimeout(look, 500);
}

if (task) setTimeout(look, 400);

for (const form of document.querySelectorAll("form[data-watched]")) {
  const before = new URLSearchParams(new FormData(form)).toString();
  addEventListener("beforeunload", (event) => {
    if (!leaving && new URLSearchParams(new FormData(form)).toString() !== before) event.preventDefault();
  });
}
