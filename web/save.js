// What all pages with data offer to save: the result as --format json prints it, and each table as CSV.
"use strict";

const shownIn = element => element.textContent.trim().replace(/\s+/g, " ");

// The result, byte for byte: no "<" stands in a script.
const resultText = () => document.getElementById("result").textContent
  .replace(/\\(u003c|[^])/g, (escape, sign) => sign === "u003c" ? "<" : escape);

// Lines of texts as CSV (RFC 4180).
const csvText = lines => lines.map(line => line.map(value => {
  const cell = String(value);
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}).join(",") + "\r\n").join("");

const linesOf = table => [...table.rows].map(row => [...row.cells].map(shownIn));

// Lets `link` save what `text` gives at that moment.
const saveLink = (link, name, type, text) => {
  link.download = name;
  link.href = "#";
  const fill = () => {
    if (link.href.startsWith("blob:")) URL.revokeObjectURL(link.href);
    link.href = URL.createObjectURL(new Blob([text()], {type}));
  };
  link.addEventListener("click", fill);
  link.addEventListener("contextmenu", fill);
};

// What is saved of tables that show a part of their rows, by id.
const wholeTables = {};

const addTableLinks = (page, names = new Map()) => {
  for (const area of document.querySelectorAll(".scroll")) {
    const table = area.querySelector("table");
    if (!table) continue;
    const about = area.getAttribute("aria-label") || "table";
    const slug = about.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "table";
    names.set(slug, (names.get(slug) || 0) + 1);
    const name = `${page}-${slug}${names.get(slug) > 1 ? "-" + names.get(slug) : ""}.csv`;
    const line = document.createElement("p");
    const link = document.createElement("a");
    line.className = "save";
    link.textContent = "Save as CSV";
    link.setAttribute("aria-label", `Save as CSV: ${about}`);
    saveLink(link, name, "text/csv", () => csvText(wholeTables[table.id] ? wholeTables[table.id]() : linesOf(table)));
    line.append(link);
    area.after(line);
  }
};

const addDrawingLinks = page => {
  for (const area of document.querySelectorAll(".drawing")) {
    const link = document.createElement("a");
    link.textContent = "Save the drawing (SVG)";
    saveLink(link, `${page}-cluster.svg`, "image/svg+xml",
             () => new XMLSerializer().serializeToString(area.shadowRoot.querySelector("svg")));
    const line = document.createElement("p");
    line.className = "save";
    line.append(link);
    area.after(line);
  }
};

addEventListener("DOMContentLoaded", () => {
  const link = document.getElementById("save-result");
  if (link) saveLink(link, link.download, "application/json", resultText);
  const page = document.querySelector("meta[name=simtrain-page]").content;
  addTableLinks(page);
  addDrawingLinks(page);
});
