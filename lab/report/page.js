// Dark or light: as the system wishes, until the reader decides otherwise.
"use strict";
(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const remembered = () => { try { return localStorage.getItem("heddle-theme"); } catch { return null; } };
  const remember = (theme) => { try { localStorage.setItem("heddle-theme", theme); } catch { /* private window */ } };
  const shown = () => root.dataset.theme || (system.matches ? "dark" : "light");
  const told = remembered();
  if (told === "dark" || told === "light") root.dataset.theme = told;
  document.getElementById("theme").addEventListener("click", () => {
    root.dataset.theme = shown() === "dark" ? "light" : "dark";
    remember(root.dataset.theme);
  });
})();
