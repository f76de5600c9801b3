// The tree works without this script, by ticks and names. With it, a node may also be dragged to another group: that
// ticks it, chooses the group and sends the form.
"use strict";

const form = document.querySelector("[data-tree]");
const choice = document.getElementById("to");
let dragged = null;

if (choice) {
  for (const node of form.querySelectorAll("[data-node]")) {
    node.draggable = true;
    node.addEventListener("dragstart", (event) => {
      dragged = node;
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", "");
    });
  }
  for (const group of form.querySelectorAll("[data-group]")) {
    group.addEventListener("dragover", (event) => {
      if (!dragged) return;
      event.preventDefault();
      group.classList.add("over");
    });
    group.addEventListener("dragleave", () => group.classList.remove("over"));
    group.addEventListener("drop", (event) => {
      event.preventDefault();
      dragged.querySelector("input").checked = true;
      document.getElementById("new").value = "";
      choice.value = group.dataset.group;
      form.requestSubmit(form.querySelector("button[value=apply]"));
    });
  }
}
